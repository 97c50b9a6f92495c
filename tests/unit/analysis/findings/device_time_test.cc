#include "strobe/analysis/findings/device_time.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

std::vector<SliceId> device_works_of(const Trace& trace) {
  std::vector<SliceId> works;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (is_device_work(trace.kind(SliceId(row)))) works.push_back(SliceId(row));
  }
  return works;
}

TEST(DeviceTimeTest, gaps_lie_between_the_work_of_all_streams) {
  const Trace trace = Sketch()
                          .stream(0, 7)
                          .slice("a", kKernel, 10_ms, 10_ms)
                          .slice("c", kKernel, 40_ms, 10_ms)
                          .stream(0, 8)
                          .slice("b", kKernel, 15_ms, 10_ms)
                          .trace();
  const DeviceTime time = measure_device_time(trace, device_works_of(trace), {0, 100_ms},
                                              {{5_ms, 30_ms}, {30'500_us, 100_ms}}, {5_ms, 30_ms});
  ASSERT_EQ(time.gaps.size(), 2u) << "the end of the trace is no gap";
  EXPECT_EQ(time.gaps[0].interval, (Interval{0, 10_ms}));
  EXPECT_EQ(time.gaps[0].inside_ns, 5_ms);
  EXPECT_EQ(time.gaps[1].interval, (Interval{25_ms, 40_ms}));
  EXPECT_EQ(time.gaps[1].inside_ns, 14'500_us);
  EXPECT_EQ(trace.name(time.gaps[1].next_work), "c");
  EXPECT_EQ(time.busy, (IntervalSet{{10_ms, 25_ms}, {40_ms, 50_ms}}));
  EXPECT_EQ(time.long_gaps.gaps, 2u);
  EXPECT_EQ(time.long_gaps.inside_ns, 19'500_us);
  EXPECT_EQ(time.long_gaps.in_first_step_ns, 0) << "both only begin or end in it";
}

TEST(DeviceTimeTest, gaps_below_a_millisecond_are_not_long) {
  const Trace trace = Sketch()
                          .stream(0, 7)
                          .slice("a", kKernel, 0_ms, 1_ms)
                          .slice("b", kKernel, 1'999_us, 1_ms)
                          .trace();
  const DeviceTime time =
      measure_device_time(trace, device_works_of(trace), {0, 3_ms}, {{0, 3_ms}}, {});
  EXPECT_EQ(time.gaps.size(), 1u);
  EXPECT_EQ(time.long_gaps.gaps, 0u);
}

TEST(DeviceTimeTest, time_of_several_devices_at_once_is_told) {
  const Trace trace = Sketch()
                          .stream(0, 7)
                          .slice("a", kKernel, 0_ms, 10_ms)
                          .stream(1, 7)
                          .slice("b", kKernel, 8_ms, 12_ms)
                          .stream(2, 7)
                          .slice("c", kKernel, 0_ms, 1_ms)
                          .trace();
  const DeviceTime time =
      measure_device_time(trace, device_works_of(trace), {0, 20_ms}, {{0, 20_ms}}, {});
  EXPECT_EQ(time.turns.any_ns, 20_ms);
  EXPECT_EQ(time.turns.several_ns, 3_ms);
  EXPECT_EQ(time.turns.devices, 2u) << "the third hardly works";
}

}  // namespace

}  // namespace strobe::analysis

#include "strobe/compare/measure/device_pace.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/sketch.h"

namespace strobe::compare {
namespace {

using namespace literals;

using analysis::CycleClock;
using analysis::CycleList;
using analysis::CycleMethod;

// Cycles of 10 ms on the host, each with a launch that a kernel follows when the device is free.
struct Loop {
  std::int64_t kernel_ns = 0;
  int cycles = 5;
  bool knows_launches = true;
};

CycleList followed(const Loop& loop, CycleMethod method = CycleMethod::kSteps) {
  Sketch sketch;
  CycleList list;
  list.method = method;
  std::int64_t free_ns = 0;
  for (int i = 0; i < loop.cycles; ++i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    const std::int64_t start_ns = 10_ms * i;
    sketch.thread(1).slice("launch", SliceKind::kRuntimeCall, start_ns + 1_ms, 1_ms);
    if (loop.knows_launches) sketch.correlation(id);
    const std::int64_t runs_ns = std::max(free_ns, start_ns + 2_ms);
    sketch.stream(0, 7).slice("gemm", SliceKind::kKernel, runs_ns, loop.kernel_ns);
    if (loop.knows_launches) sketch.correlation(id);
    free_ns = runs_ns + loop.kernel_ns;
    list.cycles.push_back({{start_ns, start_ns + 10_ms}, "cycle", {}, false});
  }
  const Trace trace = sketch.trace();
  follow_device(analysis::attribute_trace(trace), list);
  return list;
}

TEST(DevicePaceTest, a_cycle_of_a_host_that_runs_ahead_ends_with_the_work_it_launched) {
  const CycleList list = followed({.kernel_ns = 25_ms});
  EXPECT_EQ(list.clock, CycleClock::kDevice);
  for (std::size_t i = 1; i < list.cycles.size(); ++i) {
    EXPECT_EQ(list.cycles[i].interval.length_ns(), 25_ms) << i;
    EXPECT_EQ(list.cycles[i].interval.start_ns, list.cycles[i - 1].interval.end_ns)
        << "together they are the whole span";
  }
  EXPECT_EQ(list.cycles.back().interval.end_ns, 2_ms + 5 * 25_ms);
}

TEST(DevicePaceTest, a_host_that_waits_for_its_work_keeps_its_marks) {
  const CycleList list = followed({.kernel_ns = 6_ms});
  EXPECT_EQ(list.clock, CycleClock::kMarks);
  EXPECT_EQ(list.cycles[2].interval.start_ns, 20_ms);
}

TEST(DevicePaceTest, without_known_launches_the_marks_stay) {
  EXPECT_EQ(followed({.kernel_ns = 25_ms, .knows_launches = false}).clock, CycleClock::kMarks);
}

TEST(DevicePaceTest, cycles_of_the_kernels_are_in_the_devices_time_already) {
  EXPECT_EQ(followed({.kernel_ns = 25_ms}, CycleMethod::kKernelSequence).clock, CycleClock::kMarks);
}

TEST(DevicePaceTest, no_cycles_stay_no_cycles) {
  EXPECT_TRUE(followed({.kernel_ns = 25_ms, .cycles = 0}).cycles.empty());
}

}  // namespace
}  // namespace strobe::compare

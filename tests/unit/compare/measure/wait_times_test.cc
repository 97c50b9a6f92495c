#include "strobe/compare/measure/wait_times.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/sketch.h"

namespace strobe::compare {
namespace {

using namespace strobe::literals;
using analysis::IdleKind;
using ::testing::ElementsAre;

// Two cycles of 100 us. In each the host copies inside an operator, then launches a kernel, which
// starts 5 us after its launch in the first cycle and 10 us in the second.
//
//   host     |-copy_-|        launch        |--- copy_ ---|  launch
//   device                      |==== gemm ====|                |==== gemm ====|
Trace two_cycles() {
  Sketch sketch;
  const auto cycle = [&](std::int64_t start_ns, std::int64_t copy_ns, std::int64_t delay_ns,
                         std::uint32_t id) {
    sketch.thread(1)
        .slice("aten::copy_", kOp, start_ns, copy_ns)
        .slice("cudaMemcpy", kCall, start_ns, copy_ns)
        .slice("cudaLaunchKernel", kCall, start_ns + copy_ns, 2_us)
        .correlation(id);
    sketch.stream(0, 7)
        .slice("gemm", kKernel, start_ns + copy_ns + 2_us + delay_ns,
               100_us - copy_ns - 2_us - delay_ns)
        .correlation(id);
  };
  cycle(0, 20_us, 5_us, 1);
  cycle(100_us, 40_us, 10_us, 2);
  return sketch.trace();
}

WaitTimes waits_of(const Trace& trace, const std::vector<Interval>& parts) {
  const Interval window = {parts.front().start_ns, parts.back().end_ns};
  return measure_wait_times(analysis::attribute_trace(trace), index_functions(trace, {}, window),
                            TimeParts(parts));
}

const IdleCycles* find(const WaitTimes& waits, const IdleCause& cause) {
  for (const IdleCycles& row : waits.idle) {
    if (row.cause == cause) return &row;
  }
  return nullptr;
}

TEST(WaitTimesTest, idle_time_is_split_by_cause_and_cycle) {
  const Trace trace = two_cycles();
  const WaitTimes waits = waits_of(trace, {{0, 100_us}, {100_us, 200_us}});
  const IdleCycles* copy = find(waits, {IdleKind::kRuntimeCall, "cudaMemcpy", "aten::copy_"});
  ASSERT_NE(copy, nullptr);
  EXPECT_THAT(copy->idle_ns, ElementsAre(20_us, 40_us));
  const IdleCycles* launch = find(waits, {IdleKind::kRuntimeCall, "cudaLaunchKernel", ""});
  ASSERT_NE(launch, nullptr);
  EXPECT_THAT(launch->idle_ns, ElementsAre(2_us, 2_us));
  const IdleCycles* launched = find(waits, {IdleKind::kLaunched, "", ""});
  ASSERT_NE(launched, nullptr);
  EXPECT_THAT(launched->idle_ns, ElementsAre(5_us, 10_us));
}

TEST(WaitTimesTest, the_causes_of_a_cycle_add_up_to_its_idle_time) {
  const Trace trace = two_cycles();
  // A cycle that begins in the middle of a gap.
  const WaitTimes waits = waits_of(trace, {{10_us, 120_us}, {120_us, 200_us}});
  std::vector<std::int64_t> sums(2);
  for (const IdleCycles& row : waits.idle) {
    for (std::size_t i = 0; i < 2; ++i) sums[i] += row.idle_ns[i];
  }
  EXPECT_THAT(sums, ElementsAre(17_us + 20_us, 20_us + 12_us));
}

TEST(WaitTimesTest, delays_are_medians_of_the_work_that_starts_in_a_cycle) {
  const Trace trace = two_cycles();
  const WaitTimes waits = waits_of(trace, {{0, 100_us}, {100_us, 200_us}, {200_us, 300_us}});
  ASSERT_EQ(waits.launches.size(), 1u);
  EXPECT_EQ(waits.launches[0].device, "GPU 0");
  EXPECT_EQ(waits.launches[0].median_delay_ns[0], 5000);
  EXPECT_EQ(waits.launches[0].median_delay_ns[1], 10000);
  EXPECT_TRUE(std::isnan(waits.launches[0].median_delay_ns[2]));
  // One work waits for a twentieth and a tenth of the cycle.
  EXPECT_NEAR(waits.launches[0].mean_queue[0], 0.05, 1e-12);
  EXPECT_NEAR(waits.launches[0].mean_queue[1], 0.1, 1e-12);
}

TEST(WaitTimesTest, a_host_alone_waits_for_no_device) {
  Sketch sketch;
  sketch.thread(1).slice("aten::mm", kOp, 0, 50_us);
  const Trace trace = sketch.trace();
  const WaitTimes waits = waits_of(trace, {{0, 100_us}});
  EXPECT_TRUE(waits.idle.empty());
  EXPECT_TRUE(waits.launches.empty());
}

}  // namespace
}  // namespace strobe::compare

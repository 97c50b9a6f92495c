#include <gtest/gtest.h>

#include "strobe/analysis/tables/summary.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

Summary rank(std::int64_t scale, const std::string& op) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 100_us * scale)
                          .slice("mm", SliceKind::kOperator, 1_us, 10_us * scale)
                          .slice("compute", SliceKind::kOperatorPhase, 2_us, 5_us)
                          .slice("call", SliceKind::kRuntimeCall, 3_us, 1_us)
                          .correlation(1)
                          .slice(op, SliceKind::kOperator, 60_us, 5_us)
                          .memory(MemoryAction::kAllocate, "Place(gpu:0)", 4_us, 100)
                          .peaks(1000 * scale, 0)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 20_us, 30_us * scale)
                          .correlation(1)
                          .trace();
  return summarize(trace);
}

TEST(MergeRanksTest, rows_of_one_name_become_one_and_times_add) {
  const Summary sum = merge_ranks({rank(1, "a"), rank(2, "b")});
  EXPECT_EQ(sum.total_ns, 300_us);
  ASSERT_EQ(sum.operators.size(), 1u);
  const auto& rows = sum.operators[0].rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].name, "mm");
  EXPECT_EQ(rows[0].host.total_ns, 30_us);
  EXPECT_EQ(rows[0].host.calls, 2u);
  ASSERT_EQ(rows[0].phases.size(), 1u);
  EXPECT_EQ(rows[0].phases[0].device.total_ns, 90_us);
  EXPECT_EQ(rows[0].phases[0].work[0].device.calls, 2u);
  ASSERT_EQ(sum.kernels.size(), 1u);
  EXPECT_EQ(sum.kernels[0].device.max_ns, 60_us);
  EXPECT_EQ(sum.kernels[0].top_operator, "mm");
  EXPECT_EQ(sum.devices[0].kernel_busy_ns, 90_us);
  EXPECT_EQ(sum.phases[0].host.calls, 2u);
}

TEST(MergeRanksTest, every_ranks_steps_stay_and_peaks_do_not_add) {
  const Summary sum = merge_ranks({rank(1, "a"), rank(2, "b")});
  ASSERT_EQ(sum.steps.size(), 2u);
  EXPECT_EQ(sum.steps[1].interval.length_ns(), 200_us);
  EXPECT_EQ(sum.memory[0].peak_allocated_bytes, 2000);
  EXPECT_EQ(sum.memory[0].allocated[0].allocations, 2u);
}

TEST(MergeRanksTest, one_rank_stays_as_it_is_but_for_the_order_of_rows) {
  const Summary one = rank(1, "a");
  const Summary sum = merge_ranks({one});
  EXPECT_EQ(sum.total_ns, one.total_ns);
  EXPECT_EQ(sum.extent, one.extent);
  EXPECT_EQ(sum.operators[0].rows.size(), one.operators[0].rows.size());
  EXPECT_EQ(sum.host_types.size(), one.host_types.size());
}

TEST(MergeRanksTest, no_ranks_give_an_empty_summary) {
  const Summary sum = merge_ranks({});
  EXPECT_EQ(sum.total_ns, 0);
  EXPECT_TRUE(sum.operators.empty());
}

}  // namespace
}  // namespace strobe::analysis

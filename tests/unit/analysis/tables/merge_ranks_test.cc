#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/analysis/tables/summary.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;
using ::testing::FieldsAre;

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
  EXPECT_EQ(sum.kernels[0].top_operator(), "mm");
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

Summary rank_with_kernel(std::vector<KernelLauncher> launchers) {
  Summary summary;
  KernelRow kernel;
  kernel.name = "k";
  for (const KernelLauncher& launcher : launchers) kernel.device.add(launcher.device_ns);
  kernel.launchers = std::move(launchers);
  summary.kernels.push_back(std::move(kernel));
  return summary;
}

// Each rank has another favourite; over both, most time was launched outside of operators.
TEST(MergeRanksTest, the_times_of_each_launcher_add_up_before_one_is_named) {
  const Summary sum = merge_ranks(
      {rank_with_kernel({{"mm", "linear", 50}, {"", "", 45}, {"mm", "", 1}}),
       rank_with_kernel({{"bmm", "", 60}, {"", "", 40}, {"mm", "linear", 10}, {"mm", "", 1}})});
  ASSERT_EQ(sum.kernels.size(), 1u);
  EXPECT_THAT(sum.kernels[0].launchers,
              ElementsAre(FieldsAre("", "", 85), FieldsAre("bmm", "", 60),
                          FieldsAre("mm", "linear", 60), FieldsAre("mm", "", 2)));
  EXPECT_EQ(sum.kernels[0].top_operator(), "");
}

TEST(MergeRanksTest, the_steady_part_of_a_rank_without_a_start_up_is_all_of_it) {
  Summary started = rank_with_kernel({{"mm", "", 900}, {"mm", "", 10}});
  started.steady = std::make_shared<Summary>(rank_with_kernel({{"mm", "", 10}}));
  const Summary running = rank_with_kernel({{"mm", "", 12}});
  const Summary sum = merge_ranks({started, running});
  EXPECT_EQ(sum.kernels[0].device.total_ns, 922);
  ASSERT_NE(sum.steady, nullptr);
  EXPECT_EQ(sum.steady->kernels[0].device.total_ns, 22);
  EXPECT_EQ(merge_ranks({running, running}).steady, nullptr);
}

TEST(MergeRanksTest, spans_slices_and_time_outside_of_phases_add_up) {
  Summary one;
  one.span_ns = 100;
  one.slices = 7;
  one.outside_phases_ns = 30;
  Summary two;
  two.span_ns = 50;
  two.slices = 5;
  two.outside_phases_ns = 20;
  const Summary sum = merge_ranks({one, two});
  EXPECT_EQ(sum.span_ns, 150);
  EXPECT_EQ(sum.slices, 12u);
  EXPECT_EQ(sum.outside_phases_ns, 50);
}

Summary rank_with_steps(std::optional<FoundCycles> cycles) {
  Summary summary;
  summary.has_steps = true;
  summary.cycles = std::move(cycles);
  return summary;
}

TEST(MergeRanksTest, steps_are_cycles_if_those_of_every_rank_are) {
  const FoundCycles found{"a host range that recurs", "train"};
  const Summary without_steps;
  const Summary all = merge_ranks({rank_with_steps(found), without_steps, rank_with_steps(found)});
  ASSERT_TRUE(all.cycles.has_value());
  EXPECT_EQ(all.cycles->method, "a host range that recurs");
  EXPECT_EQ(all.cycles->marker, "train");
  EXPECT_FALSE(merge_ranks({rank_with_steps(found), rank_with_steps({})}).cycles.has_value());
  EXPECT_FALSE(merge_ranks({without_steps}).cycles.has_value());
}

TEST(MergeRanksTest, ranks_that_found_different_cycles_name_one_in_any_order) {
  const Summary a = rank_with_steps(FoundCycles{"a host range that recurs", "a"});
  const Summary b = rank_with_steps(FoundCycles{"a host range that recurs", "b"});
  EXPECT_EQ(merge_ranks({a, b}).cycles->marker, "a");
  EXPECT_EQ(merge_ranks({b, a}).cycles->marker, "a");
}

TEST(MergeRanksTest, waits_add_up) {
  Summary one;
  one.waits.idle_ns = 10;
  Summary two;
  two.waits.idle_ns = 5;
  EXPECT_EQ(merge_ranks({one, two}).waits.idle_ns, 15);
}

TEST(MergeRanksTest, no_ranks_give_an_empty_summary) {
  const Summary sum = merge_ranks({});
  EXPECT_EQ(sum.total_ns, 0);
  EXPECT_TRUE(sum.operators.empty());
}

}  // namespace
}  // namespace strobe::analysis

#include "strobe/analysis/waits/idle_causes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "strobe/analysis/waits/idle_stretches.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

class IdleCausesTest : public ::testing::Test {
 protected:
  Trace trace_ = Sketch().thread(1).slice("a", kOp, 0, 1).slice("b", kOp, 1, 1).trace();
  StringId a_ = trace_.strings().find("a");
  StringId b_ = trace_.strings().find("b");
  CauseList list_{trace_.strings()};

  IdleStretch stretch_of(StringId name, Interval interval, IdleKind kind = IdleKind::kOperator,
                         std::uint32_t thread = 0) {
    return stretch_of(Cause{kind, name, {}}, interval, thread);
  }
  IdleStretch stretch_of(const Cause& cause, Interval interval, std::uint32_t thread = 0) {
    return {interval, list_.id_of(cause), {}, thread, cause.kind};
  }
  static void add_all(std::uint32_t gap, const std::vector<IdleStretch>& stretches,
                      IdleCauses& causes) {
    causes.start(gap, {stretches.front().interval.start_ns, stretches.back().interval.end_ns});
    for (const IdleStretch& stretch : stretches) causes.add(stretch);
  }
};

TEST_F(IdleCausesTest, a_cause_counts_once_per_gap_and_keeps_its_longest_stretch) {
  const IntervalSet steps;
  IdleCauses causes(list_, steps);
  add_all(0, {stretch_of(a_, {0, 10}), stretch_of(b_, {10, 12}), stretch_of(a_, {12, 20})}, causes);
  add_all(1, {stretch_of(a_, {30, 45}, IdleKind::kOperator, 4)}, causes);
  const IdleCauses::Table table = causes.take(trace_.strings());
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].name, "a");
  EXPECT_EQ(table.rows[0].idle, (TimeStat{2, 33, 18, 15}));
  EXPECT_EQ(table.rows[0].longest, (Interval{30, 45}));
  EXPECT_EQ(table.threads[0], 4u);
  EXPECT_EQ(table.rows[1].name, "b");
  EXPECT_EQ(table.rows[1].idle, (TimeStat{1, 2, 2, 2}));
}

TEST_F(IdleCausesTest, kinds_and_places_keep_equal_names_apart) {
  const IntervalSet steps;
  IdleCauses causes(list_, steps);
  const IdleStretch call = stretch_of(a_, {20, 23}, IdleKind::kRuntimeCall);
  const IdleStretch inside = stretch_of(Cause{IdleKind::kRuntimeCall, a_, b_}, {30, 32});
  add_all(0, {stretch_of(a_, {0, 5}), stretch_of(a_, {5, 9}, IdleKind::kRange)}, causes);
  add_all(1, {call}, causes);
  add_all(2, {inside}, causes);
  add_all(3, {stretch_of(StringId(), {40, 41}, IdleKind::kLaunched)}, causes);
  const IdleCauses::Table table = causes.take(trace_.strings());
  ASSERT_EQ(table.rows.size(), 5u);
  EXPECT_EQ(table.rows[0].kind, IdleKind::kOperator);
  EXPECT_EQ(table.rows[1].kind, IdleKind::kRange);
  EXPECT_EQ(table.rows[2].inside, "");
  EXPECT_EQ(table.rows[3].inside, "b");
  EXPECT_EQ(table.rows[4].kind, IdleKind::kLaunched);
  EXPECT_EQ(table.rows[4].name, "");
}

TEST_F(IdleCausesTest, the_part_in_steps_is_exact_where_a_step_ends_inside_a_gap) {
  const IntervalSet steps = {{0, 15}, {100, 200}};
  IdleCauses causes(list_, steps);
  add_all(0, {stretch_of(a_, {5, 12}), stretch_of(b_, {12, 18})}, causes);
  add_all(1, {stretch_of(a_, {20, 40})}, causes);
  add_all(2, {stretch_of(a_, {110, 111})}, causes);
  const IdleCauses::Table table = causes.take(trace_.strings());
  EXPECT_EQ(table.rows[0].in_steps_ns, 7 + 1);
  EXPECT_EQ(table.rows[1].in_steps_ns, 3);
}

// A part of the gap that the work ends.
void add_part(Interval gap, std::uint32_t work, Interval part, const IntervalSet& steps,
              const AttributedTrace& input, IdleExplainer& explainer, PacedIdle& paced) {
  const LaunchEnd launch = work == IdleGaps::kNoWork ? LaunchEnd() : find_launch_end(input, work);
  paced.start(gap, launch, part, OverlapCursor(steps).overlap_ns(part));
  explainer.explain(launch, part, [&](const IdleStretch& stretch) { paced.add(stretch); });
  paced.finish();
}

// One launch after the other: kernel i starts 5 us after the end of its launch, and the device is
// idle from the end of the kernel before until then.
struct Pace {
  Sketch sketch;
  std::int64_t time_ns = 0;
  std::uint32_t id = 0;

  // The host does `what` for `wait_ns`, then launches for 5 us; the kernel runs 10 us.
  Pace& launch_after(std::int64_t wait_ns, SliceKind what = kOp, const std::string& name = "op",
                     std::int64_t delay_ns = 5_us) {
    ++id;
    sketch.thread(1)
        .slice(name, what, time_ns, wait_ns)
        .slice("cudaLaunchKernel", kCall, time_ns + wait_ns, 5_us)
        .correlation(id);
    time_ns += wait_ns + 5_us + delay_ns;
    sketch.stream(0, 7).slice("k", kKernel, time_ns, 10_us).correlation(id);
    time_ns += 10_us;
    return *this;
  }
  PacedIdle::Answer answer(const IntervalSet& steps = {}) {
    const Trace trace = sketch.trace();
    const AttributedTrace input = attribute_trace(trace);
    const IdleGaps gaps = find_idle_gaps(input, trace.extent());
    IdleExplainer explainer(input, gaps.intervals);
    PacedIdle paced(input, steps);
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      const Interval gap = gaps.intervals[i];
      add_part(gap, gaps.next_works[i], gap, steps, input, explainer, paced);
    }
    return paced.take();
  }
};

TEST(PacedIdleTest, a_launch_after_the_other_sets_the_pace) {
  Pace pace;
  for (int i = 0; i < 10; ++i) pace.launch_after(30_us);
  const PacedIdle::Answer answer = pace.answer();
  EXPECT_EQ(answer.gaps, 10u);
  EXPECT_EQ(answer.idle_ns, 10 * 40_us);
}

TEST(PacedIdleTest, only_what_lies_in_steps_counts) {
  Pace pace;
  for (int i = 0; i < 10; ++i) pace.launch_after(30_us);  // 50 us each
  const PacedIdle::Answer answer = pace.answer({{0_us, 120_us}});
  EXPECT_EQ(answer.gaps, 3u);
  EXPECT_EQ(answer.idle_ns, 40_us + 40_us + 20_us);
}

TEST(PacedIdleTest, two_parts_of_a_gap_are_one_gap) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("op", kOp, 0_us, 30_us)
                          .slice("cudaLaunchKernel", kCall, 30_us, 5_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("k", kKernel, 40_us, 5_us)
                          .correlation(1)
                          .trace();
  const AttributedTrace input = attribute_trace(trace);
  const Interval gap = {0_us, 40_us};
  IdleExplainer explainer(input, {gap});
  const IntervalSet steps;
  PacedIdle paced(input, steps);
  add_part(gap, 0, {0_us, 10_us}, steps, input, explainer, paced);
  add_part(gap, 0, {20_us, 40_us}, steps, input, explainer, paced);
  const PacedIdle::Answer answer = paced.take();
  EXPECT_EQ(answer.gaps, 1u);
  EXPECT_EQ(answer.idle_ns, 30_us);
}

TEST(PacedIdleTest, a_blocking_call_or_data_loading_is_no_pace) {
  Pace pace;
  for (int i = 0; i < 10; ++i) pace.launch_after(30_us);
  pace.launch_after(150_us, kCall, "cudaMemcpyAsync");
  pace.launch_after(150_us, SliceKind::kDataLoader, "load");
  EXPECT_EQ(pace.answer().gaps, 10u);
}

TEST(PacedIdleTest, the_time_of_the_profiler_is_no_pace) {
  Pace pace;
  for (int i = 0; i < 10; ++i) pace.launch_after(30_us);
  const auto flush_for = [&](std::int64_t duration_ns) {
    pace.sketch.thread(0, -1).slice("Buffer Flush", SliceKind::kOverhead, pace.time_ns + 10_us,
                                    duration_ns);
  };
  flush_for(200_us);
  pace.launch_after(300_us);  // most of this gap is the flush
  flush_for(20_us);
  pace.launch_after(100_us);
  const PacedIdle::Answer answer = pace.answer();
  EXPECT_EQ(answer.gaps, 11u);
  EXPECT_EQ(answer.idle_ns, 10 * 40_us + 90_us);
}

TEST(PacedIdleTest, a_short_call_or_a_long_launch_is_pace) {
  Pace pace;
  for (int i = 0; i < 10; ++i) pace.launch_after(90_us, kCall, "cudaMemcpyAsync");
  pace.launch_after(150_us, kCall, "cudaLaunchKernel");
  EXPECT_EQ(pace.answer().gaps, 11u);
}

TEST(PacedIdleTest, one_long_gap_among_short_ones_is_a_stall) {
  Pace pace;
  for (int i = 0; i < 10; ++i) pace.launch_after(30_us);
  pace.launch_after(1500_us);  // over 20 times 40 us
  EXPECT_EQ(pace.answer().gaps, 10u);
  Pace slow;
  for (int i = 0; i < 10; ++i) slow.launch_after(2500_us);
  EXPECT_EQ(slow.answer().gaps, 0u);
}

TEST(PacedIdleTest, work_that_starts_long_after_its_launch_is_not_paced_by_it) {
  Pace pace;
  for (int i = 0; i < 10; ++i) pace.launch_after(30_us, kOp, "op", 25_us);
  EXPECT_EQ(pace.answer().gaps, 0u);
}

TEST(PacedIdleTest, work_that_was_launched_before_the_gap_is_not_paced) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("cudaLaunchKernel", kCall, 0_us, 1_us)
                          .correlation(1)
                          .slice("cudaLaunchKernel", kCall, 1_us, 1_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("k", kKernel, 1_us, 3_us)
                          .correlation(1)
                          .slice("k", kKernel, 6_us, 3_us)
                          .correlation(2)
                          .trace();
  const AttributedTrace input = attribute_trace(trace);
  const IdleGaps gaps = find_idle_gaps(input, {1_us, 9_us});
  ASSERT_EQ(gaps.size(), 1u);
  const Interval gap = gaps.intervals[0];
  IdleExplainer explainer(input, {gap});
  const IntervalSet steps;
  PacedIdle paced(input, steps);
  add_part(gap, gaps.next_works[0], gap, steps, input, explainer, paced);
  EXPECT_EQ(paced.take().gaps, 0u);
}

}  // namespace
}  // namespace strobe::analysis

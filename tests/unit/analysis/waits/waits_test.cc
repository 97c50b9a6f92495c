#include "strobe/analysis/waits/waits.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "strobe/analysis/steps/step_breakdown.h"
#include "strobe/analysis/steps/steps.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

// A step with data loading, a blocking copy on the way, and a second thread.
Trace training_step() {
  return Sketch()
      .thread(1)
      .slice("Step#1", SliceKind::kStep, 0_us, 100_us)
      .slice("load", SliceKind::kDataLoader, 0_us, 20_us)
      .slice("copy_", kOp, 20_us, 30_us)
      .slice("train.py(31): step", SliceKind::kPythonCall, 15_us, 80_us)
      .slice("torch/_tensor.py(7): to", SliceKind::kPythonCall, 18_us, 40_us)
      .slice("cudaMemcpyAsync", kCall, 22_us, 25_us)
      .correlation(1)
      .slice("cudaLaunchKernel", kCall, 60_us, 5_us)
      .correlation(2)
      .stream(0, 7)
      .slice("Memcpy HtoD", SliceKind::kMemcpy, 40_us, 6_us)
      .correlation(1)
      .slice("gemm", kKernel, 70_us, 20_us)
      .correlation(2)
      .trace();
}

TEST(WaitsTest, idle_time_is_explained_with_the_line_of_the_script) {
  const Trace trace = training_step();
  const Waits waits = measure_waits(attribute_trace(trace), {{0_us, 100_us}}, {{0_us, 100_us}});
  EXPECT_EQ(waits.idle_ns, 74_us);
  EXPECT_EQ(waits.idle_in_steps_ns, 74_us);
  ASSERT_EQ(waits.idle.size(), 8u);
  EXPECT_EQ(waits.idle[0].kind, IdleKind::kDataLoading);
  EXPECT_EQ(waits.idle[0].idle.total_ns, 20_us);
  // The copy starts at 40 us inside its call, which ends at 47 us: 18 us before it, 1 us after it.
  EXPECT_EQ(waits.idle[1].kind, IdleKind::kRuntimeCall);
  EXPECT_EQ(waits.idle[1].name, "cudaMemcpyAsync");
  EXPECT_EQ(waits.idle[1].inside, "copy_");
  EXPECT_EQ(waits.idle[1].source, "train.py(31): step");
  EXPECT_EQ(waits.idle[1].idle, (TimeStat{2, 19_us, 18_us, 1_us}));
  EXPECT_EQ(waits.idle[1].longest, (Interval{22_us, 40_us}));
  ASSERT_EQ(waits.calls.size(), 2u);
  EXPECT_EQ(waits.calls[0].name, "cudaMemcpyAsync");
  EXPECT_EQ(waits.calls[0].device_idle_ns, 19_us);
  EXPECT_EQ(waits.calls[0].longest_source, "train.py(31): step");
  ASSERT_EQ(waits.streams.size(), 1u);
  EXPECT_EQ(waits.streams[0].works, 2u);
}

TEST(WaitsTest, the_time_of_the_profiler_has_its_own_row_and_no_line_of_the_script) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("train.py(31): step", SliceKind::kPythonCall, 0_us, 100_us)
                          .slice("aten::mm", kOp, 0_us, 90_us)
                          .slice("cudaLaunchKernel", kCall, 80_us, 5_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("gemm", kKernel, 90_us, 10_us)
                          .correlation(1)
                          .thread(0, -1)
                          .slice("Activity Buffer Request", SliceKind::kOverhead, 10_us, 60_us)
                          .trace();
  const Waits waits = measure_waits(attribute_trace(trace), {{0_us, 100_us}}, {{0_us, 50_us}});
  EXPECT_EQ(waits.idle_ns, 90_us);
  ASSERT_EQ(waits.idle.size(), 4u);
  EXPECT_EQ(waits.idle[0].kind, IdleKind::kOverhead);
  EXPECT_EQ(waits.idle[0].name, "Activity Buffer Request");
  EXPECT_EQ(waits.idle[0].inside, "");
  EXPECT_EQ(waits.idle[0].source, "");
  EXPECT_EQ(waits.idle[0].idle, (TimeStat{1, 60_us, 60_us, 60_us}));
  EXPECT_EQ(waits.idle[0].in_steps_ns, 40_us);
  EXPECT_EQ(waits.idle[1].name, "aten::mm");
  EXPECT_EQ(waits.idle[1].idle, (TimeStat{1, 20_us, 20_us, 20_us}));
}

TEST(WaitsTest, a_selection_of_the_trees_changes_nothing) {
  const Trace trace = training_step();
  const IntervalSet span = {{50_us, 100_us}};
  const Waits whole = measure_waits(attribute_trace(trace), span, span);
  const Waits selected = measure_waits(attribute_trace(trace, TimeSelection(span)), span, span);
  EXPECT_EQ(selected.idle_ns, 30_us);  // [50,70) and [90,100)
  EXPECT_EQ(selected.idle_ns, whole.idle_ns);
  ASSERT_EQ(selected.idle.size(), whole.idle.size());
  for (std::size_t i = 0; i < whole.idle.size(); ++i) {
    EXPECT_EQ(selected.idle[i].name, whole.idle[i].name);
    EXPECT_EQ(selected.idle[i].idle, whole.idle[i].idle);
  }
}

TEST(WaitsTest, no_device_work_means_no_idle_time_but_calls_are_listed) {
  const Trace trace = Sketch().thread(1).slice("call", kCall, 0_us, 5_us).trace();
  const Waits waits = measure_waits(attribute_trace(trace), {{0_us, 5_us}}, {});
  EXPECT_EQ(waits.idle_ns, 0);
  EXPECT_TRUE(waits.idle.empty());
  EXPECT_EQ(waits.calls.size(), 1u);
  EXPECT_EQ(waits.calls[0].device_idle_ns, 0);
}

TEST(WaitsTest, an_empty_span_has_nothing) {
  const Trace trace = training_step();
  const Waits waits = measure_waits(attribute_trace(trace), {}, {});
  EXPECT_EQ(waits.idle_ns, 0);
  EXPECT_TRUE(waits.calls.empty());
  EXPECT_TRUE(waits.streams.empty());
}

// Slices of all kinds at random places, so that they nest, cross and touch.
Trace random_trace(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  constexpr SliceKind kKinds[] = {SliceKind::kOperator,   SliceKind::kAnnotation,
                                  SliceKind::kDataLoader, SliceKind::kPythonCall,
                                  SliceKind::kOther,      SliceKind::kRuntimeCall};
  Sketch sketch;
  for (int step = 0; step < 3; ++step) {
    sketch.thread(1).slice("Step#" + std::to_string(step), SliceKind::kStep, 100 + step * 300, 250);
  }
  for (std::uint32_t i = 0; i < 120; ++i) {
    const SliceKind kind = kKinds[below(6)];
    const std::string number = std::to_string(below(9));
    sketch.thread(1 + below(3))
        .slice(kind == SliceKind::kPythonCall ? "host.py(" + number + "): f" : "host " + number,
               kind, below(1000), below(60));
    if (kind == SliceKind::kRuntimeCall) sketch.correlation(i);
  }
  for (int i = 0; i < 6; ++i) {
    sketch.thread(0, -1).slice("flush " + std::to_string(below(2)), SliceKind::kOverhead,
                               below(1000), below(40));
  }
  for (int i = 0; i < 25; ++i) {
    sketch.stream(static_cast<std::int32_t>(below(2)), below(3))
        .slice("work", below(2) == 0 ? SliceKind::kKernel : SliceKind::kMemcpy, below(1000),
               below(20))
        .correlation(static_cast<std::uint32_t>(below(120)));
  }
  return sketch.trace();
}

std::int64_t busy_ns(const Trace& trace, const IntervalSet& within) {
  std::vector<Interval> work;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (is_device_work(trace.kind(SliceId(row)))) work.push_back(trace.interval(SliceId(row)));
  }
  return total_ns(intersection_of(union_of(std::move(work)), within));
}

class RandomWaitsTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomWaitsTest, the_account_balances) {
  const Trace trace = random_trace(GetParam());
  const AttributedTrace input = attribute_trace(trace);
  const IntervalSet span = {trace.extent()};
  const std::vector<Step> steps = list_steps(trace);
  std::vector<Interval> intervals;
  for (const Step& step : steps) intervals.push_back(step.interval);
  const IntervalSet in_steps = union_of(intervals);
  const Waits waits = measure_waits(input, span, in_steps);

  EXPECT_EQ(waits.idle_ns + busy_ns(trace, span), total_ns(span));
  std::int64_t idle_ns = 0;
  std::int64_t idle_in_steps_ns = 0;
  for (const IdleRow& row : waits.idle) {
    idle_ns += row.idle.total_ns;
    idle_in_steps_ns += row.in_steps_ns;
    EXPECT_GT(row.idle.total_ns, 0);
    EXPECT_GT(row.idle.calls, 0u);
    EXPECT_GE(row.in_steps_ns, 0);
    EXPECT_LE(row.in_steps_ns, row.idle.total_ns);
    EXPECT_LE(row.longest.length_ns(), row.idle.max_ns);
  }
  EXPECT_EQ(idle_ns, waits.idle_ns);
  EXPECT_EQ(idle_in_steps_ns, waits.idle_in_steps_ns);

  std::int64_t labels_ns = 0;
  for (const StepRow& row :
       break_down_steps(input, steps, add_up_step_launches(input, steps, false))) {
    for (const StepLabel label :
         {StepLabel::kRuntime, StepLabel::kDataLoader, StepLabel::kHost, StepLabel::kIdle}) {
      labels_ns += row.label_ns[static_cast<std::size_t>(label)];
    }
  }
  EXPECT_EQ(waits.idle_in_steps_ns, labels_ns);
  EXPECT_LE(waits.paced_idle_ns, waits.idle_in_steps_ns);
  for (const RuntimeCallRow& row : waits.calls) {
    EXPECT_LE(row.device_idle_ns, row.host.total_ns);
    EXPECT_LE(row.in_steps_ns, row.host.total_ns);
    EXPECT_GE(row.host.total_ns, row.host.max_ns);
  }
}

TEST_P(RandomWaitsTest, two_halves_of_the_span_make_up_the_whole) {
  const Trace trace = random_trace(GetParam());
  const AttributedTrace input = attribute_trace(trace);
  const Interval all = trace.extent();
  const std::int64_t middle_ns = all.start_ns + all.length_ns() / 2;
  const Waits whole = measure_waits(input, {all}, {});
  const Waits first = measure_waits(input, {{all.start_ns, middle_ns}}, {});
  const Waits second = measure_waits(input, {{middle_ns, all.end_ns}}, {});
  const Waits both = merge_waits({&first, &second});
  EXPECT_EQ(both.idle_ns, whole.idle_ns);
  ASSERT_EQ(both.idle.size(), whole.idle.size());
  const auto total_of = [&](const IdleRow& wanted, const Waits& waits) {
    for (const IdleRow& row : waits.idle) {
      if (row.kind == wanted.kind && row.name == wanted.name && row.inside == wanted.inside) {
        return row.idle.total_ns;
      }
    }
    return std::int64_t{-1};
  };
  for (const IdleRow& row : whole.idle) EXPECT_EQ(total_of(row, both), row.idle.total_ns);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWaitsTest, ::testing::Range(1u, 41u));

TEST(MergeWaitsTest, rows_of_one_cause_are_added_and_the_longest_of_all_is_kept) {
  Waits a;
  a.idle_ns = 30;
  a.paced_gaps = 2;
  a.idle.push_back({.kind = IdleKind::kRuntimeCall,
                    .name = "sync",
                    .inside = "item",
                    .source = "a.py(1): f",
                    .idle = {2, 30, 20, 10},
                    .in_steps_ns = 5,
                    .longest = {0, 20}});
  a.calls.push_back({.name = "sync",
                     .purpose = device::RuntimeCall::kSynchronize,
                     .host = {1, 40, 40, 40},
                     .in_steps_ns = 7,
                     .device_idle_ns = 30,
                     .longest = {0, 40},
                     .longest_inside = "item",
                     .longest_source = "a.py(1): f"});
  a.streams.push_back({.device = 0, .stream = "7", .works = 1});
  Waits b = a;
  b.idle[0].longest = {100, 150};
  b.idle[0].source = "b.py(2): g";
  b.idle[0].idle = {1, 50, 50, 50};
  b.idle.push_back({.kind = IdleKind::kLaunched,
                    .name = "",
                    .inside = "",
                    .source = "",
                    .idle = {1, 500, 500, 500},
                    .in_steps_ns = 0,
                    .longest = {0, 500}});
  b.idle_ns = 550;
  b.calls[0].host = {1, 10, 10, 10};
  b.calls[0].longest = {0, 10};
  b.calls[0].longest_inside = "other";
  b.streams[0].works = 2;
  const Waits merged = merge_waits({&a, &b});
  EXPECT_EQ(merged.idle_ns, 580);
  EXPECT_EQ(merged.paced_gaps, 4u);
  ASSERT_EQ(merged.idle.size(), 2u);
  EXPECT_EQ(merged.idle[0].kind, IdleKind::kLaunched);
  EXPECT_EQ(merged.idle[1].idle, (TimeStat{3, 80, 50, 10}));
  EXPECT_EQ(merged.idle[1].in_steps_ns, 10);
  EXPECT_EQ(merged.idle[1].longest, (Interval{100, 150}));
  EXPECT_EQ(merged.idle[1].source, "b.py(2): g");
  ASSERT_EQ(merged.calls.size(), 1u);
  EXPECT_EQ(merged.calls[0].host, (TimeStat{2, 50, 40, 10}));
  EXPECT_EQ(merged.calls[0].longest_inside, "item");
  EXPECT_EQ(merged.calls[0].device_idle_ns, 60);
  ASSERT_EQ(merged.streams.size(), 2u);  // the devices of two ranks
  EXPECT_EQ(merged.streams[0].works, 1u);
  EXPECT_EQ(merged.streams[1].works, 2u);
}

TEST(IdleKindTest, every_kind_has_its_word) {
  EXPECT_EQ(word_of(IdleKind::kOverhead), "overhead");
  EXPECT_EQ(word_of(IdleKind::kRuntimeCall), "runtime_call");
  EXPECT_EQ(word_of(IdleKind::kDataLoading), "data_loading");
  EXPECT_EQ(word_of(IdleKind::kOperator), "operator");
  EXPECT_EQ(word_of(IdleKind::kRange), "range");
  EXPECT_EQ(word_of(IdleKind::kScript), "script");
  EXPECT_EQ(word_of(IdleKind::kNothing), "nothing");
  EXPECT_EQ(word_of(IdleKind::kLaunched), "launched");
}

}  // namespace
}  // namespace strobe::analysis

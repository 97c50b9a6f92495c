#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using namespace strobe::literals;

// Kernels of 2 us, one every 3 us, on one stream.
class Stream {
 public:
  Stream() { sketch_.stream(0, 7); }

  Stream& run(const std::string& name) {
    sketch_.slice(name, SliceKind::kKernel, at_ns_, 2_us);
    at_ns_ += 3_us;
    return *this;
  }
  Stream& layers(int count) {
    for (int i = 0; i < count; ++i) run("norm").run("gemm").run("attention").run("gemm").run("add");
    return *this;
  }
  Stream& cycle(int count = 8) { return run("embed").layers(count).run("sample"); }
  Stream& pause(std::int64_t duration_ns) {
    at_ns_ += duration_ns;
    return *this;
  }
  std::int64_t now_ns() const { return at_ns_; }
  Sketch& sketch() { return sketch_; }
  Trace trace() { return sketch_.trace(); }

 private:
  Sketch sketch_;
  std::int64_t at_ns_ = 0;
};

CycleList cut(const Trace& trace) {
  Result<CycleList> list = cycles_by_kernel_sequence(trace);
  EXPECT_TRUE(list) << (list ? "" : list.error().what);
  return list ? std::move(list).value() : CycleList{};
}

std::vector<std::int64_t> starts_of(const CycleList& list) {
  std::vector<std::int64_t> starts_ns;
  for (const Cycle& cycle : list.cycles) starts_ns.push_back(cycle.interval.start_ns);
  return starts_ns;
}

TEST(CycleSequenceTest, a_cycle_begins_with_the_first_of_the_rarest_functions) {
  Stream stream;
  std::vector<std::int64_t> starts_ns;
  for (int i = 0; i < 6; ++i) {
    starts_ns.push_back(stream.now_ns());
    stream.cycle().pause(20_us);
  }
  const CycleList list = cut(stream.trace());
  EXPECT_EQ(list.method, CycleMethod::kKernelSequence);
  EXPECT_EQ(list.confidence, CycleConfidence::kHigh);
  EXPECT_EQ(list.marker, "embed");
  EXPECT_EQ(starts_of(list), starts_ns);
  EXPECT_EQ(list.cycles[0].name, "cycle 1");
  ASSERT_TRUE(list.inner);
  EXPECT_EQ(list.inner->kernels, 5u);
  EXPECT_TRUE(list.marker_slices.empty());
}

TEST(CycleSequenceTest, only_the_cycle_that_the_trace_cuts_off_has_a_guessed_border) {
  Stream stream;
  for (int i = 0; i < 6; ++i) stream.cycle();
  const CycleList list = cut(stream.trace());
  ASSERT_EQ(list.cycles.size(), 6u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_FALSE(list.cycles[i].has_inferred_border) << i;
  EXPECT_TRUE(list.cycles[5].has_inferred_border);
  EXPECT_EQ(list.cycles[5].interval.end_ns, stream.now_ns() - 1_us);
}

TEST(CycleSequenceTest, a_trace_that_begins_inside_a_cycle_has_a_guessed_first_one) {
  Stream stream;
  stream.layers(6).run("sample");
  const std::int64_t second_ns = stream.now_ns();
  for (int i = 0; i < 5; ++i) stream.cycle();
  const CycleList list = cut(stream.trace());
  // The rarest group is the one of "embed", which the first cycle lacks.
  EXPECT_EQ(list.marker, "embed");
  ASSERT_EQ(list.cycles.size(), 6u);
  EXPECT_TRUE(list.cycles[0].has_inferred_border);
  EXPECT_EQ(list.cycles[0].interval, (Interval{0, second_ns}));
  EXPECT_FALSE(list.cycles[1].has_inferred_border);
}

TEST(CycleSequenceTest, less_than_half_a_cycle_at_either_end_is_none) {
  Stream stream;
  stream.layers(2);
  const std::int64_t first_ns = stream.now_ns();
  for (int i = 0; i < 5; ++i) stream.run("embed").layers(8);
  stream.run("embed").layers(1);
  const CycleList list = cut(stream.trace());
  ASSERT_EQ(list.cycles.size(), 5u);
  EXPECT_EQ(list.cycles[0].interval.start_ns, first_ns);
  for (const Cycle& cycle : list.cycles) EXPECT_FALSE(cycle.has_inferred_border);
}

TEST(CycleSequenceTest, of_the_rare_groups_the_one_that_comes_most_evenly_wins) {
  // "embed" is missing once in the middle: one of its distances is a double one.
  Stream stream;
  for (int i = 0; i < 9; ++i) {
    if (i == 5) {
      stream.layers(8).run("sample");
    } else {
      stream.cycle();
    }
  }
  const CycleList list = cut(stream.trace());
  EXPECT_EQ(list.marker, "sample");
  EXPECT_EQ(list.cycles.size(), 9u);
}

TEST(CycleSequenceTest, where_rare_functions_come_at_odd_times_the_period_finds_the_cycle) {
  Stream stream;
  std::vector<std::int64_t> starts_ns;
  for (int i = 0; i < 30; ++i) {
    starts_ns.push_back(stream.now_ns());
    for (int k = 0; k < 40; ++k) stream.run("kernel " + std::to_string(k));
    if (i == 2 || i == 3 || i == 4 || i == 28) stream.run("checkpoint");
  }
  const CycleList list = cut(stream.trace());
  EXPECT_EQ(list.marker, "kernel 0");
  EXPECT_EQ(list.confidence, CycleConfidence::kMedium);
  EXPECT_EQ(starts_of(list), starts_ns);
}

TEST(CycleSequenceTest, where_lengths_vary_the_anchors_alone_decide_and_are_less_sure) {
  Stream stream;
  for (const int layers : {8, 9, 11, 7, 10, 6, 12}) stream.cycle(layers);
  const CycleList list = cut(stream.trace());
  EXPECT_EQ(list.confidence, CycleConfidence::kMedium);
  EXPECT_EQ(list.cycles.size(), 7u);
}

TEST(CycleSequenceTest, the_busiest_stream_is_looked_at) {
  Stream stream;
  for (int i = 0; i < 6; ++i) stream.cycle();
  stream.sketch().stream(0, 9);
  for (int i = 0; i < 50; ++i) {
    stream.sketch().slice("copy", SliceKind::kMemcpy, i * 7_us, 1_us);
  }
  EXPECT_EQ(cut(stream.trace()).marker, "embed");
}

TEST(CycleSequenceTest, kernels_in_no_order_and_no_kernels_give_no_cycles) {
  Stream stream;
  for (int i = 0; i < 40; ++i) stream.run("kernel " + std::to_string(i));
  Result<CycleList> list = cycles_by_kernel_sequence(stream.trace());
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().what, "the order of the kernels does not repeat");
  list = cycles_by_kernel_sequence(Trace());
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().what, "no device work");
}

using Sequence = std::vector<std::uint32_t>;

constexpr std::size_t kFunctions = 40;

void append(Sequence& to, const Sequence& more) { to.insert(to.end(), more.begin(), more.end()); }

// Six functions that run once, then 30 layers of nine functions, then four that run once: 280.
Sequence layered_cycle(std::size_t layers = 30) {
  Sequence cycle = {0, 1, 2, 3, 4, 5};
  for (std::size_t layer = 0; layer < layers; ++layer) {
    append(cycle, {10, 11, 12, 13, 11, 14, 10, 15, 16});
  }
  append(cycle, {20, 21, 22, 23});
  return cycle;
}

TEST(CyclePeriodTest, of_equal_matches_the_shortest_is_the_period) {
  Sequence sequence;
  for (int i = 0; i < 12; ++i) append(sequence, layered_cycle());
  const SequencePeriods periods = find_periods(sequence, kFunctions);
  ASSERT_TRUE(periods.cycle);
  EXPECT_EQ(periods.cycle->kernels, 280u);
  EXPECT_EQ(periods.cycle->match, 1);
}

TEST(CyclePeriodTest, a_period_that_misses_functions_is_the_inner_one) {
  Sequence sequence;
  for (int i = 0; i < 12; ++i) append(sequence, layered_cycle());
  const SequencePeriods periods = find_periods(sequence, kFunctions);
  ASSERT_TRUE(periods.inner);
  EXPECT_EQ(periods.inner->kernels, 9u);
  // 10 of 280 elements are in no layer, and each of these 10 breaks a pair; so does the last layer.
  EXPECT_GT(periods.inner->match, 0.9);
  EXPECT_LT(periods.inner->match, 1);
}

TEST(CyclePeriodTest, an_inner_period_that_matches_better_is_still_not_the_cycle) {
  // Some cycles lack their beginning or end, which shifts everything after them.
  Sequence sequence;
  for (int i = 0; i < 12; ++i) {
    const Sequence cycle = layered_cycle();
    append(sequence, i == 4 ? Sequence(cycle.begin() + 6, cycle.end()) : cycle);
  }
  const SequencePeriods periods = find_periods(sequence, kFunctions);
  ASSERT_TRUE(periods.cycle);
  ASSERT_TRUE(periods.inner);
  EXPECT_EQ(periods.cycle->kernels, 280u);
  EXPECT_EQ(periods.inner->kernels, 9u);
  EXPECT_GT(periods.inner->match, periods.cycle->match);
}

TEST(CyclePeriodTest, a_beginning_in_the_middle_of_a_cycle_does_no_harm) {
  const Sequence cycle = layered_cycle();
  Sequence sequence(cycle.begin() + 133, cycle.end());
  for (int i = 0; i < 6; ++i) append(sequence, cycle);
  const SequencePeriods periods = find_periods(sequence, kFunctions);
  ASSERT_TRUE(periods.cycle);
  EXPECT_EQ(periods.cycle->kernels, 280u);
}

TEST(CyclePeriodTest, cycles_of_ever_other_length_have_no_period) {
  Sequence sequence;
  for (std::size_t i = 0; i < 12; ++i) append(sequence, layered_cycle(10 + 7 * i * i % 23));
  EXPECT_FALSE(find_periods(sequence, kFunctions).cycle);
}

TEST(CyclePeriodTest, disorder_has_no_period) {
  Sequence sequence;
  std::uint32_t state = 7;
  for (int i = 0; i < 3000; ++i) {
    state = state * 1664525u + 1013904223u;
    sequence.push_back((state >> 16) % kFunctions);
  }
  const SequencePeriods periods = find_periods(sequence, kFunctions);
  EXPECT_FALSE(periods.cycle);
  EXPECT_FALSE(periods.inner);
}

TEST(CyclePeriodTest, one_function_over_and_over_repeats_at_once) {
  const SequencePeriods periods = find_periods(Sequence(1000, 0), 1);
  ASSERT_TRUE(periods.cycle);
  EXPECT_EQ(periods.cycle->kernels, 1u);
}

TEST(CyclePeriodTest, three_turns_are_too_few_and_so_is_nothing) {
  Sequence sequence;
  for (int i = 0; i < 3; ++i) append(sequence, layered_cycle());
  EXPECT_FALSE(find_periods(Sequence(sequence.begin(), sequence.end() - 1), kFunctions).cycle);
  EXPECT_FALSE(find_periods({}, 0).cycle);
  EXPECT_FALSE(find_periods(Sequence{0, 1, 0}, 2).cycle);
}

TEST(SureCyclesTest, they_are_those_of_the_search) {
  Stream stream;
  stream.layers(6).run("sample");
  for (int i = 0; i < 5; ++i) stream.cycle().pause(20_us);
  const Trace trace = stream.trace();
  const CycleList searched = cut(trace);
  const std::optional<CycleList> sure = find_sure_cycles(trace);
  ASSERT_TRUE(sure);
  EXPECT_EQ(searched.confidence, CycleConfidence::kHigh);
  EXPECT_EQ(sure->confidence, CycleConfidence::kHigh);
  EXPECT_EQ(sure->method, CycleMethod::kKernelSequence);
  EXPECT_EQ(sure->marker, searched.marker);
  EXPECT_EQ(starts_of(*sure), starts_of(searched));
}

TEST(SureCyclesTest, a_kernel_that_recurs_in_changing_company_is_not_enough) {
  // "mark" comes evenly in time, but what runs between is different every time.
  Stream stream;
  for (int i = 0; i < 6; ++i) {
    stream.run("mark");
    for (int k = 0; k < 4; ++k) stream.run("k" + std::to_string((i * i + k * (i + 1)) % 7));
  }
  EXPECT_FALSE(find_sure_cycles(stream.trace()));
}

TEST(SureCyclesTest, without_device_work_there_are_none) {
  EXPECT_FALSE(find_sure_cycles(Sketch().slice("op", kOp, 0_us, 9_us).trace()));
}

TEST(SureCyclesTest, a_period_is_the_shortest_after_which_the_sequence_repeats) {
  std::vector<std::uint32_t> functions;
  for (int i = 0; i < 8; ++i) functions.insert(functions.end(), {0, 1, 2});
  const auto repeats = [&](std::size_t period) {
    return repeats_after(functions, 3, std::vector<std::size_t>{period});
  };
  EXPECT_TRUE(repeats(3));
  EXPECT_FALSE(repeats(4));
  EXPECT_FALSE(repeats(6)) << "twice the period";
  EXPECT_FALSE(repeats(12)) << "seen only twice";
  EXPECT_FALSE(repeats(0));
}

}  // namespace

}  // namespace strobe::analysis

#include "strobe/analysis/cycles/found_steps.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

// Every 100 us: embed, four layers, sample; ten kernels in 75 us.
Sketch turns_of_a_loop(int turns) {
  Sketch sketch;
  sketch.stream(0, 7);
  for (int turn = 0; turn < turns; ++turn) {
    std::int64_t at_ns = 100_us * turn;
    const auto run = [&](std::string_view name, std::int64_t duration_ns) {
      sketch.slice(name, kKernel, at_ns, duration_ns);
      at_ns += duration_ns;
    };
    run("embed", 5_us);
    for (int layer = 0; layer < 4; ++layer) {
      run("gemm", 10_us);
      run("norm", 6_us);
    }
    run("sample", 6_us);
  }
  return sketch;
}

TEST(FoundStepsTest, whole_cycles_take_the_place_of_steps) {
  const Trace trace = turns_of_a_loop(6).trace();
  std::optional<FoundCycles> found;
  const std::vector<Step> steps = steps_or_cycles(trace, found);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->method, "kernel sequence");
  EXPECT_EQ(found->marker, "embed");
  ASSERT_EQ(steps.size(), 5u) << "nobody knows where the last one ends";
  EXPECT_EQ(steps[0].interval, (Interval{0_us, 100_us}));
  EXPECT_EQ(steps[4].interval, (Interval{400_us, 500_us}));
  EXPECT_EQ(name_of(trace, steps[4]), "cycle 5");
  EXPECT_FALSE(steps[0].process.valid());
}

TEST(FoundStepsTest, marked_steps_come_first) {
  Sketch sketch = turns_of_a_loop(6);
  sketch.thread(1).slice("Step#7", SliceKind::kStep, 0_us, 600_us);
  const Trace trace = sketch.trace();
  std::optional<FoundCycles> found = FoundCycles{};
  EXPECT_EQ(steps_or_cycles(trace, found).size(), 1u);
  EXPECT_FALSE(found);
}

TEST(FoundStepsTest, three_turns_are_too_few) {
  std::optional<FoundCycles> found;
  EXPECT_TRUE(steps_or_cycles(turns_of_a_loop(3).trace(), found).empty());
  EXPECT_FALSE(found);
  EXPECT_EQ(steps_or_cycles(turns_of_a_loop(4).trace(), found).size(), 3u);
}

TEST(FoundStepsTest, kernels_without_rhythm_are_no_steps) {
  Sketch sketch;
  sketch.stream(0, 7);
  std::int64_t at_ns = 0;
  for (const int others : {1, 12, 1, 12, 1, 12}) {
    for (int i = 0; i <= others; ++i) {
      sketch.slice(i == 0 ? "mark" : "gemm", kKernel, at_ns, 2_us);
      at_ns += 3_us;
    }
  }
  std::optional<FoundCycles> found;
  EXPECT_TRUE(steps_or_cycles(sketch.trace(), found).empty());
  EXPECT_FALSE(found);
}

TEST(FoundStepsTest, cycles_are_chosen_by_the_number_in_their_names) {
  const Trace trace = turns_of_a_loop(6).trace();
  const auto chosen = find_steps(trace, {2, 3});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->first, 1u);
  EXPECT_EQ(chosen->last, 2u);
  const auto refused = find_steps(trace, {9, 9});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().hint, "the trace has steps 1 to 5");
}

TEST(FoundStepsTest, a_trace_without_steps_and_cycles_has_none_to_choose_from) {
  const auto found = find_steps(Sketch().trace(), {0, 0});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "the trace has no steps to choose from");
}

}  // namespace
}  // namespace strobe::analysis

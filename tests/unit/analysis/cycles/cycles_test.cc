#include "strobe/analysis/cycles/cycles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::HasSubstr;
using namespace strobe::literals;

Trace two_steps() {
  return Sketch()
      .thread(1)
      .slice("loop", SliceKind::kAnnotation, 0, 100_us)
      .slice("ProfilerStep#1", SliceKind::kStep, 10_us, 40_us)
      .slice("ProfilerStep#2", SliceKind::kStep, 50_us, 40_us)
      .trace();
}

TEST(CyclesTest, step_annotations_are_taken_before_anything_is_guessed) {
  const Result<CycleList> list = find_cycles(two_steps());
  ASSERT_TRUE(list);
  EXPECT_EQ(list->method, CycleMethod::kSteps);
  EXPECT_EQ(list->cycles.size(), 2u);
}

TEST(CyclesTest, a_marker_is_taken_instead_if_the_user_names_one) {
  const Result<CycleList> list =
      find_cycles(two_steps(), {.method = CycleMethod::kMarker, .marker = "loop"});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->method, CycleMethod::kMarker);
  EXPECT_EQ(list->cycles.size(), 1u);
}

TEST(CyclesTest, the_whole_trace_can_be_the_only_cycle) {
  const Result<CycleList> list =
      find_cycles(two_steps(), {.method = CycleMethod::kWholeTrace, .marker = ""});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->method, CycleMethod::kWholeTrace);
  EXPECT_EQ(list->confidence, CycleConfidence::kLow);
  ASSERT_EQ(list->cycles.size(), 1u);
  EXPECT_EQ(list->cycles[0].interval, (Interval{0, 100_us}));
  EXPECT_FALSE(find_cycles(Trace(), {.method = CycleMethod::kWholeTrace, .marker = ""}));
}

TEST(CyclesTest, cycles_of_two_sizes_get_types) {
  Sketch sketch;
  sketch.thread(1);
  std::int64_t at_ns = 0;
  for (int i = 0; i < 8; ++i) {
    const std::int64_t duration_ns = i % 4 == 0 ? 400_us : 50_us;
    sketch.slice("ProfilerStep#" + std::to_string(i), SliceKind::kStep, at_ns, duration_ns);
    at_ns += duration_ns;
  }
  const Result<CycleList> list = find_cycles(sketch.trace());
  ASSERT_TRUE(list);
  EXPECT_EQ(list->cycles[0].type, CycleType::kLong);
  EXPECT_EQ(list->cycles[1].type, CycleType::kShort);
}

TEST(CyclesTest, where_nothing_repeats_the_error_says_what_was_tried_and_how_to_help) {
  const Result<CycleList> list =
      find_cycles(Sketch().thread(1).slice("once", SliceKind::kOperator, 0, 10_us).trace());
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code, ErrorCode::kTooLittleData);
  EXPECT_THAT(list.error().what, HasSubstr("no step annotations"));
  EXPECT_THAT(list.error().hint, HasSubstr("--cycle marker=REGEX"));
  EXPECT_THAT(list.error().hint, HasSubstr("--cycle none"));
  const Result<CycleList> only_steps =
      find_cycles(Trace(), {.method = CycleMethod::kSteps, .marker = ""});
  ASSERT_FALSE(only_steps);
  EXPECT_EQ(only_steps.error().what, "no step annotations");
  EXPECT_THAT(only_steps.error().hint, HasSubstr("--cycle none"));
}

// One loop that every method can find: ranges of the host, kernels in their order, and pauses.
Trace loop_at(std::int64_t shift_ns, std::int64_t factor) {
  Sketch sketch;
  const std::int64_t jitter_ns[] = {0, 30_us, -20_us, 10_us, 40_us, -30_us, 20_us, -10_us};
  for (std::int64_t turn = 0; turn < 8; ++turn) {
    const std::int64_t start_ns = turn * 1_ms + 50_us + jitter_ns[turn];
    const auto at = [&](std::int64_t time_ns) { return shift_ns + factor * (start_ns + time_ns); };
    sketch.thread(1)
        .slice("ProfilerStep#" + std::to_string(turn), SliceKind::kStep, at(0), factor * 900_us)
        .thread(2)
        .slice("turn", SliceKind::kOperator, at(0), factor * 880_us);
    sketch.stream(0, 7).slice("embed", SliceKind::kKernel, at(100_us), factor * 5_us);
    for (std::int64_t layer = 0; layer < 20; ++layer) {
      sketch.slice("norm", SliceKind::kKernel, at(110_us + layer * 20_us), factor * 8_us)
          .slice("gemm", SliceKind::kKernel, at(120_us + layer * 20_us), factor * 9_us);
    }
    sketch.slice("sample", SliceKind::kKernel, at(510_us), factor * 5_us);
  }
  return sketch.trace();
}

constexpr CycleMethod kAllMethods[] = {CycleMethod::kMarker,     CycleMethod::kSteps,
                                       CycleMethod::kHostFrame,  CycleMethod::kKernelSequence,
                                       CycleMethod::kBusySignal, CycleMethod::kWholeTrace};

TEST(CyclesTest, shifting_and_stretching_time_shifts_and_stretches_the_cycles) {
  for (const CycleMethod method : kAllMethods) {
    const CycleOptions options{.method = method, .marker = "^turn$"};
    const Result<CycleList> plain = find_cycles(loop_at(0, 1), options);
    ASSERT_TRUE(plain) << word_of(method) << plain.error().what;
    EXPECT_EQ(plain->cycles.size(), method == CycleMethod::kWholeTrace ? 1u : 8u)
        << word_of(method);
    for (const auto& [shift_ns, factor] :
         {std::pair(-7'777'777'777_ns * 1000, 1_ns), std::pair(1'794'705'356'409'313'507_ns, 1_ns),
          std::pair(0_ns, 3_ns)}) {
      const Result<CycleList> moved = find_cycles(loop_at(shift_ns, factor), options);
      ASSERT_TRUE(moved) << word_of(method) << moved.error().what;
      EXPECT_EQ(moved->marker, plain->marker);
      EXPECT_EQ(moved->confidence, plain->confidence);
      ASSERT_EQ(moved->cycles.size(), plain->cycles.size()) << word_of(method);
      for (std::size_t i = 0; i < plain->cycles.size(); ++i) {
        const Cycle& before = plain->cycles[i];
        const Cycle& after = moved->cycles[i];
        EXPECT_EQ(after.interval.start_ns, shift_ns + factor * before.interval.start_ns)
            << word_of(method);
        EXPECT_EQ(after.interval.end_ns, shift_ns + factor * before.interval.end_ns)
            << word_of(method);
        EXPECT_EQ(after.name, before.name);
        EXPECT_EQ(after.type, before.type);
        EXPECT_EQ(after.has_inferred_border, before.has_inferred_border);
      }
    }
  }
}

TEST(CyclesTest, every_method_and_type_has_its_word) {
  EXPECT_EQ(word_of(CycleMethod::kMarker), "marker");
  EXPECT_EQ(word_of(CycleMethod::kSteps), "step annotations");
  EXPECT_EQ(word_of(CycleMethod::kHostFrame), "recurring host range");
  EXPECT_EQ(word_of(CycleMethod::kKernelSequence), "kernel sequence");
  EXPECT_EQ(word_of(CycleMethod::kBusySignal), "rhythm of the device");
  EXPECT_EQ(word_of(CycleMethod::kWholeTrace), "whole trace");
  EXPECT_EQ(word_of(CycleType::kStep), "step");
  EXPECT_EQ(word_of(CycleType::kShort), "short (decode)");
  EXPECT_EQ(word_of(CycleType::kLong), "long (prefill)");
}

}  // namespace
}  // namespace strobe::analysis

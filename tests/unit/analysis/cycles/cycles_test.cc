#include "strobe/analysis/cycles/cycles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "strobe/analysis/cycles/cycle_methods.h"
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

TEST(CycleWordsTest, every_way_to_cut_a_run_has_its_word) {
  for (const auto& [word, method] :
       {std::pair("steps", CycleMethod::kSteps), std::pair("Frame", CycleMethod::kHostFrame),
        std::pair("kernels", CycleMethod::kKernelSequence),
        std::pair("BUSY", CycleMethod::kBusySignal), std::pair("none", CycleMethod::kWholeTrace)}) {
    const auto options = parse_cycle_options("--cycle", word);
    ASSERT_TRUE(options) << word;
    EXPECT_EQ(options->method, method) << word;
  }
}

TEST(CycleWordsTest, without_a_word_the_first_way_that_works_is_taken) {
  for (const char* word : {"", "auto", "Auto"}) {
    const auto options = parse_cycle_options("--cycle", word);
    ASSERT_TRUE(options);
    EXPECT_FALSE(options->method.has_value());
  }
}

TEST(CycleWordsTest, a_marker_is_a_pattern_that_can_be_read) {
  const auto options = parse_cycle_options("cycle", "marker=^decode (\\d+)$");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->method, CycleMethod::kMarker);
  EXPECT_EQ(options->marker, "^decode (\\d+)$");
  for (const char* wrong : {"marker=", "marker=("}) {
    const auto refused = parse_cycle_options("cycle", wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(refused.error().where, "cycle");
  }
}

TEST(CycleWordsTest, an_unknown_word_is_answered_with_those_there_are) {
  const auto refused = parse_cycle_options("--cycle", "step");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "'step' is not one of auto, marker=REGEX, steps, frame, kernels, busy, none");
  for (const std::string_view word : cycle_words()) {
    EXPECT_TRUE(parse_cycle_options("--cycle", word)) << word;
  }
}

using ::testing::Each;
using ::testing::ElementsAre;

constexpr CycleType kStep = CycleType::kStep;
constexpr CycleType kShort = CycleType::kShort;
constexpr CycleType kLong = CycleType::kLong;

std::vector<Cycle> cycles_lasting(const std::vector<std::int64_t>& durations_ns) {
  std::vector<Cycle> cycles;
  std::int64_t at_ns = 0;
  for (const std::int64_t duration_ns : durations_ns) {
    Cycle cycle;
    cycle.interval = {at_ns, at_ns + duration_ns};
    at_ns += duration_ns;
    cycles.push_back(cycle);
  }
  return cycles;
}

std::vector<CycleType> types_of(std::vector<Cycle> cycles) {
  tell_types_apart(cycles);
  std::vector<CycleType> types;
  for (const Cycle& cycle : cycles) types.push_back(cycle.type);
  return types;
}

TEST(CycleTypesTest, two_sizes_of_cycles_are_two_types) {
  EXPECT_THAT(types_of(cycles_lasting({100, 1000, 110, 105, 900, 95})),
              ElementsAre(kShort, kLong, kShort, kShort, kLong, kShort));
}

TEST(CycleTypesTest, one_long_cycle_is_an_accident) {
  EXPECT_THAT(types_of(cycles_lasting({100, 1000, 110, 105, 95})), Each(kStep));
}

TEST(CycleTypesTest, sizes_less_than_three_times_apart_are_one_type) {
  EXPECT_THAT(types_of(cycles_lasting({100, 100, 100, 290, 290})), Each(kStep));
  EXPECT_THAT(types_of(cycles_lasting({100, 100, 100, 310, 310})),
              ElementsAre(kShort, kShort, kShort, kLong, kLong));
}

TEST(CycleTypesTest, equal_and_few_cycles_are_one_type) {
  EXPECT_THAT(types_of(cycles_lasting({100, 100, 100, 100})), Each(kStep));
  EXPECT_THAT(types_of(cycles_lasting({100, 900})), Each(kStep));
  EXPECT_THAT(types_of({}), ElementsAre());
}

TEST(CycleTypesTest, cycles_cut_by_the_trace_do_not_decide_but_are_decided_on) {
  std::vector<Cycle> cycles = cycles_lasting({10, 100, 105, 95, 102, 12});
  cycles.front().has_inferred_border = true;
  cycles.back().has_inferred_border = true;
  EXPECT_THAT(types_of(cycles), Each(kStep));
  cycles = cycles_lasting({90, 100, 1050, 95, 1020, 800});
  cycles.front().has_inferred_border = true;
  cycles.back().has_inferred_border = true;
  EXPECT_THAT(types_of(cycles), ElementsAre(kShort, kShort, kLong, kShort, kLong, kLong));
}

}  // namespace

}  // namespace strobe::analysis

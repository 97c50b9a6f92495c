#include "strobe/analysis/cycles/cycle_words.h"

#include <gtest/gtest.h>

#include <utility>

namespace strobe::analysis {
namespace {

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

}  // namespace
}  // namespace strobe::analysis

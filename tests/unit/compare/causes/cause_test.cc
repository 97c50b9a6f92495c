#include "strobe/compare/causes/cause.h"

#include <set>

#include <gtest/gtest.h>

namespace strobe::compare {
namespace {

TEST(CauseWords, every_kind_has_a_word_of_its_own_that_a_flag_can_take) {
  std::set<std::string_view> words;
  for (int kind = 0; kind <= static_cast<int>(CauseKind::kUnattributed); ++kind) {
    const std::string_view word = word_of(static_cast<CauseKind>(kind));
    EXPECT_TRUE(words.insert(word).second) << word;
    EXPECT_EQ(word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos)
        << word;
    EXPECT_FALSE(sentence_of(static_cast<CauseKind>(kind)).empty());
  }
}

TEST(CauseWords, words_stand_beside_their_own_kinds) {
  EXPECT_EQ(word_of(CauseKind::kClockDrop), "clock");
  EXPECT_EQ(word_of(CauseKind::kPcie), "pcie");
  EXPECT_EQ(word_of(CauseKind::kMeasurement), "measurement");
  EXPECT_EQ(word_of(CauseKind::kUnattributed), "unattributed");
  EXPECT_EQ(sentence_of(CauseKind::kStraggler), "one rank keeps the others waiting");
}

TEST(CauseScores, what_is_confident_is_also_listed) {
  EXPECT_LT(kListedScore, kConfidentScore);
  EXPECT_LT(kConfidentScore, 1);
}

}  // namespace
}  // namespace strobe::compare

#include "strobe/base/exec_words.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ExecWords, ours_stand_in_the_place_of_those_of_the_same_name) {
  setenv("STROBE_TEST_WORD", "old", 1);
  setenv("STROBE_TEST_WORDS", "kept", 1);
  const auto words = environment_with({{"STROBE_TEST_WORD", "new"}, {"STROBE_TEST_MORE", "a=b"}});
  EXPECT_THAT(words, Contains("STROBE_TEST_WORD=new"));
  EXPECT_THAT(words, Contains("STROBE_TEST_MORE=a=b"));
  EXPECT_THAT(words, Contains("STROBE_TEST_WORDS=kept"));
  EXPECT_THAT(words, Not(Contains("STROBE_TEST_WORD=old")));
}

TEST(ExecWords, an_empty_value_takes_a_variable_away) {
  setenv("STROBE_TEST_WORD", "old", 1);
  EXPECT_THAT(environment_with({{"STROBE_TEST_WORD", ""}}),
              Not(Contains(StartsWith("STROBE_TEST_WORD="))));
}

TEST(ExecWords, pointers_end_with_a_null) {
  std::vector<std::string> words = {"ls", "-l"};
  const std::vector<char*> pointers = pointers_to(words);
  ASSERT_EQ(pointers.size(), 3u);
  EXPECT_STREQ(pointers[0], "ls");
  EXPECT_STREQ(pointers[1], "-l");
  EXPECT_EQ(pointers[2], nullptr);
}

}  // namespace
}  // namespace strobe

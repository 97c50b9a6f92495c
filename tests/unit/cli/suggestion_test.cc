#include "strobe/cli/suggestion.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace strobe::cli {
namespace {

const std::vector<std::string_view> kFlags = {"--format", "--filter", "--views", "--top",
                                              "--thread-sep"};

TEST(SuggestionTest, swapped_neighbours_cost_one) {
  EXPECT_EQ(nearest("--fromat", kFlags), "--format");
}

TEST(SuggestionTest, a_missing_letter_and_other_case_are_forgiven) {
  EXPECT_EQ(nearest("--VEWS", kFlags), "--views");
}

TEST(SuggestionTest, the_beginning_of_a_long_word_is_enough) {
  EXPECT_EQ(nearest("--thread", kFlags), "--thread-sep");
}

TEST(SuggestionTest, dashes_inside_a_word_do_not_count) {
  EXPECT_EQ(nearest("GPUTot", std::vector<std::string_view>{"cpu-total", "gpu-total"}),
            "gpu-total");
}

TEST(SuggestionTest, nothing_is_better_than_a_wild_guess) {
  EXPECT_EQ(nearest("--zzzzzz", kFlags), "");
  EXPECT_EQ(nearest("", kFlags), "");
  EXPECT_EQ(nearest("x", std::vector<std::string_view>{"y"}), "");
  EXPECT_EQ(nearest(std::string(10'000'000, 'f'), kFlags), "");
}

TEST(SuggestionTest, a_refused_word_lists_what_is_accepted) {
  const Error error = not_one_of("--unit", "mss", std::vector<std::string_view>{"s", "ms", "us"});
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.where, "--unit");
  EXPECT_EQ(error.what, "'mss' is not one of s, ms, us");
  EXPECT_EQ(error.hint, "did you mean 'ms'?");
}

}  // namespace
}  // namespace strobe::cli

#include "strobe/cli/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

using ::testing::ElementsAre;

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

const std::vector<std::string> kDevices = {"RTX3090", "A100", "A100-RTX3090"};

TEST(BenchNames, a_whole_name_is_itself_even_where_others_begin_so) {
  EXPECT_EQ(resolve_name("--device", "A100", kDevices).value(), "A100");
  EXPECT_EQ(resolve_name("--device", "a100", kDevices).value(), "A100");
}

TEST(BenchNames, a_beginning_is_enough_if_only_one_begins_so) {
  EXPECT_EQ(resolve_name("--device", "RTX", kDevices).value(), "RTX3090");
  EXPECT_EQ(resolve_name("--device", "A100-", kDevices).value(), "A100-RTX3090");
}

TEST(BenchNames, a_beginning_of_several_names_is_answered_with_them) {
  const auto name = resolve_name("--device", "A1", kDevices);
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(name.error().what, "'A1' matches several names");
  EXPECT_EQ(name.error().hint, "there are A100, A100-RTX3090");
}

TEST(BenchNames, a_name_that_is_not_there_is_answered_with_all_there_are) {
  const auto name = resolve_name("--device", "H200", kDevices);
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().what, "'H200' is not in this file");
  EXPECT_EQ(name.error().where, "--device");
  EXPECT_EQ(name.error().hint, "there are RTX3090, A100, A100-RTX3090");
}

TEST(BenchNames, of_a_list_each_is_resolved_in_order) {
  EXPECT_THAT(resolve_names("--device", {"A100", "R"}, kDevices).value(),
              ElementsAre("A100", "RTX3090"));
  EXPECT_FALSE(resolve_names("--device", {"A100", "x"}, kDevices));
}

}  // namespace
}  // namespace strobe::cli

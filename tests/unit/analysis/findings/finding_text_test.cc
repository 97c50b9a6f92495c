#include "strobe/analysis/findings/finding_text.h"

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

TEST(FindingTextTest, times_have_three_digits_and_their_unit) {
  EXPECT_EQ(time_text(0), "0 ns");
  EXPECT_EQ(time_text(999), "999 ns");
  EXPECT_EQ(time_text(1'856), "1.86 us");
  EXPECT_EQ(time_text(999'700), "1.00 ms");
  EXPECT_EQ(time_text(94'240'000), "94.2 ms");
  EXPECT_EQ(time_text(942'000'000), "942 ms");
  EXPECT_EQ(time_text(3'393'563'374), "3.39 s");
}

TEST(FindingTextTest, shares_are_percent_and_factors_times) {
  EXPECT_EQ(share_text(0.0963), "9.6 %");
  EXPECT_EQ(times_text(1.84), "1.8 times");
}

TEST(FindingTextTest, long_names_are_cut_but_never_inside_a_letter) {
  EXPECT_EQ(short_name("gemm"), "gemm");
  EXPECT_EQ(short_name(std::string(48, 'x')), std::string(48, 'x'));
  EXPECT_EQ(short_name(std::string(60, 'x')), std::string(48, 'x') + "...");
  EXPECT_EQ(short_name(std::string(47, 'x') + "\xC3\xA9" + "tail"), std::string(47, 'x') + "...");
}

TEST(FindingTextTest, long_names_of_code_lose_templates_and_namespaces_first) {
  EXPECT_EQ(short_name(
                "void at::native::(anonymous namespace)::softmax_kernel<2, c10::Half, float>(int)"),
            "softmax_kernel<...>");
  EXPECT_EQ(short_name("a::b<4>"), "a::b<4>");
}

TEST(FindingTextTest, places_go_without_their_wrapping) {
  EXPECT_EQ(place_text("Place(gpu:0)"), "gpu:0");
  EXPECT_EQ(place_text("pinned"), "pinned");
}

}  // namespace
}  // namespace strobe::analysis

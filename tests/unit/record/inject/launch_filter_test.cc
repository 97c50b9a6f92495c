#include "strobe/record/inject/launch_filter.h"

#include <gtest/gtest.h>

namespace strobe::record {
namespace {

TEST(LaunchFilter, without_a_wish_everything_is_wanted) {
  LaunchFilter filter;
  ASSERT_TRUE(filter.configure({}));
  EXPECT_TRUE(filter.wants(0, "k"));
  EXPECT_TRUE(filter.wants(1'000'000, "(graph)"));
}

TEST(LaunchFilter, names_are_matched_as_people_write_them) {
  Settings settings;
  settings.kernel_pattern = "copy\\(float4|gemm$";
  LaunchFilter filter;
  ASSERT_TRUE(filter.configure(settings));
  EXPECT_TRUE(filter.wants(0, "_Z6k_copyPK6float4"));  // k_copy(float4 const*)
  EXPECT_TRUE(filter.wants(0, "_Z6k_copyPK6float4"));  // from memory
  EXPECT_TRUE(filter.wants(0, "ampere_gemm"));
  EXPECT_FALSE(filter.wants(0, "gemm_ampere"));
}

TEST(LaunchFilter, number_and_name_must_both_fit) {
  Settings settings;
  settings.kernel_pattern = "gemm";
  settings.first_launch = 2;
  settings.last_launch = 3;
  LaunchFilter filter;
  ASSERT_TRUE(filter.configure(settings));
  EXPECT_FALSE(filter.wants(1, "gemm"));
  EXPECT_TRUE(filter.wants(2, "gemm"));
  EXPECT_TRUE(filter.wants(3, "gemm"));
  EXPECT_FALSE(filter.wants(3, "copy"));
  EXPECT_FALSE(filter.wants(4, "gemm"));
}

TEST(LaunchFilter, a_pattern_that_is_none_is_refused) {
  Settings settings;
  settings.kernel_pattern = "gemm(";
  LaunchFilter filter;
  EXPECT_FALSE(filter.configure(settings));
}

}  // namespace
}  // namespace strobe::record

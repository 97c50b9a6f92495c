#include "strobe/record/inject/launch_filter.h"

#include <gtest/gtest.h>

namespace strobe::record {
namespace {

TEST(LaunchFilter, without_a_wish_everything_is_wanted) {
  LaunchFilter filter;
  ASSERT_EQ(filter.configure({}), "");
  EXPECT_TRUE(filter.wants(0, "k"));
  EXPECT_TRUE(filter.wants(1'000'000, "(graph)"));
  EXPECT_FALSE(filter.isolates("k"));
}

TEST(LaunchFilter, isolated_kernels_are_chosen_by_a_name_of_their_own) {
  Settings settings;
  settings.kernel_pattern = "copy|gemm";
  settings.isolated_pattern = "^k_copy\\(";
  LaunchFilter filter;
  ASSERT_EQ(filter.configure(settings), "");
  EXPECT_TRUE(filter.isolates("_Z6k_copyPK6float4"));
  EXPECT_FALSE(filter.isolates("gemm"));
  EXPECT_TRUE(filter.wants(0, "gemm"));
}

TEST(LaunchFilter, number_and_name_must_both_fit) {
  Settings settings;
  settings.kernel_pattern = "gemm";
  settings.first_launch = 2;
  settings.last_launch = 3;
  LaunchFilter filter;
  ASSERT_EQ(filter.configure(settings), "");
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
  EXPECT_EQ(filter.configure(settings), "gemm(");
}

}  // namespace
}  // namespace strobe::record

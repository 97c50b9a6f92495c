#include "strobe/record/inject/launch_filter.h"

#include <limits>
#include <utility>

#include <gtest/gtest.h>

namespace strobe::record {
namespace {

TEST(NamePattern, names_are_matched_as_people_write_them) {
  NamePattern pattern;
  ASSERT_TRUE(pattern.set("copy\\(float4|gemm$"));
  EXPECT_TRUE(pattern.is_set());
  EXPECT_TRUE(pattern.matches("_Z6k_copyPK6float4"));  // k_copy(float4 const*)
  EXPECT_TRUE(pattern.matches("_Z6k_copyPK6float4"));  // from memory
  EXPECT_TRUE(pattern.matches("ampere_gemm"));
  EXPECT_FALSE(pattern.matches("gemm_ampere"));
}

TEST(NamePattern, nothing_is_no_pattern) {
  NamePattern pattern;
  EXPECT_TRUE(pattern.set(""));
  EXPECT_FALSE(pattern.is_set());
}

TEST(NamePattern, what_is_no_expression_is_refused) {
  NamePattern pattern;
  EXPECT_FALSE(pattern.set("gemm("));
  EXPECT_FALSE(pattern.is_set());
}

}  // namespace

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

namespace {

const LaunchKind kGemm = kind_of_launch("gemm", {132, 1, 1});
const LaunchKind kGather = kind_of_launch("gather", {2048, 1, 1});
const LaunchKind kNorm = kind_of_launch("norm", {2048, 1, 1});

// Launches of another kind, with unknown duration.
void let_pass(Isolation& isolation, int launches) {
  for (int i = 0; i < launches; ++i) {
    EXPECT_FALSE(isolation.is_due(kind_of_launch("other", {1, 1, 1})));
  }
}

Isolation one_that_has_seen(double gemm_ns, double gather_ns) {
  Isolation isolation;
  let_pass(isolation, 32);
  isolation.learn(kGemm, gemm_ns);
  isolation.learn(kGather, gather_ns);
  return isolation;
}

TEST(Isolation, a_short_launch_right_behind_a_long_one_is_set_apart) {
  Isolation isolation = one_that_has_seen(50'000, 5'000);
  EXPECT_FALSE(isolation.is_due(kGemm));
  EXPECT_TRUE(isolation.is_due(kGather));
  let_pass(isolation, 32);
  EXPECT_FALSE(isolation.is_due(kGather));  // after another kernel: a pair never seen
}

TEST(Isolation, what_stands_behind_one_kind_may_come_behind_long_and_short_ones_of_it) {
  // The same product with another depth, at another place.
  Isolation isolation = one_that_has_seen(50'000, 5'000);
  isolation.learn(kGemm, 9'000);
  isolation.learn(kNorm, 5'000);
  EXPECT_FALSE(isolation.is_due(kGemm));
  EXPECT_FALSE(isolation.is_due(kNorm));
  EXPECT_FALSE(isolation.is_due(kGemm));
  EXPECT_TRUE(isolation.is_due(kGather));
}

TEST(Isolation, nothing_is_set_apart_before_its_time_is_known) {
  Isolation isolation;
  let_pass(isolation, 32);
  isolation.learn(kGemm, 50'000);
  EXPECT_FALSE(isolation.is_due(kGemm));
  EXPECT_FALSE(isolation.is_due(kGather));
}

TEST(Isolation, launches_that_are_not_short_stay_together) {
  Isolation isolation = one_that_has_seen(400'000, 25'000);
  EXPECT_FALSE(isolation.is_due(kGemm));
  EXPECT_FALSE(isolation.is_due(kGather));
}

TEST(Isolation, the_less_a_launch_stands_in_shadow_the_rarer_it_is_set_apart) {
  for (const auto& [gemm_ns, expected] :
       {std::pair{60'000, 40}, {50'000, 40}, {25'000, 10}, {10'000, 1}, {5'000, 0}}) {
    Isolation isolation = one_that_has_seen(gemm_ns, 5'000);
    int apart = 0;
    for (int i = 0; i < 40; ++i) {
      let_pass(isolation, 14);
      EXPECT_FALSE(isolation.is_due(kGemm));
      apart += isolation.is_due(kGather) ? 1 : 0;
    }
    EXPECT_EQ(apart, expected) << gemm_ns;
  }
}

TEST(Isolation, no_more_than_one_launch_in_sixteen) {
  Isolation isolation;
  isolation.learn(kGemm, 50'000);
  isolation.learn(kGather, 5'000);
  int apart = 0;
  for (int i = 0; i < 80; ++i) {
    EXPECT_FALSE(isolation.is_due(kGemm));
    apart += isolation.is_due(kGather) ? 1 : 0;
  }
  EXPECT_EQ(apart, 10);
}

TEST(Isolation, a_time_that_is_no_number_teaches_nothing_of_either_neighbour) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double unknown : {kNan, 0.0}) {
    Isolation isolation = one_that_has_seen(unknown, 5'000);
    EXPECT_FALSE(isolation.is_due(kGemm));
    EXPECT_FALSE(isolation.is_due(kGather));
    isolation = one_that_has_seen(50'000, unknown);
    EXPECT_FALSE(isolation.is_due(kGemm));
    EXPECT_FALSE(isolation.is_due(kGather));
  }
}

TEST(Isolation, another_grid_is_another_kind) {
  EXPECT_NE(kind_of_launch("k", {1, 2, 3}), kind_of_launch("k", {3, 2, 1}));
  EXPECT_NE(kind_of_launch("k", {1, 2, 3}), kind_of_launch("j", {1, 2, 3}));
  EXPECT_EQ(kind_of_launch("k", {1, 2, 3}), kind_of_launch("k", {1, 2, 3}));
}

}  // namespace

}  // namespace strobe::record

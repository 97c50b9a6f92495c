#include "strobe/bench/judge/identities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;

RatioGrid table(std::string device, std::string baseline, std::string contender, GridMetric metric,
                double value) {
  return {.version = "v",
          .device = std::move(device),
          .case_id = "softmax",
          .baseline = std::move(baseline),
          .contender = std::move(contender),
          .metric = metric,
          .cells = {{.dim0 = 8, .dim1 = 16, .value = value}}};
}

RatioGrids two_devices(double contender_gain) {
  constexpr auto kRatio = GridMetric::kRelativePerformance;
  constexpr auto kGain = GridMetric::kDeviceSpeedup;
  RatioGrids grids;
  grids.grids = {table("A", "eager", "fused", kRatio, 300),
                 table("B", "eager", "fused", kRatio, 200),
                 table("A-B", "eager@B", "eager@A", kGain, 160),
                 table("A-B", "fused@B", "fused@A", kGain, contender_gain)};
  return grids;
}

TEST(Identities, two_providers_on_two_devices_must_fit_together) {
  const auto checks = check_identities(two_devices(240));
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].law, "G(fused) = G(eager) P(A) / P(B)");
  EXPECT_EQ(checks[0].cells, 1u);
  EXPECT_NEAR(checks[0].worst, 0, 1e-12);
  EXPECT_EQ(checks[0].worst_cell, "softmax 8x16");
  EXPECT_TRUE(checks[0].violations.empty());
}

TEST(Identities, what_rounding_explains_is_no_violation_and_more_is) {
  EXPECT_TRUE(check_identities(two_devices(240.01))[0].violations.empty());
  const auto checks = check_identities(two_devices(241));
  EXPECT_THAT(checks[0].violations, ElementsAre("softmax 8x16: 241.00 % against 240.00 %"));
  EXPECT_NEAR(checks[0].worst, 1.0 / 240, 1e-12);
}

TEST(Identities, three_providers_form_a_ring) {
  constexpr auto kRatio = GridMetric::kRelativePerformance;
  RatioGrids grids;
  grids.grids = {table("A", "eager", "triton", kRatio, 50),
                 table("A", "triton", "flash2", kRatio, 800),
                 table("A", "eager", "flash2", kRatio, 400)};
  auto checks = check_identities(grids);
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].law, "flash2/eager = flash2/triton x triton/eager");
  EXPECT_TRUE(checks[0].violations.empty());
  grids.grids[2].cells[0].value = 500;
  EXPECT_THAT(check_identities(grids)[0].violations,
              ElementsAre("A softmax 8x16: 500.00 % against 400.00 %"));
}

TEST(Identities, an_incomplete_cell_is_not_checked) {
  RatioGrids grids = two_devices(500);
  grids.grids[0].cells[0].value.reset();
  grids.grids[0].cells[0].status = CellStatus::kOom;
  const auto checks = check_identities(grids);
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].cells, 0u);
}

TEST(Identities, tables_of_different_cases_are_not_mixed) {
  RatioGrids grids = two_devices(500);
  grids.grids[3].case_id = "layernorm";
  EXPECT_TRUE(check_identities(grids).empty());
}

}  // namespace
}  // namespace strobe::bench

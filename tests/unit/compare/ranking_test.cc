#include "strobe/compare/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace strobe::compare {
namespace {

using ::testing::ElementsAre;

FunctionRow row_with(const std::string& name, double difference, double z, double z_floored) {
  FunctionRow row;
  row.key = {name, FunctionKind::kKernel, "GPU 0"};
  row.beta.abnormal.mean = difference;
  row.beta.z = z;
  row.beta.z_floored = z_floored;
  return row;
}

TripletRow triplet_of(std::size_t function, const std::string& metric, double z_log) {
  TripletRow row;
  row.function = function;
  row.metric = metric;
  row.log_mu.z = row.log_mu.z_floored = z_log;
  return row;
}

std::vector<std::string> names_of(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const FunctionRow& row : comparison.functions) names.push_back(row.key.name);
  return names;
}

// |-2| * (|-100| + |-5|) = 210; floored and capped 2 * (30 + 5) = 70.
TEST(RankingTest, a_function_is_as_suspicious_as_its_worst_metric) {
  Comparison comparison;
  comparison.functions = {row_with("a", -2, -100, -40), row_with("b", 1, 3, 2)};
  comparison.triplets = {triplet_of(0, "clock", -5), triplet_of(0, "power", 1)};
  score_rows(comparison);
  EXPECT_DOUBLE_EQ(comparison.triplets[0].suspicion, 210);
  EXPECT_DOUBLE_EQ(comparison.triplets[0].robust, 70);
  EXPECT_DOUBLE_EQ(comparison.functions[0].suspicion, 210);
  EXPECT_DOUBLE_EQ(comparison.functions[0].robust, 70);
  EXPECT_DOUBLE_EQ(comparison.functions[1].suspicion, 3);
}

TEST(RankingTest, each_key_has_its_own_order_and_triplets_follow_their_function) {
  Comparison comparison;
  comparison.functions = {row_with("a", 1, 100, 1), row_with("b", 2, 1, 5), row_with("c", 3, 1, 1)};
  comparison.functions[0].ms.abnormal.mean = 1;
  comparison.functions[1].ms.abnormal.mean = 2;
  comparison.functions[2].ms.abnormal.mean = -3;
  comparison.functions[0].beta.q = std::nan("");
  comparison.functions[1].beta.q = 0.5;
  comparison.functions[2].beta.q = 0.01;
  comparison.triplets = {triplet_of(1, "clock", 0)};
  score_rows(comparison);
  sort_rows(comparison, RankKey::kRobust);
  EXPECT_THAT(names_of(comparison), ElementsAre("b", "c", "a"));
  EXPECT_EQ(comparison.functions[comparison.triplets[0].function].key.name, "b");
  sort_rows(comparison, RankKey::kSuspicion);
  EXPECT_THAT(names_of(comparison), ElementsAre("a", "c", "b"));
  sort_rows(comparison, RankKey::kImpact);
  EXPECT_THAT(names_of(comparison), ElementsAre("c", "b", "a"));
  sort_rows(comparison, RankKey::kQ);
  EXPECT_THAT(names_of(comparison), ElementsAre("c", "b", "a"));
  EXPECT_EQ(comparison.functions[comparison.triplets[0].function].key.name, "b");
}

TEST(RankingTest, ties_go_by_function_then_metric) {
  Comparison comparison;
  comparison.functions = {row_with("b", 1, 1, 1), row_with("a", 1, 1, 1), row_with("B", 1, 1, 1)};
  comparison.triplets = {triplet_of(0, "y", 0), triplet_of(0, "x", 0), triplet_of(1, "y", 0)};
  score_rows(comparison);
  sort_rows(comparison, RankKey::kSuspicion);
  EXPECT_THAT(names_of(comparison), ElementsAre("B", "a", "b")) << "by bytes";
  std::vector<std::string> triplets;
  for (const TripletRow& row : comparison.triplets) {
    triplets.push_back(comparison.functions[row.function].key.name + row.metric);
  }
  EXPECT_THAT(triplets, ElementsAre("ay", "bx", "by"));
}

}  // namespace
}  // namespace strobe::compare

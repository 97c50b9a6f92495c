#include "strobe/record/metric_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace strobe::record {
namespace {

using ::testing::Contains;
using ::testing::ElementsAreArray;
using ::testing::SizeIs;

TEST(MetricSets, every_set_has_the_time_and_no_metric_twice) {
  for (const MetricSet& set : metric_sets()) {
    EXPECT_THAT(set.metrics, Contains("gpu__time_duration.sum")) << set.name;
    const std::set<std::string_view> different(set.metrics.begin(), set.metrics.end());
    EXPECT_EQ(different.size(), set.metrics.size()) << set.name;
  }
}

TEST(MetricSets, the_calls_of_a_benchmark_count_its_whole_set) {
  std::vector<std::string> counted;
  for (const auto& pass : bench_passes()) counted.insert(counted.end(), pass.begin(), pass.end());
  EXPECT_THAT(counted, ElementsAreArray(find_metric_set("bench")->metrics));
}

TEST(MetricSets, sets_are_found_by_name) {
  ASSERT_NE(find_metric_set("seed"), nullptr);
  EXPECT_THAT(find_metric_set("seed")->metrics, SizeIs(3));
  EXPECT_THAT(find_metric_set("default")->metrics, SizeIs(10));
  EXPECT_EQ(find_metric_set("sead"), nullptr);
}

}  // namespace
}  // namespace strobe::record

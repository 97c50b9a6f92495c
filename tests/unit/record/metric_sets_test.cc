#include "strobe/record/metric_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace strobe::record {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAreArray;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(MetricSets, every_set_has_the_time_and_no_metric_twice) {
  for (const MetricSet& set : metric_sets()) {
    EXPECT_THAT(set.metrics, Contains("gpu__time_duration.sum")) << set.name;
    const std::set<std::string_view> different(set.metrics.begin(), set.metrics.end());
    EXPECT_EQ(different.size(), set.metrics.size()) << set.name;
  }
}

TEST(MetricSets, the_calls_of_a_benchmark_count_its_whole_set_and_then_the_matrix_pipe) {
  std::vector<std::string> counted;
  for (const auto& part : bench_parts()) counted.insert(counted.end(), part.begin(), part.end());
  const std::vector<std::string_view>& set = find_metric_set("bench")->metrics;
  ASSERT_GT(counted.size(), set.size());
  const auto rest = counted.begin() + static_cast<std::ptrdiff_t>(set.size());
  EXPECT_THAT(std::vector(counted.begin(), rest), ElementsAreArray(set));
  EXPECT_THAT(std::vector(rest, counted.end()),
              Each(AnyOf("gpu__time_duration.sum", StartsWith("sm__ops_path_tensor_src_"))));
}

TEST(MetricSets, the_full_set_has_those_of_three_others) {
  const std::vector<std::string_view>& full = find_metric_set("full")->metrics;
  for (const char* const name : {"default", "l2", "f32"}) {
    for (const std::string_view metric : find_metric_set(name)->metrics) {
      EXPECT_THAT(full, Contains(metric)) << name;
    }
  }
}

TEST(MetricSets, sets_are_found_by_name) {
  ASSERT_NE(find_metric_set("classic"), nullptr);
  EXPECT_THAT(find_metric_set("classic")->metrics, SizeIs(3));
  EXPECT_EQ(find_metric_set("seed"), find_metric_set("classic"));  // its name in earlier versions
  EXPECT_THAT(find_metric_set("default")->metrics, SizeIs(10));
  EXPECT_EQ(find_metric_set("sead"), nullptr);
}

}  // namespace
}  // namespace strobe::record

#include "strobe/record/metric_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "strobe/record/metric_sets.h"

// Uses the real library, which needs no GPU to know its chips.
namespace strobe::record {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> metrics_of(std::string_view set) {
  const MetricSet* found = find_metric_set(set);
  return {found->metrics.begin(), found->metrics.end()};
}

// Why the library cannot be used here; "" if it can.
std::string why_not() {
  const auto chips = known_chips();
  return chips ? "" : chips.error().what;
}

class MetricQuery : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
  }
};

class MetricQueryOfChip : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
    ASSERT_THAT(*known_chips(), Contains(GetParam()));
  }
};

TEST_P(MetricQueryOfChip, every_set_is_known) {
  for (const MetricSet& set : metric_sets()) {
    const Result<MetricPlan> plan = plan_metrics(GetParam(), metrics_of(set.name));
    ASSERT_TRUE(plan) << plan.error().what;
    EXPECT_THAT(plan->unknown, IsEmpty()) << set.name;
    EXPECT_GE(plan->passes, 1u) << set.name;
  }
}

TEST_P(MetricQueryOfChip, what_is_said_of_the_passes_is_true) {
  EXPECT_EQ(plan_metrics(GetParam(), metrics_of("default"))->passes, 1u);
  EXPECT_EQ(plan_metrics(GetParam(), metrics_of("classic"))->passes, 1u);
  EXPECT_EQ(plan_metrics(GetParam(), metrics_of("l2"))->passes, 2u);
  EXPECT_EQ(plan_metrics(GetParam(), metrics_of("f32"))->passes, 2u);
  EXPECT_GE(plan_metrics(GetParam(), metrics_of("full"))->passes, 8u);
}

bool is_of_matrix_pipe(const std::string& metric) { return metric.starts_with("sm__ops_path"); }

TEST_P(MetricQueryOfChip, every_part_of_a_benchmarks_traffic_is_one_pass_and_none_is_too_many) {
  std::size_t parts = 0;
  for (const std::vector<std::string>& part : bench_parts()) {
    if (std::ranges::any_of(part, is_of_matrix_pipe)) continue;
    EXPECT_EQ(plan_metrics(GetParam(), part)->passes, 1u) << part.front();
    ++parts;
  }
  EXPECT_EQ(plan_metrics(GetParam(), metrics_of("bench"))->passes, parts);
}

TEST_P(MetricQueryOfChip, the_matrix_pipe_is_counted_for_every_type_in_two_passes_at_most) {
  std::set<std::string> types;
  for (const std::vector<std::string>& part : bench_parts()) {
    if (std::ranges::none_of(part, is_of_matrix_pipe)) continue;
    const Result<MetricPlan> plan = plan_metrics(GetParam(), part);
    EXPECT_LE(plan->passes, 2u) << part.back();
    for (const std::string& metric : part) {
      if (!is_of_matrix_pipe(metric) || std::ranges::count(plan->unknown, metric) != 0) continue;
      types.insert(metric.substr(std::strlen("sm__ops_path_tensor_src_"), std::strlen("bf16")));
    }
  }
  EXPECT_THAT(types, ElementsAre("bf16", "fp16", "tf32"));
}

INSTANTIATE_TEST_SUITE_P(Chips, MetricQueryOfChip,
                         ::testing::Values("GA100", "GA102", "GH100", "GB100"),
                         [](const auto& chip) { return chip.param; });

TEST_F(MetricQuery, an_unknown_metric_is_named_and_the_others_are_planned) {
  const Result<MetricPlan> plan =
      plan_metrics("GH100", {"gpu__time_duration.sum", "no__such_metric.sum"});
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_THAT(plan->unknown, ElementsAre("no__such_metric.sum"));
  EXPECT_EQ(plan->passes, 1u);
}

TEST_F(MetricQuery, if_all_are_unknown_there_is_nothing_to_run) {
  const Result<MetricPlan> plan = plan_metrics("GH100", {"no__such_metric.sum"});
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_EQ(plan->passes, 0u);
}

TEST_F(MetricQuery, an_unknown_chip_is_refused) {
  EXPECT_FALSE(plan_metrics("ZZ999", {"gpu__time_duration.sum"}));
}

}  // namespace
}  // namespace strobe::record

#include "strobe/analysis/timeline/metric_labels.h"

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

TEST(MetricLabelsTest, metrics_that_belong_together_share_a_track_and_have_lines) {
  const auto draw = known_metric("gpu_power_mw");
  const auto limit = known_metric("gpu_power_limit_mw");
  ASSERT_TRUE(draw && limit);
  EXPECT_EQ(draw->label.label, limit->label.label);
  EXPECT_NE(draw->label.key, limit->label.key);
  EXPECT_LT(draw->order, limit->order);
}

TEST(MetricLabelsTest, what_explains_most_comes_first_and_is_shown) {
  EXPECT_TRUE(known_metric("gpu_sm_frequency")->label.is_main);
  EXPECT_FALSE(known_metric("gpu_temperature_c")->label.is_main);
  EXPECT_LT(known_metric("gpu_sm_frequency")->order, known_metric("gpu_temperature_c")->order);
}

TEST(MetricLabelsTest, foreign_processes_have_keys_and_other_tools_have_no_labels) {
  EXPECT_TRUE(known_metric("foreign_process_cpu_usage")->label.has_keys);
  EXPECT_FALSE(known_metric("host_cpu_usage")->label.has_keys);
  EXPECT_FALSE(known_metric("GPU Frequency"));
  EXPECT_FALSE(known_metric(""));
}

TEST(MetricLabelsTest, metrics_of_threads_are_known) {
  EXPECT_TRUE(is_thread_metric("waiting_for_core_pct"));
  EXPECT_TRUE(is_thread_metric("core"));
  EXPECT_FALSE(is_thread_metric("process_cpu_usage"));
}

}  // namespace
}  // namespace strobe::analysis

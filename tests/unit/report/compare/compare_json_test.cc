#include "strobe/report/compare/compare_formats.h"

#include <gmock/gmock.h>

#include <limits>

#include "tests/support/comparison_sketch.h"

namespace strobe::report {
namespace {

using compare::Answer;
using compare::CauseKind;
using compare::ComparisonSketch;
using ::testing::HasSubstr;

ComparisonSketch four_cycles() {
  return ComparisonSketch({100, 101, 99, 100}, {110, 111.0625, 109, 110})
      .function("gemm<\"4\">", "GPU 0", {20, 21, 19, 20}, {30, 31, 29, 30})
      .metric("gpu_sm_frequency", {1980, 1980, 1980, 1980}, {990, 990, 990, 990})
      .device("GPU 0", 0.25, 0.5)
      .answer(Answer::kSlower)
      .quality("a \"remark\"");
}

TEST(CompareJsonTest, it_says_what_it_is_and_what_it_found) {
  const std::string json = compare_json(four_cycles().comparison());
  EXPECT_THAT(json,
              ::testing::StartsWith("{\n  \"schema\": \"strobe.compare\",\n  \"version\": 1,\n"));
  EXPECT_THAT(json, HasSubstr("\"answer\": \"slower\""));
  EXPECT_THAT(json, HasSubstr("\"cause\": null"));
  EXPECT_THAT(json, HasSubstr("\"confidence\": \"none\""));
  EXPECT_THAT(json, HasSubstr("a \\\"remark\\\""));
}

TEST(CompareJsonTest, cycles_are_microseconds_in_time_order) {
  EXPECT_THAT(compare_json(four_cycles().comparison()),
              HasSubstr("\"abnormal\": [110000,111062.5,109000,110000]"));
}

TEST(CompareJsonTest, a_function_is_one_line_with_full_precision) {
  const std::string json = compare_json(four_cycles().comparison());
  EXPECT_THAT(
      json,
      HasSubstr(
          "{\"function\":\"gemm<\\\"4\\\">\",\"device\":\"GPU 0\","
          "\"kind\":\"kernel\",\"rank\":0,\"cycle_type\":\"step\","
          "\"verdict\":\"changed\",\"verdict_text\":\"slower\",\"n_normal\":4,\"n_abnormal\":4,"));
  EXPECT_THAT(json, HasSubstr("\"ms_normal\":20,\"ms_abnormal\":30,"));
  EXPECT_THAT(json, HasSubstr("\"ms_per_cycle_normal\":[20,21,19,20]"));
}

TEST(CompareJsonTest, a_triplet_has_the_keys_of_its_table) {
  const std::string json = compare_json(four_cycles().comparison());
  EXPECT_THAT(json, HasSubstr("\"metric\":\"gpu_sm_frequency\",\"device\":\"GPU 0\","
                              "\"unit\":\"MHz\""));
  EXPECT_THAT(json, HasSubstr("\"mu_normal\":1980,\"mu_abnormal\":990,\"dmu\":-990,"));
}

TEST(CompareJsonTest, idle_causes_and_launches_are_rows_of_their_own) {
  auto sketch = four_cycles();
  compare::IdleCauseRow idle;
  idle.cause = {analysis::IdleKind::kRuntimeCall, "cudaMalloc", "aten::cat"};
  idle.ms =
      compare::change_between(std::vector<double>{1, 1, 1, 1}, std::vector<double>{3, 3, 3, 3});
  sketch.edit().idle = {idle};
  sketch.edit().launches = {{.device = "GPU 0", .rank = 0, .delay_us = idle.ms, .queue = idle.ms}};
  const std::string json = compare_json(sketch.comparison());
  EXPECT_THAT(json, HasSubstr("{\"kind\":\"runtime_call\",\"name\":\"cudaMalloc\","
                              "\"inside\":\"aten::cat\",\"rank\":0,\"changed\":false,\"ms\":{"));
  EXPECT_THAT(json, HasSubstr("{\"device\":\"GPU 0\",\"rank\":0,\"delay_us\":{"));
}

TEST(CompareJsonTest, what_is_no_number_is_null) {
  EXPECT_THAT(compare_json(four_cycles().comparison()), HasSubstr("\"between_runs_p\":null"));
}

TEST(CompareJsonTest, means_without_the_wildest_cycles_have_keys_of_their_own) {
  auto sketch = four_cycles();
  compare::CycleRow& row = sketch.edit().cycles.front();
  row.ms.shift.low = -std::numeric_limits<double>::infinity();
  row.ms.shift.high = std::numeric_limits<double>::infinity();
  row.ms.core_shift = {10, 8, 12.5};
  row.ms.normal_core.mean = 100;
  row.ms.abnormal_core.mean = 110;
  const std::string json = compare_json(sketch.comparison());
  EXPECT_THAT(json, HasSubstr("\"shift_low\":null,\"shift_high\":null,"));
  EXPECT_THAT(json, HasSubstr("\"means_ms\":{\"normal\":100,\"abnormal\":110,\"difference\":10,"
                              "\"low\":8,\"high\":12.5,\"decide\":"));
}

TEST(CompareJsonTest, partial_cycles_count_from_one) {
  auto partial = four_cycles();
  partial.edit().normal.ranks[0].devices[0].is_partial[2] = true;
  EXPECT_THAT(compare_json(partial.comparison()),
              HasSubstr("\"partial_cycles\": {\n    \"normal\": {\n      \"GPU 0\": [3]\n    },\n"
                        "    \"abnormal\": {\n      \"GPU 0\": []\n    }"));
}

TEST(CompareJsonTest, a_cycle_says_where_it_lies_in_its_trace_and_where_it_is_left_out) {
  auto partial = four_cycles();
  compare::RankMeasure& rank = partial.edit().normal.ranks[0];
  rank.origin_ns = 1'000'000;
  rank.cycles.cycles[2].interval = {1'000'700, 1'001'000};
  rank.cycles.cycles[2].name = "step 3";
  rank.devices[0].is_partial[2] = true;
  EXPECT_THAT(compare_json(partial.comparison()),
              HasSubstr("{\"cycle\":3,\"name\":\"step 3\",\"type\":\"step\",\"start_ns\":700,"
                        "\"duration_ns\":300,\"left_out_on\":[\"GPU 0\"]}"));
}

TEST(CompareJsonTest, a_metric_says_whether_it_changed_and_what_tells_so) {
  EXPECT_THAT(compare_json(four_cycles().comparison()),
              HasSubstr("\"rank\":0,\"told_by\":\"busy\",\"changed\":true,"));
}

TEST(CompareJsonTest, a_sample_that_cycles_share_counts_once) {
  auto sketch = four_cycles();
  EXPECT_THAT(compare_json(sketch.comparison()), HasSubstr("\"shares_samples\":false,"));
  compare::MetricRow& row = sketch.edit().metrics.front();
  row.busy_by_sample =
      compare::change_between(std::vector<double>{1980}, std::vector<double>{990, 990});
  row.busy_by_sample->q = std::numeric_limits<double>::quiet_NaN();
  const std::string json = compare_json(sketch.comparison());
  EXPECT_THAT(json, HasSubstr("\"told_by\":\"busy\",\"changed\":false,"));
  EXPECT_THAT(json,
              HasSubstr("\"cycles_normal\":4,\"cycles_abnormal\":4,\"shares_samples\":true,"));
  EXPECT_THAT(json, HasSubstr("\"busy\":{\"n_normal\":1,\"n_abnormal\":2,"));
}

TEST(CompareJsonTest, causes_have_evidence_with_its_rows) {
  auto caused = four_cycles();
  caused.cause(CauseKind::kClockDrop, 0.5, "clock").evidence("seen", "gpu_sm_frequency");
  EXPECT_THAT(compare_json(caused.comparison()),
              HasSubstr("{\"text\":\"seen\",\"function\":\"\",\"metric\":\"gpu_sm_frequency\"}"));
}

}  // namespace
}  // namespace strobe::report

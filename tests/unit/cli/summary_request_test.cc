#include "strobe/cli/summary_request.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

using analysis::SortKey;
using analysis::TimeUnit;
using analysis::View;

Result<SummaryRequest> read_summary(const TypedFlags& flags,
                                    const std::vector<std::string>& traces = {"trace.json"}) {
  return typed_request(summary_flags, complete_summary, traces, flags);
}

SummaryRequest summary_of(const TypedFlags& flags) {
  const Result<SummaryRequest> result = read_summary(flags);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().what);
  return result ? *result : SummaryRequest{};
}

Error refused_summary(const TypedFlags& flags) {
  const Result<SummaryRequest> result = read_summary(flags);
  EXPECT_FALSE(result.has_value());
  return result ? Error{} : result.error();
}

TEST(SummaryRequestTest, without_flags_a_page_has_all_tables_and_ten_rows_each) {
  const SummaryRequest plain = summary_of({});
  EXPECT_TRUE(plain.tables.views.has(View::kPerf));
  EXPECT_TRUE(plain.tables.views.has(View::kMemory));
  EXPECT_EQ(plain.tables.top, 10u);
  EXPECT_EQ(plain.tables.unit, TimeUnit::kMilliseconds);
  EXPECT_FALSE(plain.tables.operator_detail);
  EXPECT_TRUE(summary_of({{"op-detail", "on"}}).tables.operator_detail);
  EXPECT_FALSE(plain.tables.one_unit);
  EXPECT_TRUE(summary_of({{"time-unit", "us"}}).tables.one_unit);
  EXPECT_FALSE(plain.steps.has_value());
}

TEST(SummaryRequestTest, tools_and_paddles_style_get_every_row) {
  EXPECT_EQ(summary_of({{"format", "json"}}).tables.top, 0u);
  EXPECT_EQ(summary_of({{"format", "csv"}}).tables.top, 0u);
  EXPECT_EQ(summary_of({{"style", "paddle"}}).tables.top, 0u);
  EXPECT_EQ(summary_of({{"format", "json"}, {"top", "3"}}).tables.top, 3u);
  EXPECT_EQ(summary_of({{"top", "all"}}).tables.top, 0u);
}

TEST(SummaryRequestTest, paddles_style_leaves_the_timer_out_unless_asked_for) {
  EXPECT_FALSE(summary_of({{"style", "paddle"}}).tables.views.has(View::kPerf));
  EXPECT_TRUE(summary_of({{"style", "paddle"}, {"views", "perf"}}).tables.views.has(View::kPerf));
}

TEST(SummaryRequestTest, the_timer_is_refused_where_it_has_no_table) {
  EXPECT_EQ(refused_summary({{"views", "perf,kernel"}}).what,
            "the table perf exists in Paddle's style only");
  EXPECT_TRUE(summary_of({{"views", "all"}}).tables.views.has(View::kKernel));
}

TEST(SummaryRequestTest, views_have_our_names_and_paddles) {
  const auto views = summary_of({{"views", "kernel,memory-manipulation"}}).tables.views;
  EXPECT_TRUE(views.has(View::kKernel));
  EXPECT_TRUE(views.has(View::kMemoryManipulation));
  EXPECT_FALSE(views.has(View::kMemory));
  EXPECT_FALSE(views.has(View::kOperator));
  const auto paddle =
      summary_of({{"views", "MemoryManipulation,UDF"}, {"views", "Device"}}).tables.views;
  EXPECT_TRUE(paddle.has(View::kMemoryManipulation));
  EXPECT_TRUE(paddle.has(View::kUserRanges));
  EXPECT_TRUE(paddle.has(View::kDevice));
  EXPECT_TRUE(summary_of({{"views", "all"}}).tables.views.has(View::kSteps));
}

TEST(SummaryRequestTest, samples_have_a_view_and_are_on_every_page) {
  EXPECT_TRUE(summary_of({}).tables.views.has(View::kSamples));
  const auto views = summary_of({{"views", "samples"}}).tables.views;
  EXPECT_EQ(views, analysis::ViewSet().with(View::kSamples));
}

TEST(SummaryRequestTest, waits_have_views_of_their_own) {
  const auto views = summary_of({{"views", "idle,runtime,streams"}}).tables.views;
  EXPECT_TRUE(views.has(View::kIdle));
  EXPECT_TRUE(views.has(View::kRuntimeCalls));
  EXPECT_TRUE(views.has(View::kStreams));
  EXPECT_FALSE(views.has(View::kSteps));
}

TEST(SummaryRequestTest, the_name_of_the_output_chooses_the_format_unless_one_is_typed) {
  EXPECT_EQ(summary_of({{"output", "x.json"}}).format, Format::kJson);
  EXPECT_EQ(summary_of({{"output", "x.json"}}).tables.top, 0u);
  EXPECT_EQ(summary_of({{"output", "x.md"}}).format, Format::kMarkdown);
  EXPECT_EQ(summary_of({{"output", "x.json"}, {"format", "csv"}}).format, Format::kCsv);
  EXPECT_EQ(summary_of({{"format", "csv"}, {"output", "x.json"}}).format, Format::kCsv);
  EXPECT_EQ(summary_of({{"output", "x.log"}}).format, Format::kText);
  EXPECT_EQ(summary_of({{"output", "x.tsv"}}).format, Format::kText) << "no format of this verb";
  EXPECT_EQ(refused_summary({{"style", "paddle"}, {"output", "x.html"}}).what,
            "Paddle's style is text only");
}

TEST(SummaryRequestTest, an_unknown_view_suggests_the_nearest) {
  const Error error = refused_summary({{"views", "kernle"}});
  EXPECT_EQ(error.where, "--views");
  EXPECT_EQ(error.hint, "did you mean 'kernel'?");
  EXPECT_EQ(refused_summary({{"views", ","}}).code, ErrorCode::kInvalidArgument);
}

TEST(SummaryRequestTest, sort_keys_have_our_names_and_paddles) {
  EXPECT_EQ(summary_of({{"sort", "gpu-total"}}).tables.sort, SortKey::kDeviceTotal);
  EXPECT_EQ(summary_of({{"sort", "GPUTotal"}}).tables.sort, SortKey::kDeviceTotal);
  EXPECT_EQ(summary_of({{"sort", "CPUAvg"}}).tables.sort, SortKey::kHostAverage);
  EXPECT_EQ(summary_of({{"sort", "cpu_min"}}).tables.sort, SortKey::kHostMin);
  EXPECT_EQ(refused_summary({{"sort", "gpu"}}).where, "--sort");
}

TEST(SummaryRequestTest, a_dash_is_stdin) {
  const Result<SummaryRequest> result = read_summary({}, {"-", "b.json"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->traces[0], "/dev/stdin");
  EXPECT_EQ(result->traces[1], "b.json");
}

TEST(SummaryRequestTest, a_summary_of_nothing_is_refused) {
  const Result<SummaryRequest> result = read_summary({}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "no trace was given");
}

TEST(SummaryRequestTest, paddles_style_is_text_only) {
  EXPECT_EQ(refused_summary({{"style", "paddle"}, {"format", "csv"}}).what,
            "Paddle's style is text only");
}

TEST(SummaryRequestTest, numbers_are_checked) {
  EXPECT_EQ(refused_summary({{"top", "ten"}}).where, "--top");
  EXPECT_EQ(refused_summary({{"rank", "-1"}}).where, "--rank");
  EXPECT_EQ(refused_summary({{"threads", "0"}}).what, "0 is less than 1");
  EXPECT_EQ(summary_of({{"threads", "4"}}).load.threads, 4u);
  EXPECT_EQ(summary_of({{"steps", "2:"}}).steps->first, 2);
}

}  // namespace
}  // namespace strobe::cli

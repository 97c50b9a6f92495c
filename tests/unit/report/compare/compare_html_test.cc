#include "strobe/report/compare/compare_formats.h"

#include <gmock/gmock.h>

#include <limits>

#include "strobe/report/compare/compare_plots.h"
#include "tests/support/comparison_sketch.h"

namespace strobe::report {
namespace {

using compare::Answer;
using compare::ComparisonSketch;
using ::testing::HasSubstr;
using ::testing::Not;

ComparisonSketch slower_run() {
  return ComparisonSketch({100, 101, 99, 100, 102}, {110, 111, 109, 110, 112})
      .function("gemm<float>(a & b)", "GPU 0", {20, 21, 19, 20, 22}, {30, 31, 29, 30, 32})
      .metric("gpu_sm_frequency", {1980, 1981, 1979, 1980, 1980}, {990, 991, 989, 990, 990})
      .function("norm", "GPU 0", {5, 5.1, 4.9, 5, 5.2}, {5.5, 5.6, 5.4, 5.55, 5.7})
      .device("GPU 0", 0.25, 0.35)
      .answer(Answer::kSlower);
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(CompareHtmlTest, one_file_needs_no_other_file_or_server) {
  const std::string html = compare_html(slower_run().comparison(), 0);
  EXPECT_THAT(html, ::testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(html, ::testing::EndsWith("</html>\n"));
  EXPECT_THAT(html, Not(HasSubstr("http://")));
  EXPECT_THAT(html, Not(HasSubstr("https://")));
  EXPECT_THAT(html, Not(HasSubstr("<link")));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(html, HasSubstr("@media print"));
}

TEST(CompareHtmlTest, names_are_text_everywhere) {
  const std::string html = compare_html(slower_run().comparison(), 0);
  EXPECT_THAT(html, HasSubstr("gemm&lt;float&gt;(a &amp; b)"));
  EXPECT_THAT(html, Not(HasSubstr("gemm<float>")));
}

TEST(CompareHtmlTest, the_verdict_and_every_number_stand_there_without_a_script) {
  const std::string html = compare_html(slower_run().comparison(), 0);
  const std::string without_script = html.substr(0, html.find("<script>"));
  EXPECT_THAT(without_script, HasSubstr("<h2>Slower</h2>"));
  EXPECT_THAT(without_script, HasSubstr("<p>The median cycle time rose"));
  EXPECT_THAT(without_script, Not(HasSubstr("Slower: "))) << "the headline says it already";
  EXPECT_THAT(without_script, HasSubstr("data-v=\"10\">+10.0</td>"));
}

TEST(CompareHtmlTest, sorting_is_by_numbers_and_all_rows_are_there_unless_told_otherwise) {
  const std::string all = compare_html(slower_run().comparison(), 0);
  const std::string one = compare_html(slower_run().comparison(), 1);
  const auto rows = [](const std::string& html) {
    return count(html.substr(html.find("class=\"sortable\"")), "<td class=\"name\">");
  };
  EXPECT_EQ(rows(all), 2u);
  EXPECT_EQ(rows(one), 1u);
  EXPECT_THAT(one, HasSubstr("1 more."));
}

TEST(CompareHtmlTest, every_cycle_is_one_mark_of_its_runs_shape) {
  const std::string svg = cycle_plot(slower_run().comparison());
  EXPECT_EQ(count(svg, "<circle"), 5u);
  EXPECT_EQ(count(svg, "<path"), 5u);
  EXPECT_EQ(count(svg, "class=\"interval\""), 1u);
}

double attribute(const std::string& element, const std::string& name) {
  const std::size_t at = element.find(" " + name + "=\"");
  EXPECT_NE(at, std::string::npos) << name << " of " << element;
  return std::stod(element.substr(at + name.size() + 3));
}

std::string element_with(const std::string& svg, const std::string& words) {
  const std::size_t at = svg.find(words);
  EXPECT_NE(at, std::string::npos) << words;
  const std::size_t begin = svg.rfind('<', at);
  return svg.substr(begin, svg.find('>', begin) - begin);
}

TEST(CompareHtmlTest, an_interval_beyond_all_cycles_is_drawn_whole) {
  auto sketch = slower_run();
  stats::Shift& shift = sketch.edit().cycles[0].ms.shift;
  shift.low = 5;
  shift.high = 40;  // up to 140 ms, where no cycle is
  const auto width = [&] {
    return attribute(element_with(cycle_plot(sketch.comparison()), "class=\"interval\""), "width");
  };
  const double whole = width();
  shift.high = 22.5;                                   // half as long
  sketch.edit().cycles[0].ms_abnormal.push_back(140);  // on the same axis
  EXPECT_NEAR(width() / whole, 0.5, 0.01);
}

TEST(CompareHtmlTest, functions_are_drawn_as_pairs_the_changed_ones_first) {
  auto turned = slower_run();
  std::swap(turned.edit().functions[0], turned.edit().functions[1]);
  const std::string svg = function_plot(turned.comparison());
  EXPECT_EQ(count(svg, "class=\"pair\""), 2u);
  EXPECT_LT(svg.find("gemm"), svg.find("norm"));
}

TEST(CompareHtmlTest, without_an_interval_no_box_is_drawn_or_explained) {
  auto sketch = slower_run();
  EXPECT_THAT(compare_html(sketch.comparison(), 0), HasSubstr("the box is the 95 % interval of"));
  compare::CycleRow& row = sketch.edit().cycles[0];
  row.ms.shift.low = -std::numeric_limits<double>::infinity();
  row.ms.shift.high = std::numeric_limits<double>::infinity();
  row.ms.core_shift = row.ms.shift;
  EXPECT_EQ(count(cycle_plot(sketch.comparison()), "class=\"interval\""), 0u);
  const std::string html = compare_html(sketch.comparison(), 0);
  EXPECT_THAT(html, Not(HasSubstr("the box is the 95 % interval of the shift, drawn from")));
  EXPECT_THAT(html, HasSubstr("(no 95 % interval; n = "));
}

TEST(CompareHtmlTest, a_cause_is_a_heading_and_a_function_keeps_its_name) {
  auto sketch = slower_run();
  sketch.cause(compare::CauseKind::kClockDrop, 0.9, "the clock of GPU 0 dropped");
  const std::string html = compare_html(sketch.comparison(), 0);
  EXPECT_THAT(html, HasSubstr("<h3>The clock of GPU 0 dropped (score 0.90)</h3>"));
  EXPECT_THAT(html, HasSubstr("<h3>gemm&lt;float&gt;(a &amp; b) on GPU 0"));
}

TEST(CompareHtmlTest, the_rank_of_a_function_stands_there_only_if_there_are_several) {
  auto sketch = slower_run();
  EXPECT_THAT(compare_html(sketch.comparison(), 0), Not(HasSubstr(">rank</th>")));
  sketch.edit().normal.ranks.push_back(sketch.comparison().normal.ranks.front());
  EXPECT_THAT(compare_html(sketch.comparison(), 0), HasSubstr(">rank</th>"));
}

TEST(CompareHtmlTest, a_partial_cycle_is_hatched_in_the_timeline) {
  auto partial = slower_run();
  EXPECT_EQ(count(timeline_plot(partial.comparison()), "busy partial"), 0u);
  partial.edit().normal.ranks[0].devices[0].is_partial[0] = true;
  const std::string svg = timeline_plot(partial.comparison());
  EXPECT_EQ(count(svg, "busy partial"), 1u);
  EXPECT_EQ(count(svg, "class=\"clock\""), 2u);
}

TEST(CompareHtmlTest, without_a_clock_the_timeline_has_busy_time_only) {
  auto bare = slower_run();
  bare.edit().normal.ranks[0].series.clear();
  bare.edit().abnormal.ranks[0].series.clear();
  const std::string svg = timeline_plot(bare.comparison());
  EXPECT_EQ(count(svg, "class=\"clock\""), 0u);
  EXPECT_EQ(count(svg, "class=\"busy\""), 10u);
}

TEST(CompareHtmlTest, ranks_have_a_picture_where_there_are_several) {
  auto ranks = slower_run();
  EXPECT_EQ(rank_plot(ranks.comparison()), "");
  ranks.function("gemm<float>(a & b)", "GPU 1", {20, 21, 19, 20, 22}, {22, 23, 21, 22, 24}, 1);
  const std::string svg = rank_plot(ranks.comparison());
  EXPECT_THAT(svg, HasSubstr(">1.50</text>"));
  EXPECT_THAT(svg, HasSubstr(">1.10</text>"));
  EXPECT_EQ(count(svg, " sure\""), 1u);
}

TEST(CompareHtmlTest, a_page_says_which_ranks_and_functions_a_picture_shows) {
  auto ranks = slower_run();
  EXPECT_THAT(compare_html(ranks.comparison(), 0), HasSubstr("<h2>Functions</h2>"));
  for (std::int32_t rank = 1; rank < 20; ++rank) {
    ranks.function("norm", "GPU 0", {20, 21, 19, 20, 22}, {22, 23, 21, 22, 24}, rank);
  }
  ranks.edit().normal.ranks.push_back(ranks.comparison().normal.ranks.front());
  const std::string html = compare_html(ranks.comparison(), 0);
  EXPECT_THAT(html, HasSubstr("<h2>The first 20 functions</h2>"));
  EXPECT_THAT(html, HasSubstr("per cycle, on the first 16 of 20 ranks; a frame"));
  EXPECT_THAT(html, HasSubstr("normal (GPU 0 of rank 0)"));
}

TEST(CompareHtmlTest, nothing_to_draw_draws_nothing) {
  const ComparisonSketch bare({100, 101, 99, 100}, {100, 101, 99, 100});
  EXPECT_EQ(function_plot(bare.comparison()), "");
  EXPECT_EQ(timeline_plot(bare.comparison()), "");
}

}  // namespace
}  // namespace strobe::report

#include "strobe/report/bench/run_diff_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

using bench::CellDiff;
using bench::CellVerdict;
using bench::RatioSource;
using ::testing::HasSubstr;
using ::testing::Not;

CellDiff cell(std::int64_t rows, CellVerdict verdict, double ratio) {
  CellDiff diff;
  diff.cell = {"softmax", {{rows, 128}}, bench::DType::kF32, "fused"};
  diff.verdict = verdict;
  diff.before_us = 100;
  diff.after_us = 100 * ratio;
  diff.ratio = ratio;
  diff.ratio_ci95 = {ratio - 0.004, ratio + 0.004};
  diff.source = RatioSource::kSamples;
  diff.q = 0.001;
  return diff;
}

bench::RunDiff six_cells() {
  bench::RunDiff diff;
  diff.cells = {cell(1, CellVerdict::kSame, 1.001),  cell(2, CellVerdict::kUnclear, 1.01),
                cell(3, CellVerdict::kSlower, 1.05), cell(4, CellVerdict::kFaster, 0.9),
                cell(5, CellVerdict::kSlower, 1.2),  cell(6, CellVerdict::kNotComparable, 1)};
  diff.cells[1].reason = "too wide, <really>";
  diff.cells[1].advice = "measure again";
  diff.cells[5].source = RatioSource::kNone;
  diff.cells[5].reason = "ok before, oom after";
  diff.cells[5].before_us = diff.cells[5].after_us = 0;
  diff.cells[5].is_broken = true;
  diff.only_after = 3;
  diff.warnings = {"the drivers differ: 1 before, 2 after"};
  return diff;
}

const RunDiffPage kRunFiles = {.before = "old.json",
                               .after = "new.json",
                               .before_about = "cold",
                               .after_about = "cold",
                               .top = 0};

TEST(RunDiffReport, the_verdict_counts_and_names_the_worst) {
  const Document document = run_diff_document(six_cells(), kRunFiles);
  EXPECT_EQ(document.verdict[0],
            "2 slower, 1 faster, 1 unclear, 1 without a ratio, 1 same of 6 cells; largest change: "
            "softmax "
            "5x128 f32 fused, +20.0 % (+19.6 to +20.4 %).");
  EXPECT_THAT(document.verdict,
              ::testing::Contains("Only in the first run: 0 cells. Only in the second: 3 cells."));
  EXPECT_THAT(document.verdict, ::testing::Contains("1 cell had a time before and has none now."));
}

TEST(RunDiffReport, what_matters_stands_on_top) {
  const Document document = run_diff_document(six_cells(), kRunFiles);
  std::vector<std::string> shapes;
  for (const Section& section : document.sections) {
    if (section.key != "cells") continue;
    for (const Row& row : section.table.rows) shapes.push_back(std::get<Text>(row.cells[1]).text);
  }
  EXPECT_THAT(shapes, ::testing::ElementsAre("5x128", "3x128", "4x128", "6x128", "2x128", "1x128"));
}

TEST(RunDiffReport, a_short_page_says_what_it_left_out) {
  RunDiffPage page = kRunFiles;
  page.top = 3;
  const std::string text = render_text(run_diff_document(six_cells(), page), {.width = 100});
  EXPECT_THAT(text, HasSubstr("3 more, 1 of them the same"));
  EXPECT_THAT(text, HasSubstr("About the measurement"));
}

TEST(RunDiffReport, reasons_and_advice_stand_below) {
  const std::string text = render_text(run_diff_document(six_cells(), kRunFiles), {.width = 120});
  EXPECT_THAT(text, HasSubstr("softmax 2x128 f32 fused: too wide, <really>; measure again."));
}

TEST(RunDiffReport, tools_get_every_cell_in_the_order_of_the_run) {
  simdjson::dom::parser parser;
  const simdjson::padded_string json(run_diff_json(six_cells(), kRunFiles));
  const simdjson::dom::element root = parser.parse(json);
  EXPECT_EQ(root["schema"].get_string().value(), "strobe.bench.compare");
  EXPECT_EQ(root["counts"]["slower"].get_uint64().value(), 2u);
  EXPECT_EQ(root["counts"]["only_after"].get_uint64().value(), 3u);
  EXPECT_EQ(root["cells"].at(2)["verdict"].get_string().value(), "slower");
  EXPECT_EQ(root["cells"].at(2)["ci95_from"].get_string().value(), "samples");
  EXPECT_EQ(root["cells"].at(5)["ratio"].error(), simdjson::NO_SUCH_FIELD);
  EXPECT_TRUE(root["cells"].at(5)["broken"].get_bool().value());
}

TEST(RunDiffReport, a_line_of_csv_has_as_many_fields_as_its_header) {
  const std::string csv = run_diff_csv(six_cells());
  std::size_t commas = 15;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < csv.size();) {
    const std::size_t end = csv.find('\n', at);
    std::string line = csv.substr(at, end - at);
    bool is_quoted = false;
    std::size_t seen = 0;
    for (const char letter : line) {
      if (letter == '"') is_quoted = !is_quoted;
      seen += letter == ',' && !is_quoted;
    }
    EXPECT_EQ(seen, commas) << line;
    ++lines;
    at = end + 1;
  }
  EXPECT_EQ(lines, 7u);
}

TEST(RunDiffReport, a_page_of_html_shows_and_does_not_obey) {
  const std::string html = run_diff_html(six_cells(), kRunFiles);
  EXPECT_THAT(html, HasSubstr("2 slower, 1 faster"));
  EXPECT_THAT(html, HasSubstr("&lt;really&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("<really>")));
}

}  // namespace
}  // namespace strobe::report

#include "strobe/report/bench/bench_render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "strobe/report/bench/grid_tables.h"

namespace strobe::report {
namespace {

using bench::CellStatus;
using ::testing::HasSubstr;
using ::testing::Not;

// One cell of each kind.
BenchPage small_page() {
  const bench::RatioGrid grid = {
      .version = "v3",
      .device = "A<100>",
      .case_id = "softmax",
      .baseline = "eager",
      .contender = "inductor",
      .cells = {{.dim0 = 8, .dim1 = 8, .value = 250},
                {.dim0 = 8, .dim1 = 16, .value = 50},
                {.dim0 = 16, .dim1 = 8, .value = 100.03, .ran_same_kernels = true},
                {.dim0 = 16, .dim1 = 16, .value = 900, .status = CellStatus::kWrong},
                {.dim0 = 32, .dim1 = 8, .status = CellStatus::kOomPredicted},
                {.dim0 = 32, .dim1 = 16, .status = CellStatus::kMissing}}};
  BenchPage page;
  page.title = "strobe bench: x";
  page.tables = {grid_table(grid, "")};
  page.tables[0].warnings = {"look here"};
  page.remarks = {"line 3: odd"};
  bench::IdentityCheck check;
  check.law = "a = b";
  check.violations = {"c"};
  page.identities = {check};
  return page;
}

TEST(BenchText, numbers_stand_below_each_other_with_their_marks) {
  const std::string text = bench_text(small_page(), {});
  EXPECT_THAT(text, HasSubstr("dim0 \\ dim1         8         16\n"
                              "          8   250.00%     50.00%\n"
                              "         16  =100.03%  ~900.00%~\n"
                              "         32      OOM*        n/a\n"));
  EXPECT_THAT(text, HasSubstr("! look here\n"));
  EXPECT_THAT(text, HasSubstr("! a = b: 0 cells checked"));
  EXPECT_THAT(text, HasSubstr("  line 3: odd\n"));
}

BenchPage flagged_page() {
  BenchTable table;
  table.key = "flags";
  table.corner = "case";
  table.columns = {{"flags", "flags", true}, {"us", "time"}};
  table.rows = {{"a", {{.text = "≈ floor", .word = "near_floor"}, {.text = "1 us", .value = 1}}},
                {"b", {{.text = "plainly"}, {.text = "2 us", .value = 2}}}};
  BenchPage page;
  page.tables = {table};
  return page;
}

TEST(BenchText, columns_are_counted_in_characters) {
  EXPECT_THAT(bench_text(flagged_page(), {.width = 100, .color = false, .unicode = true}),
              HasSubstr("case  flags    time\n"
                        "a     ≈ floor  1 us\n"
                        "b     plainly  2 us\n"));
}

TEST(BenchText, a_terminal_without_the_sign_has_another) {
  EXPECT_THAT(bench_text(flagged_page(), {.width = 100, .color = false, .unicode = false}),
              HasSubstr("a     ~ floor  1 us\n"));
}

TEST(BenchMarkdown, columns_are_counted_in_characters) {
  EXPECT_THAT(bench_markdown(flagged_page()), HasSubstr("| a      | ≈ floor |"));
}

TEST(BenchJson, tools_get_the_names_of_files) {
  EXPECT_THAT(bench_json(flagged_page()), HasSubstr("\"near_floor\""));
  EXPECT_THAT(bench_csv(flagged_page()), HasSubstr("a,near_floor,1\n"));
}

TEST(BenchJson, cells_of_a_list_have_their_shape) {
  const bench::RatioGrid grid = {
      .version = "",
      .device = "",
      .case_id = "conv_relu",
      .baseline = "eager",
      .contender = "cudnn",
      .cells = {{.dim0 = 1, .value = 120, .shape = {{32, 56, 56, 64, 64, 3, 1}}}},
      .is_list = true};
  BenchPage page;
  page.tables = {grid_table(grid, "")};
  simdjson::dom::parser parser;
  const simdjson::padded_string json(bench_json(page));
  simdjson::dom::element cell = parser.parse(json)["tables"].at(0)["grids"].at(0)["cells"].at(0);
  EXPECT_EQ(cell["shape"].get_array().size(), 7u);
  EXPECT_EQ(std::int64_t(cell["shape"].at(3)), 64);
}

TEST(BenchText, colours_come_only_where_they_are_wanted) {
  EXPECT_THAT(bench_text(small_page(), {}), Not(HasSubstr("\033")));
  const std::string text = bench_text(small_page(), {.width = 100, .color = true, .unicode = true});
  EXPECT_THAT(text, HasSubstr("\033[36m250.00%\033[0m"));
  EXPECT_THAT(text, HasSubstr("\033[33m50.00%\033[0m"));
}

TEST(BenchMarkdown, wrong_values_are_struck_out) {
  const std::string text = bench_markdown(small_page());
  EXPECT_THAT(text, HasSubstr("| =100.03% | ~~900.00%~~ |"));
  EXPECT_THAT(text, HasSubstr("- **look here**\n"));
}

TEST(BenchTsv, a_single_table_has_nothing_around_it) {
  EXPECT_EQ(bench_tsv(small_page()),
            "dim0 \\ dim1\t8\t16\n8\t250.00%\t50.00%\n16\t=100.03%\t~900.00%~\n32\tOOM*\tn/a\n");
}

TEST(BenchTsv, several_tables_have_their_titles) {
  BenchPage page = small_page();
  page.tables.push_back(page.tables[0]);
  EXPECT_THAT(bench_tsv(page), HasSubstr("32\tOOM*\tn/a\n\nsoftmax, inductor / eager: relative"));
}

TEST(BenchCsv, tables_of_ratios_have_the_columns_that_are_read_back) {
  const std::string csv = bench_csv(small_page());
  const auto grids = bench::parse_ratio_grids(csv, "x");
  ASSERT_TRUE(grids) << grids.error().what;
  EXPECT_TRUE(grids->remarks.empty());
  const auto& cells = grids->grids.at(0).cells;
  EXPECT_EQ(cells[0].value, 250);
  EXPECT_TRUE(cells[2].ran_same_kernels);
  EXPECT_EQ(cells[3].status, CellStatus::kWrong);
  EXPECT_EQ(cells[3].value, 900);
  EXPECT_EQ(cells[4].status, CellStatus::kOomPredicted);
}

TEST(BenchCsv, a_list_of_cells_is_a_table_of_plain_numbers) {
  BenchPage page;
  BenchTable table;
  table.key = "times";
  table.corner = "case";
  table.columns = {{"provider", "provider", true}, {"us", "time"}, {"peak", "peak"}};
  table.rows = {{"a,b", {{.text = "x"}, {.text = "2.50 us", .value = 2.5}, {.text = "-"}}}};
  page.tables = {table};
  EXPECT_EQ(bench_csv(page), "case,provider,us,peak\n\"a,b\",x,2.5,\n");
  page.tables.push_back(table);
  EXPECT_THAT(bench_csv(page), HasSubstr("# times\ncase,"));
}

TEST(BenchJson, it_parses_and_has_values_beside_texts) {
  simdjson::dom::parser parser;
  const simdjson::padded_string json(bench_json(small_page()));
  simdjson::dom::element page = parser.parse(json);
  EXPECT_EQ(std::string_view(page["schema"]), "strobe.bench_tables");
  simdjson::dom::element table = page["tables"].at(0);
  EXPECT_EQ(double(table["rows"].at(0)["cells"].at(0)["value"]), 250);
  EXPECT_EQ(std::string_view(table["rows"].at(1)["cells"].at(1)["mark"]), "wrong");
  simdjson::dom::element grid = table["grids"].at(0);
  EXPECT_NEAR(double(grid["geometric_mean"]["value"]), 111.803, 1e-3);
  EXPECT_EQ(std::int64_t(grid["geometric_mean"]["cells"]), 2);
  EXPECT_EQ(std::string_view(grid["cells"].at(4)["status"]), "oom_predicted");
  EXPECT_EQ(std::string_view(page["identities"].at(0)["violations"].at(0)), "c");
}

TEST(BenchHtml, the_heat_map_has_colours_around_one_hundred_and_numbers_in_every_cell) {
  const std::string html = bench_html(small_page());
  EXPECT_THAT(html, HasSubstr("<td class=\"r cold3\" data-v=\"250\">250.00%</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"r warm3\" data-v=\"50\">50.00%</td>"));
  EXPECT_THAT(html, HasSubstr(">=100.03%</td>"));
  EXPECT_THAT(html, HasSubstr("><s>900.00%</s></td>"));
  EXPECT_THAT(html, HasSubstr("OOM*"));
  EXPECT_THAT(html, HasSubstr("class=\"scale\""));
  EXPECT_THAT(html, HasSubstr("look here"));
}

TEST(BenchHtml, names_of_a_file_are_text_and_never_markup) {
  const std::string html = bench_html(small_page());
  EXPECT_THAT(html, HasSubstr("A&lt;100&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("A<100>")));
}

TEST(BenchHtml, figures_stand_behind_the_tables) {
  BenchPage page = small_page();
  page.figures = {{"Roof", "caption", "<svg></svg>"}};
  EXPECT_THAT(bench_html(page), HasSubstr("<figure>\n<h2>Roof</h2>"));
}

}  // namespace
}  // namespace strobe::report

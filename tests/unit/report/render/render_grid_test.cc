#include "strobe/bench/results/foreign_tables.h"
#include "strobe/report/render/document_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "strobe/report/bench/bench_page.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/bench/grid_tables.h"
#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

using bench::CellStatus;
using ::testing::HasSubstr;
using ::testing::Not;

// One cell of each kind.
Document small_page() {
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
  Document page;
  page.title = "strobe bench: x";
  page.sections = {ratio_rows(), grid_table(grid, "")};
  add_ratio_rows(page.sections[0], grid);
  page.sections[1].warnings = {"look here"};
  bench::IdentityCheck check;
  check.law = "a = b";
  check.violations = {"c"};
  end_page(page, {"line 3: odd"}, {check});
  return page;
}

TEST(GridText, numbers_stand_below_each_other_with_their_marks) {
  const std::string text = render_text(small_page(), {});
  EXPECT_THAT(text, HasSubstr("  dim0 \\ dim1         8         16\n"
                              "            8   250.00%     50.00%\n"
                              "           16  =100.03%  ~900.00%~\n"
                              "           32      OOM*        n/a\n"));
  EXPECT_THAT(text, HasSubstr("! look here\n"));
  EXPECT_THAT(text, HasSubstr("! a = b: 0 cells checked"));
  EXPECT_THAT(text, HasSubstr("  line 3: odd\n"));
}

Document flagged_page() {
  Section table =
      list_section("flags", "Flags", "", "case", {{"flags", "flags", true}, {"us", "time"}});
  table.table.rows = {{{Text{"a"}, Measure{.text = "≈ floor", .word = "near_floor"},
                        Measure{.text = "1 us", .value = 1}}},
                      {{Text{"b"}, Text{"plainly"}, Measure{.text = "2 us", .value = 2}}}};
  Document page;
  page.sections = {table};
  return page;
}

TEST(GridText, columns_are_counted_in_characters) {
  EXPECT_THAT(render_text(flagged_page(), {.width = 100, .color = false, .unicode = true}),
              HasSubstr("  case  flags    time\n"
                        "  a     ≈ floor  1 us\n"
                        "  b     plainly  2 us\n"));
}

TEST(GridText, a_terminal_without_the_sign_has_another) {
  EXPECT_THAT(render_text(flagged_page(), {.width = 100, .color = false, .unicode = false}),
              HasSubstr("a     ~ floor  1 us\n"));
}

TEST(GridMarkdown, signs_stay_as_they_are) {
  EXPECT_THAT(render_markdown(flagged_page()), HasSubstr("| a | ≈ floor |"));
}

TEST(GridJson, tools_get_the_names_of_files) {
  EXPECT_THAT(render_json(flagged_page()), HasSubstr("\"near_floor\""));
  EXPECT_THAT(render_csv(flagged_page()), HasSubstr("a,near_floor,1\n"));
}

TEST(GridJson, cells_of_a_list_have_their_shape) {
  const bench::RatioGrid grid = {
      .version = "",
      .device = "",
      .case_id = "conv_relu",
      .baseline = "eager",
      .contender = "cudnn",
      .cells = {{.dim0 = 1, .value = 120, .shape = {{32, 56, 56, 64, 64, 3, 1}}}},
      .is_list = true};
  Document page;
  page.sections = {grid_table(grid, "")};
  simdjson::dom::parser parser;
  const simdjson::padded_string json(render_json(page));
  simdjson::dom::element cell = parser.parse(json)["tables"].at(0)["grids"].at(0)["cells"].at(0);
  EXPECT_EQ(cell["shape"].get_array().size(), 7u);
  EXPECT_EQ(std::int64_t(cell["shape"].at(3)), 64);
}

TEST(GridText, colours_come_only_where_they_are_wanted) {
  EXPECT_THAT(render_text(small_page(), {}), Not(HasSubstr("\033")));
  const std::string text =
      render_text(small_page(), {.width = 100, .color = true, .unicode = true});
  EXPECT_THAT(text, HasSubstr("\033[36m250.00%\033[0m"));
  EXPECT_THAT(text, HasSubstr("\033[33m50.00%\033[0m"));
}

TEST(GridMarkdown, wrong_values_are_struck_out) {
  const std::string text = render_markdown(small_page());
  EXPECT_THAT(text, HasSubstr("| =100.03% | ~~900.00%~~ |"));
  EXPECT_THAT(text, HasSubstr("\n**look here**\n"));
}

TEST(GridTsv, a_single_table_has_nothing_around_it) {
  EXPECT_EQ(render_tsv(small_page()),
            "dim0 \\ dim1\t8\t16\n8\t250.00%\t50.00%\n16\t=100.03%\t~900.00%~\n32\tOOM*\tn/a\n");
}

TEST(GridTsv, several_tables_have_their_titles) {
  Document page = small_page();
  page.sections.push_back(page.sections[1]);
  EXPECT_THAT(render_tsv(page), HasSubstr("32\tOOM*\tn/a\n\nsoftmax, inductor / eager: relative"));
}

TEST(GridCsv, tables_of_ratios_have_the_columns_that_are_read_back) {
  const std::string csv = render_csv(small_page());
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

TEST(GridCsv, a_list_of_cells_is_a_table_of_plain_numbers) {
  Document page;
  Section table = list_section("times", "Times", "", "case",
                               {{"provider", "provider", true}, {"us", "time"}, {"peak", "peak"}});
  table.table.rows = {
      {{Text{"a,b"}, Text{"x"}, Measure{.text = "2.50 us", .value = 2.5}, Absent{}}}};
  page.sections = {table};
  EXPECT_EQ(render_csv(page), "case,provider,us,peak\n\"a,b\",x,2.5,\n");
  page.sections.push_back(table);
  EXPECT_THAT(render_csv(page), HasSubstr("# times\ncase,"));
}

TEST(GridJson, it_parses_and_has_values_beside_texts) {
  simdjson::dom::parser parser;
  const simdjson::padded_string json(render_json(small_page()));
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

TEST(GridHtml, the_heat_map_has_colours_around_one_hundred_and_numbers_in_every_cell) {
  const std::string html = document_html(small_page());
  EXPECT_THAT(html, HasSubstr("<td class=\"r cold3\" data-v=\"250\">250.00%</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"r warm3\" data-v=\"50\">50.00%</td>"));
  EXPECT_THAT(html, HasSubstr(">=100.03%</td>"));
  EXPECT_THAT(html, HasSubstr("><s>900.00%</s></td>"));
  EXPECT_THAT(html, HasSubstr("OOM*"));
  EXPECT_THAT(html, HasSubstr("class=\"scale\""));
  EXPECT_THAT(html, HasSubstr("look here"));
}

TEST(GridHtml, names_of_a_file_are_text_and_never_markup) {
  const std::string html = document_html(small_page());
  EXPECT_THAT(html, HasSubstr("A&lt;100&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("A<100>")));
}

TEST(GridHtml, figures_stand_behind_the_tables) {
  Document page = small_page();
  page.sections.push_back(figure_section("Roof", "caption", "<svg></svg>"));
  EXPECT_THAT(document_html(page), HasSubstr("<figure>\n<h2>Roof</h2>"));
}

}  // namespace
}  // namespace strobe::report

#include "strobe/report/render/document_html.h"

#include <gmock/gmock.h>

#include "tests/unit/report/render/sample_document.h"

namespace strobe::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DocumentHtmlTest, a_table_shows_what_people_see) {
  const std::string page = document_html(sample_document());
  EXPECT_THAT(page, HasSubstr("<h2>Kernels</h2>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"name\">void ns::gemm&lt;4&gt;(int)</td>"));
  EXPECT_THAT(page, HasSubstr("<th class=\"r\">share of kernels</th>"));
  EXPECT_THAT(page, Not(HasSubstr("max_ns")));
}

TEST(DocumentHtmlTest, a_long_name_is_cut_and_opens_on_a_click) {
  const std::string arguments =
      "ns::Functor<float, ns::Loader<4>, ns::Storer<4>, ns::Policy<128>, ns::Layout<8, 16, 32>>";
  Document document;
  Section& section = document.sections.emplace_back();
  section.title = "Kernels";
  section.table.columns = {{"name", "name", ColumnType::kName}};
  const std::vector<std::string> names = {"gemm", "void ns::loop<" + arguments + ">(int)",
                                          "void ns::loop<4>(int)"};
  for (const std::string& name : names) section.table.rows.push_back({{Text{name}}});
  const std::string page = document_html(document);
  EXPECT_THAT(page, HasSubstr("<td class=\"name\">gemm</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"name\">void ns::loop&lt;4&gt;(int)</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"name\"><details><summary>loop&lt;"));
  EXPECT_THAT(page, HasSubstr("ns::Layout&lt;8, 16, 32&gt;&gt;&gt;(int)</details></td>"));
}

TEST(DocumentHtmlTest, nothing_to_say_and_pictures_for_terminals_are_left_out) {
  Document document;
  document.sections.resize(2);
  document.sections[0].title = "title alone";
  document.sections[1].title = "for terminals";
  document.sections[1].picture = {"a <b", "  c"};
  const std::string page = document_html(document);
  EXPECT_THAT(page, Not(HasSubstr("title alone")));
  EXPECT_THAT(page, Not(HasSubstr("for terminals")));
}

TEST(DocumentHtmlTest, a_heat_map_has_a_scale_in_its_own_words) {
  Document document;
  Table& table = document.sections.emplace_back().table;
  table.is_grid = true;
  table.columns = {{"rank", "rank", ColumnType::kText}, {"step_0", "0", ColumnType::kNumber}};
  table.rows.push_back({{Text{"3"}, Measure{.text = "5.00 ms", .percent = 60.0}}});
  EXPECT_THAT(document_html(document), HasSubstr("slower: under 25 %"));
  table.shows_losses = true;
  EXPECT_THAT(document_html(document), HasSubstr("lost: under 2 %"));
  EXPECT_THAT(document_html(document), Not(HasSubstr("slower: under")));
}

TEST(DocumentHtmlTest, a_figure_has_its_title_and_caption) {
  Document document;
  document.sections = {figure_section("T", "how to <read> it", "<svg></svg>\n")};
  EXPECT_THAT(
      document_html(document),
      HasSubstr("<h2>T</h2>\n<svg></svg>\n<figcaption>how to &lt;read&gt; it</figcaption>"));
}

}  // namespace
}  // namespace strobe::report

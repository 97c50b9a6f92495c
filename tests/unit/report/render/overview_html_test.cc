#include "strobe/report/render/overview_html.h"

#include <gmock/gmock.h>

namespace strobe::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Document sketched() {
  Document document;
  document.title = "strobe summary: <b>";
  document.facts = {{"span_ns", "span", Duration{1'500'000}, "from the first slice to the last"}};
  for (const char* headline : {"first", "second", "third", "fourth"}) {
    document.findings.push_back({.code = "x", .headline = headline, .advice = "do less"});
  }
  Section empty;
  empty.title = "Nothing";
  Section section;
  section.title = "Kernels";
  section.table.columns = {{.key = "kernel", .header = "kernel", .type = ColumnType::kName},
                           {.key = "total_ns", .header = "total", .type = ColumnType::kDuration},
                           tool_column("secret", ColumnType::kCount)};
  section.table.rows = {{.cells = {Text{"gemm<f16>"}, Duration{2000}, Count{7}}}};
  Section later = section;
  later.title = "Streams";
  document.sections = {empty, section, later};
  return document;
}

TEST(OverviewHtmlTest, it_is_the_facts_the_first_findings_and_the_first_table) {
  const std::string page = overview_html(sketched());
  EXPECT_THAT(page, HasSubstr("<dt>span</dt><dd>1.50 ms from the first slice to the last</dd>"));
  EXPECT_THAT(page, HasSubstr("third"));
  EXPECT_THAT(page, Not(HasSubstr("fourth")));
  EXPECT_THAT(page, HasSubstr("<caption>Kernels</caption>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"r\">2.00 us</td>"));
  EXPECT_THAT(page, Not(HasSubstr("Streams")));
  EXPECT_THAT(page, Not(HasSubstr("secret")));
}

TEST(OverviewHtmlTest, names_of_a_trace_are_no_markup) {
  const std::string page = overview_html(sketched());
  EXPECT_THAT(page, HasSubstr("gemm&lt;f16&gt;"));
  EXPECT_THAT(page, HasSubstr("strobe summary: &lt;b&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace strobe::report

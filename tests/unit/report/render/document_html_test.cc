#include "strobe/report/render/document_html.h"

#include <gmock/gmock.h>

#include "tests/unit/report/render/sample_document.h"

namespace strobe::report {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(DocumentHtmlTest, a_table_shows_what_people_see) {
  std::string out;
  append_section(out, sample_document().sections[0]);
  EXPECT_THAT(out, HasSubstr("<h2>Kernels</h2>"));
  EXPECT_THAT(out, HasSubstr("<td class=\"name\">void ns::gemm&lt;4&gt;(int)</td>"));
  EXPECT_THAT(out, HasSubstr("<th class=\"r\">share of kernels</th>"));
  EXPECT_THAT(out, Not(HasSubstr("max_ns")));
}

TEST(DocumentHtmlTest, a_picture_of_characters_keeps_its_shape) {
  Section section;
  section.title = "P";
  section.picture = {"a <b", "  c"};
  std::string out;
  append_section(out, section);
  EXPECT_THAT(out, HasSubstr("<pre>a &lt;b\n  c\n</pre>"));
}

TEST(DocumentHtmlTest, nothing_to_say_is_left_out) {
  Section section;
  section.title = "title alone";
  std::string out;
  append_section(out, section);
  append_figure(out, "t", "c", "");
  EXPECT_THAT(out, IsEmpty());
}

}  // namespace
}  // namespace strobe::report

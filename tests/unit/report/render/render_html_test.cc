#include "strobe/report/render/render.h"

#include <gmock/gmock.h>

#include "strobe/report/render/page.h"
#include "tests/unit/report/render/sample_document.h"

namespace strobe::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string between(std::string_view html, std::string_view begin, std::string_view end) {
  const std::size_t from = html.find(begin);
  if (from == html.npos) return "";
  const std::size_t after = from + begin.size();
  return std::string(html.substr(after, html.find(end, after) - after));
}

std::string embedded_json(std::string_view html) {
  return between(html, "id=\"strobe-report\">", "</script>");
}

Document document_with_name(std::string name) {
  Document document = sample_document();
  document.sections[0].table.rows[0].cells[0] = Text{std::move(name)};
  return document;
}

TEST(RenderHtmlTest, the_page_carries_the_document) {
  const std::string html = render_html(sample_document());
  EXPECT_THAT(html, StartsWith("<!doctype html>"));
  const std::string json = embedded_json(html);
  EXPECT_THAT(json, HasSubstr("\"schema\": \"strobe.sample\""));
  EXPECT_THAT(json, HasSubstr("\"calls\":1234"));
}

TEST(RenderHtmlTest, the_title_says_what_it_is_and_of_what) {
  Document document = sample_document();
  document.title = "strobe summary: where the time went";
  document.subject = "a<b>.json";
  EXPECT_EQ(between(render_html(document), "<title>", "</title>"), "a&lt;b>.json · strobe summary");
  document.subject.clear();
  EXPECT_EQ(between(render_html(document), "<title>", "</title>"), "strobe summary");
}

TEST(RenderHtmlTest, without_scripts_the_report_is_text) {
  const std::string text = between(render_html(sample_document()), "<noscript>", "</noscript>");
  EXPECT_THAT(text, HasSubstr("<pre>"));
  EXPECT_THAT(text, HasSubstr("GPU busy 9.6 % of 942 ms"));
}

TEST(RenderHtmlTest, a_name_cannot_break_out_of_its_place) {
  const std::string evil = "</script></noscript><script>alert(1)</script>&amp;";
  const Document document = document_with_name(evil);
  const std::string html = render_html(document);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(embedded_json(html),
              HasSubstr("\\u003c/script>\\u003c/noscript>\\u003cscript>alert(1)"));
}

TEST(RenderHtmlTest, the_rest_of_the_page_is_untouched) {
  const std::string html = render_html(sample_document());
  const std::string_view page = page_html();
  const std::size_t script = page.rfind("<script>");
  ASSERT_NE(script, page.npos);
  EXPECT_TRUE(html.ends_with(page.substr(script)));
}

}  // namespace
}  // namespace strobe::report

#include "strobe/report/render/render.h"

#include <gmock/gmock.h>

#include "strobe/report/render/display_text.h"
#include "tests/unit/report/render/sample_document.h"
#include "tests/unit/report/render/text_lines.h"

namespace strobe::report {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

std::string without_color(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      out += text[i];
    }
  }
  return out;
}

TEST(RenderTextTest, a_document_in_eighty_columns) {
  EXPECT_EQ(render_text(sample_document(), {.width = 80}),
            R"(strobe sample
  trace   run.json
  span    942 ms  first to last
  slices  31,204

── Findings ────────────────────────────────────────────────────────────────────
  !! GPU busy 9.6 % of 942 ms
     → launch less often
   ! many small copies
   · a note
     … 1 of less weight (-v shows it)

     !! matters  ! worth a look  · a note  → what to try

── Kernels ─────────────────────────────────────────────────────────────────────
  By name.

                                         share of
  kernel                 calls    total   kernels                         memory
  void ns::gemm<4>(int)  1,234  2.00 ms    66.7 %  ████████████▋        1.50 KiB
  copy|"x",y                 1  1.00 ms    33.3 %  ██████▍                     -
  all                    1,235  3.00 ms   100.0 %                              -
  … 41 more, 3.20 ms of GPU time
  A note below.
)");
}

TEST(RenderTextTest, evidence_against_a_finding_stands_below_it) {
  Document document = sample_document();
  document.findings[0].against = {"the device is idle for other reasons too"};
  EXPECT_THAT(render_text(document, {.width = 80}),
              HasSubstr("  !! GPU busy 9.6 % of 942 ms\n"
                        "       against: the device is idle for other reasons too\n"
                        "     → launch less often\n"));
}

TEST(RenderTextTest, a_page_too_narrow_for_the_meaning_of_marks_leaves_it_out) {
  EXPECT_THAT(render_text(sample_document(), {.width = 60}), HasSubstr("!! matters"));
  EXPECT_THAT(render_text(sample_document(), {.width = 45}), Not(HasSubstr("!! matters")));
}

TEST(RenderTextTest, ascii_only_where_unicode_is_not_wanted) {
  Document document = sample_document();
  document.sections[0].table.rows[0].cells[0] = Text{"größe"};
  const std::string text = render_text(document, {.width = 80, .unicode = false});
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  EXPECT_THAT(text, HasSubstr("gr??e"));
  EXPECT_THAT(text, HasSubstr(" ####"));
  EXPECT_THAT(text, HasSubstr("-- Kernels ---"));
}

TEST(RenderTextTest, colour_adds_nothing_but_colour) {
  const std::string plain = render_text(sample_document(), {.width = 90});
  const std::string colored = render_text(sample_document(), {.width = 90, .color = true});
  EXPECT_NE(plain, colored);
  std::string bare;
  for (std::string line : lines_of(without_color(colored))) {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    bare += line + "\n";
  }
  EXPECT_EQ(bare, plain);
}

TEST(RenderTextTest, narrow_pages_lose_columns_and_say_so_but_no_digit) {
  const std::string text = render_text(sample_document(), {.width = 50});
  EXPECT_THAT(text, HasSubstr("left out at this width: calls, memory"));
  EXPECT_THAT(text, HasSubstr("2.00 ms"));
  EXPECT_THAT(text, HasSubstr("66.7 %"));
}

TEST(RenderTextTest, no_line_is_wider_than_the_page_whatever_the_names) {
  const std::vector<std::string> nasty = {
      std::string(500, 'k'),
      "void " + std::string(400, '<') + "(int)",
      std::string("tab\tnew\nline\x1b[2J\x07 bell\0zero", 27),
      "爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱爱"
      "爱爱爱",
      "\xFF\xFE\xC3 broken \xE2\x82 utf-8",
      "",
  };
  for (int width = 60; width <= 200; ++width) {
    for (const bool unicode : {true, false}) {
      Document document = sample_document();
      auto& rows = document.sections[0].table.rows;
      for (const std::string& name : nasty) {
        Row row = rows.front();
        row.cells[0] = Text{name};
        rows.push_back(row);
        document.facts.push_back({"key", "label", Text{name}, name});
        document.findings.insert(
            document.findings.begin(),
            {"code", analysis::FindingWeight::kMatters, 0, name + " " + name, name});
        document.sections[0].notes.push_back(name);
      }
      document.findings_on_page = document.findings.size();
      document.sections[0].title = nasty[0];
      document.sections[0].table.left_out = nasty[3];
      document.title = nasty[1];
      const std::string text = render_text(document, {.width = width, .unicode = unicode});
      for (const std::string& line : lines_of(text)) {
        ASSERT_LE(columns_of(line), static_cast<std::size_t>(width)) << line;
      }
      for (const char c : text) ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
    }
  }
}

TEST(RenderTextTest, a_picture_is_shown_as_it_is) {
  Document document;
  document.title = "t";
  Section section;
  section.title = "Picture";
  section.picture = {"| A", "+---"};
  document.sections.push_back(section);
  EXPECT_THAT(render_text(document, {}), ::testing::HasSubstr("\n\n  | A\n  +---\n"));
}

}  // namespace
}  // namespace strobe::report

#include "strobe/report/render/render.h"

#include <gmock/gmock.h>

#include "tests/unit/report/render/sample_document.h"

namespace strobe::report {
namespace {

using ::testing::HasSubstr;

TEST(RenderMarkdownTest, a_document_as_a_page) {
  EXPECT_EQ(render_markdown(sample_document()), R"(# strobe sample

- trace: run.json
- span: 942 ms (first to last)
- slices: 31,204

## Findings

1. **Matters:** GPU busy 9.6 % of 942 ms
   → launch less often
2. **Worth a look:** many small copies
3. a note

## Kernels

By name.

| kernel | calls | total | share of kernels | memory |
| :--- | ---: | ---: | ---: | ---: |
| `void ns::gemm<4>(int)` | 1,234 | 2.00 ms | 66.7 % | 1.50 KiB |
| `copy\|"x",y` | 1 | 1.00 ms | 33.3 % | - |
| `all` | **1,235** | **3.00 ms** | **100.0 %** | **-** |

… 41 more, 3.20 ms of GPU time

A note below.
)");
}

TEST(RenderMarkdownTest, names_cannot_break_out_of_their_cell) {
  Document document = sample_document();
  document.sections[0].table.rows[0].cells[0] = Text{"a`b\n|``c"};
  document.sections[0].title = "<b>*title*";
  const std::string text = render_markdown(document);
  EXPECT_THAT(text, HasSubstr("| ```a`b \\|``c``` | 1,234 |"));
  EXPECT_THAT(text, HasSubstr("## \\<b\\>\\*title\\*\n"));
}

TEST(RenderMarkdownTest, a_picture_is_a_block_of_code) {
  Section section;
  section.title = "Picture";
  section.picture = {"| A", "+---"};
  EXPECT_EQ(markdown_section(section), "\n## Picture\n\n```\n| A\n+---\n```\n");
}

}  // namespace
}  // namespace strobe::report

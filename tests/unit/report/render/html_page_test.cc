#include "strobe/report/render/html_page.h"

#include <gtest/gtest.h>

namespace strobe::report {
namespace {

TEST(HtmlTextTest, markup_in_a_name_is_shown_not_obeyed) {
  EXPECT_EQ(html_text("gemm<float, 4>(a & b) \"x\""),
            "gemm&lt;float, 4&gt;(a &amp; b) &quot;x&quot;");
  EXPECT_EQ(html_text("</script><b>"), "&lt;/script&gt;&lt;b&gt;");
}

TEST(HtmlTextTest, control_characters_and_broken_utf8_leave_no_trace_of_their_own) {
  const std::string text = html_text("a\x1b[31m\xff");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
}

}  // namespace
}  // namespace strobe::report

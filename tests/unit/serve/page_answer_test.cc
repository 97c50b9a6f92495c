#include "strobe/serve/page_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/base/gzip_pack.h"
#include "strobe/base/hash.h"
#include "strobe/report/render/page.h"

namespace strobe::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

constexpr std::string_view kPage =
    "<html><style>b{}</style><body><script type=\"module\">a()</script><script>c()</script></html>";

HttpRequest request_with(std::string name, std::string value) {
  HttpRequest request;
  request.headers.emplace(std::move(name), std::move(value));
  return request;
}

TEST(PageAnswerTest, the_policy_names_every_script_and_style_and_nothing_else) {
  const std::string policy = content_policy(kPage);
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("script-src 'sha256-" + sha256_base64("a()") + "' 'sha256-" +
                                sha256_base64("c()") + "'; "));
  EXPECT_THAT(policy, HasSubstr("style-src 'sha256-" + sha256_base64("b{}") + "'; "));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(content_policy("<p>"), HasSubstr("script-src 'none'; style-src 'none'"));
}

// The bundle names its script and style itself, computed by other hands.
TEST(PageAnswerTest, the_policy_of_the_real_page_agrees_with_its_own) {
  const std::string_view page = report::page_html();
  const std::string policy = content_policy(page);
  const std::string_view own =
      page.substr(page.find("Content-Security-Policy"), page.find("<title>"));
  int hashes = 0;
  for (std::size_t at = 0; (at = own.find("'sha256-", at)) != std::string_view::npos; ++at) {
    const std::string hash(own.substr(at, own.find('\'', at + 1) - at + 1));
    EXPECT_THAT(policy, HasSubstr(hash));
    ++hashes;
  }
  EXPECT_GE(hashes, 2);
}

TEST(PageAnswerTest, the_page_is_packed_for_those_who_can_unpack_it) {
  const PageAnswer page(kPage);
  EXPECT_EQ(page.answer({}).text(), kPage);
  const HttpResponse packed = page.answer(request_with("accept-encoding", "br, gzip;q=0.5"));
  EXPECT_THAT(packed.headers, ::testing::Contains(Pair("Content-Encoding", "gzip")));
  EXPECT_EQ(packed.text(), pack_gzip(kPage));
}

TEST(PageAnswerTest, who_has_the_page_already_is_told_so) {
  const PageAnswer page(kPage);
  const HttpResponse first = page.answer({});
  std::string tag;
  for (const auto& [name, value] : first.headers) {
    if (name == "ETag") tag = value;
  }
  EXPECT_EQ(page.answer(request_with("if-none-match", tag)).status, 304);
  EXPECT_EQ(page.answer(request_with("if-none-match", "\"other\"")).status, 200);
}

TEST(PageAnswerTest, gzip_is_used_only_where_it_is_wanted) {
  EXPECT_TRUE(accepts_gzip(request_with("accept-encoding", "gzip, deflate, br")));
  EXPECT_TRUE(accepts_gzip(request_with("accept-encoding", "deflate,gzip")));
  EXPECT_TRUE(accepts_gzip(request_with("accept-encoding", "*")));
  EXPECT_FALSE(accepts_gzip(request_with("accept-encoding", "gzip;q=0")));
  EXPECT_FALSE(accepts_gzip(request_with("accept-encoding", "x-gzip2, br")));
  EXPECT_FALSE(accepts_gzip({}));
}

}  // namespace
}  // namespace strobe::serve

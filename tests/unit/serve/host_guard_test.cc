#include "strobe/serve/host_guard.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::serve {
namespace {

using ::testing::HasSubstr;

HttpRequest request_with(std::map<std::string, std::string, std::less<>> headers) {
  HttpRequest request;
  request.headers = std::move(headers);
  return request;
}

bool accepts(const HostGuard& guard, std::map<std::string, std::string, std::less<>> headers) {
  return !guard.objection(request_with(std::move(headers)));
}

const HostGuard kLoopback("127.0.0.1", true, {"127.0.0.1", "Box.example:80"});

TEST(HostGuardTest, names_of_the_loopback_are_known_with_any_port) {
  for (const char* host : {"localhost", "LOCALHOST:6007", "localhost.", "127.0.0.1:1", "127.1.2.3",
                           "[::1]:6007", "strobe.localhost", "box.example", "BOX.example:9"}) {
    EXPECT_TRUE(accepts(kLoopback, {{"host", host}})) << host;
  }
}

TEST(HostGuardTest, a_name_that_was_made_to_point_here_is_refused) {
  for (const char* host : {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                           "127.0.0.1@evil.example", "192.168.0.7", "[::2]", "[::1"}) {
    EXPECT_FALSE(accepts(kLoopback, {{"host", host}})) << host;
  }
  const auto objection = kLoopback.objection(request_with({{"host", "box:6007"}}));
  ASSERT_TRUE(objection);
  EXPECT_THAT(objection->hint, HasSubstr("--allow-host box"));
}

TEST(HostGuardTest, a_server_for_the_network_knows_itself_by_number) {
  const HostGuard guard("0.0.0.0", false, {});
  EXPECT_TRUE(accepts(guard, {{"host", "192.168.0.7:6007"}}));
  EXPECT_TRUE(accepts(guard, {{"host", "[fe80::1]:6007"}}));
  EXPECT_FALSE(accepts(guard, {{"host", "evil.example"}}));
}

TEST(HostGuardTest, a_number_with_colons_may_be_allowed_and_is_no_empty_name) {
  const HostGuard guard("::1", true, {"::1", "2001:DB8::5", ":80"});
  EXPECT_TRUE(accepts(guard, {{"host", "[2001:db8::5]:6007"}}));
  EXPECT_TRUE(accepts(guard, {{"host", "[::1]"}}));
  EXPECT_FALSE(accepts(guard, {{"host", ""}}));
  EXPECT_FALSE(accepts(guard, {{"host", ":6007"}}));
  EXPECT_FALSE(accepts(guard, {{"host", "2001"}}));
  EXPECT_FALSE(accepts(guard, {{"host", "[2001:db8::6]"}}));
}

TEST(HostGuardTest, only_our_own_page_may_ask_across_origins) {
  EXPECT_TRUE(
      accepts(kLoopback, {{"host", "localhost:6007"}, {"origin", "http://localhost:6007"}}));
  EXPECT_FALSE(accepts(kLoopback, {{"host", "localhost:6007"}, {"origin", "http://localhost:80"}}));
  EXPECT_FALSE(accepts(kLoopback, {{"host", "localhost"}, {"origin", "https://evil.example"}}));
  EXPECT_FALSE(accepts(kLoopback, {{"host", "localhost"}, {"origin", "null"}}));
  EXPECT_FALSE(accepts(kLoopback, {{"host", "localhost"}, {"origin", ""}}));
}

TEST(HostGuardTest, a_link_from_another_site_opens_the_page_and_nothing_else) {
  EXPECT_TRUE(accepts(
      kLoopback,
      {{"host", "localhost"}, {"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}}));
  EXPECT_FALSE(accepts(
      kLoopback,
      {{"host", "localhost"}, {"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "no-cors"}}));
}

}  // namespace
}  // namespace strobe::serve

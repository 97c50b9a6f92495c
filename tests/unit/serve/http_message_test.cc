#include "strobe/serve/http_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/serve/http_server.h"

namespace strobe::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HttpRequest parsed(std::string_view head) {
  auto result = parse_request(head);
  EXPECT_TRUE(std::holds_alternative<HttpRequest>(result)) << head;
  return std::holds_alternative<HttpRequest>(result) ? std::get<HttpRequest>(result)
                                                     : HttpRequest();
}

int refused(std::string_view head) {
  const auto result = parse_request(head);
  return std::holds_alternative<HttpRefusal>(result) ? std::get<HttpRefusal>(result).status : 0;
}

TEST(HttpMessageTest, a_request_is_read_into_its_parts) {
  const HttpRequest request = parsed(
      "GET /api/v1/search?trace=a%2Fb.json&q=mm+%26%20x&trace=c&flag HTTP/1.1\r\n"
      "Host: localhost:6007\r\nAccept-ENCODING:  gzip, br \r\n\r\n");
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/api/v1/search");
  EXPECT_EQ(request.parameters.count("trace"), 2u);
  EXPECT_EQ(request.parameters.find("q")->second, "mm & x");
  EXPECT_EQ(request.parameters.find("flag")->second, "");
  EXPECT_EQ(request.header("host"), "localhost:6007");
  EXPECT_EQ(request.header("accept-encoding"), "gzip, br");
  EXPECT_EQ(request.header("origin"), "");
  EXPECT_TRUE(request.keeps_alive);
  EXPECT_FALSE(request.has_body);
}

TEST(HttpMessageTest, a_path_is_decoded_once) {
  EXPECT_EQ(parsed("GET /a%20b+c HTTP/1.1\r\n\r\n").path, "/a b+c");
  EXPECT_EQ(parsed("GET /%252e%252e/x HTTP/1.1\r\n\r\n").path, "/%2e%2e/x");
}

TEST(HttpMessageTest, who_closes_is_told_by_version_and_header) {
  EXPECT_FALSE(parsed("GET / HTTP/1.0\r\n\r\n").keeps_alive);
  EXPECT_TRUE(parsed("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keeps_alive);
  EXPECT_FALSE(parsed("GET / HTTP/1.1\r\nConnection: close\r\n\r\n").keeps_alive);
}

TEST(HttpMessageTest, a_body_is_announced) {
  EXPECT_TRUE(parsed("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n").has_body);
  EXPECT_TRUE(parsed("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n").has_body);
  EXPECT_FALSE(parsed("GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n").has_body);
}

TEST(HttpMessageTest, what_is_no_request_is_refused) {
  for (const std::string_view head :
       {"\r\n", "GET /\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "hello world again\r\n\r\n",
        "G(T / HTTP/1.1\r\n\r\n", "GET x HTTP/1.1\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n",
        "GET /%zz HTTP/1.1\r\n\r\n", "GET /% HTTP/1.1\r\n\r\n", "GET /%4 HTTP/1.1\r\n\r\n",
        "GET /a%00b HTTP/1.1\r\n\r\n", "GET /?a=%f HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nbad name: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"}) {
    EXPECT_EQ(refused(head), 400) << head;
  }
  EXPECT_EQ(refused("GET / HTTP/2.0\r\n\r\n"), 505);
}

TEST(HttpMessageTest, a_response_says_its_length_and_whether_the_connection_stays) {
  HttpResponse response = make_response(404, "application/json", "{}");
  response.headers.emplace_back("X-A", "b");
  EXPECT_EQ(
      response_head(response, true, 784111777),
      "HTTP/1.1 404 Not Found\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nX-A: b\r\n"
      "Content-Type: application/json\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(response_head(response, false, 0), HasSubstr("Connection: close\r\n"));
  response.status = 304;
  EXPECT_THAT(response_head(response, false, 0), Not(HasSubstr("Content-Length")));
}

}  // namespace
}  // namespace strobe::serve

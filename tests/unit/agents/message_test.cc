#include "strobe/agents/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace strobe::agents {
namespace {

using ::testing::HasSubstr;

RpcMessage message(std::string_view text) {
  const auto read = read_message(text);
  const auto* known = std::get_if<RpcMessage>(&read);
  EXPECT_NE(known, nullptr) << text;
  return known == nullptr ? RpcMessage{} : *known;
}

RpcError error(std::string_view text) {
  const auto read = read_message(text);
  const auto* wrong = std::get_if<RpcError>(&read);
  EXPECT_NE(wrong, nullptr) << text;
  return wrong == nullptr ? RpcError{} : *wrong;
}

TEST(RpcMessageTest, a_request_has_an_id_a_method_and_params) {
  const RpcMessage request =
      message(R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1}})");
  EXPECT_EQ(request.kind, RpcKind::kRequest);
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.method, "ping");
  EXPECT_EQ(request.params, R"({"a":1})");
  EXPECT_EQ(message(R"({"jsonrpc":"2.0","id":"a\"b","method":"x"})").id, R"("a\"b")");
  EXPECT_EQ(message(R"({"jsonrpc":"2.0","id":-1.5,"method":"x"})").id, "-1.5");
}

TEST(RpcMessageTest, without_an_id_it_is_a_notification_and_with_a_result_a_response) {
  EXPECT_EQ(message(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").kind,
            RpcKind::kNotification);
  EXPECT_EQ(message(R"({"jsonrpc":"2.0","id":1,"result":{}})").kind, RpcKind::kResponse);
  EXPECT_EQ(message(R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})").kind, RpcKind::kResponse);
}

TEST(RpcMessageTest, what_is_not_json_to_the_letter_is_a_parse_error) {
  for (const std::string_view text :
       {"", "{", R"({"jsonrpc":"2.0","id":1,"method":"ping")", R"({"jsonrpc":"2.0",})",
        R"({"jsonrpc" "2.0"})", R"(['a'])", "{} {}", R"({"a":01})", R"({"a":1.})", R"({"a":.5})",
        R"({"a":+1})", R"({"a":nan})", R"({"a":"\x"})", "{\"a\":\"\n\"}", "{\"a\":\"\xff\"}",
        R"({"a":"\ud800"})", R"({"a":tru})", "\xef\xbb\xbf{}"}) {
    EXPECT_EQ(error(text).code, RpcCode::kParseError) << text;
    EXPECT_EQ(error(text).id, "null");
  }
  EXPECT_TRUE(is_json(R"( {"a": [1, -0, 2.5e+3, "é\n\ud83d\ude00", true, false, null, {}]} )"));
}

TEST(RpcMessageTest, nesting_is_bounded) {
  EXPECT_TRUE(is_json(std::string(60, '[') + std::string(60, ']')));
  EXPECT_FALSE(is_json(std::string(100'000, '[') + std::string(100'000, ']')));
}

TEST(RpcMessageTest, what_is_no_message_is_an_invalid_request) {
  for (const std::string_view text :
       {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", "1", "\"ping\"", "null", "{}",
        R"({"id":1,"method":"ping"})", R"({"jsonrpc":"1.0","id":1,"method":"ping"})",
        R"({"jsonrpc":2.0,"id":1,"method":"ping"})", R"({"jsonrpc":"2.0","id":1,"method":7})",
        R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":{},"method":"ping"})"}) {
    EXPECT_EQ(error(text).code, RpcCode::kInvalidRequest) << text;
  }
  EXPECT_EQ(error(R"({"jsonrpc":"2.0","id":9,"method":7})").id, "9");
  EXPECT_EQ(error(R"({"jsonrpc":"2.0","id":9,"method":"a","params":[1]})").code,
            RpcCode::kInvalidParams);
}

TEST(RpcMessageTest, a_message_of_more_than_a_megabyte_is_refused) {
  const std::string text(kMostMessageBytes + 1, ' ');
  EXPECT_EQ(error(text).code, RpcCode::kInvalidRequest);
  EXPECT_THAT(error(text).message, HasSubstr("1048576"));
}

TEST(RpcMessageTest, answers_are_one_line_of_json) {
  EXPECT_EQ(result_message("7", "{}"), R"({"jsonrpc":"2.0","id":7,"result":{}})");
  EXPECT_EQ(error_message({RpcCode::kParseError, "a \"b\"\n", "\"x\""}),
            R"({"jsonrpc":"2.0","id":"x","error":{"code":-32700,"message":"a \"b\"\n"}})");
  EXPECT_EQ(notification_message("a/b", "{}"), R"({"jsonrpc":"2.0","method":"a/b","params":{}})");
}

}  // namespace
}  // namespace strobe::agents

#include "strobe/writers/json_copy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace strobe::writers {
namespace {

struct Copied {
  bool is_json = false;
  std::string text;
  unsigned arguments = kNoArguments;
};

// The room is exactly what the header promises.
Copied copied(std::string_view json) {
  std::vector<char> room(room_for_copy(json.size()));
  const CopiedObject copy = copy_object(json, room.data());
  if (copy.end == nullptr) return {};
  return {true, std::string(room.data(), copy.end), copy.arguments};
}

TEST(JsonCopyTest, blanks_between_the_parts_are_left_out) {
  EXPECT_EQ(copied("{}").text, "{}");
  EXPECT_EQ(copied(" { \n } ").text, "{}");
  EXPECT_EQ(copied("{\n  \"a\" : [ 1 ,\t2 , [ ] , { } ] , \"b c\" : \" x  y \"\r\n}").text,
            R"({"a":[1,2,[],{}],"b c":" x  y "})");
}

TEST(JsonCopyTest, every_kind_of_value_stays_as_it_is) {
  for (
      const std::string_view json :
      {R"({"n":[0,-0,1,-12.50,1e9,1E-05,0.25e+3,123456789012345678901234567890]})",
       R"({"w":[true,false,null],"o":{"p":{"q":[[[]]]}}})",
       R"({"s":"\" \\ \/ \b\f\n\r\t A \ud83d\ude00 é 漢字"})",
       R"({"":"","long":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"})"}) {
    EXPECT_EQ(copied(json).text, json);
  }
}

TEST(JsonCopyTest, what_is_not_json_is_not_copied) {
  for (const std::string_view text : {"",
                                      "[]",
                                      "1",
                                      "{",
                                      "}",
                                      "{}x",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{\"a\":1,}",
                                      "{\"a\":1 \"b\":2}",
                                      "{a:1}",
                                      "{\"a\":nan}",
                                      "{\"a\":Infinity}",
                                      "{\"a\":01}",
                                      "{\"a\":1.}",
                                      "{\"a\":.5}",
                                      "{\"a\":+1}",
                                      "{\"a\":1e}",
                                      "{\"a\":-}",
                                      "{\"a\":tru}",
                                      "{\"a\":nulls}",
                                      "{\"a\":[1,]}",
                                      "{\"a\":[1}",
                                      "{\"a\":(1)}",
                                      "{\"a\":\"\\q\"}",
                                      "{\"a\":\"\\u12g4\"}",
                                      "{\"a\":\"\\u12\"}",
                                      "{\"a\":\"tab\there\"}",
                                      "{\"a\":\"open}",
                                      "{\"a\":\"\\",
                                      "{\"a\":\"\xC3(\"}",
                                      "{\"a\":\"\xED\xA0\x80\"}"}) {
    EXPECT_FALSE(copied(text).is_json) << text;
  }
  EXPECT_FALSE(copied(std::string_view("{\"a\":\"\0\"}", 9)).is_json);
}

TEST(JsonCopyTest, nesting_ends_at_a_limit) {
  const auto nested = [](int levels) {
    std::string text = "{\"a\":";
    for (int i = 1; i < levels; ++i) text += '[';
    for (int i = 1; i < levels; ++i) text += ']';
    return text + "}";
  };
  EXPECT_EQ(copied(nested(64)).text, nested(64));
  EXPECT_FALSE(copied(nested(65)).is_json);
}

TEST(JsonCopyTest, known_arguments_are_noticed_in_the_object_itself_only) {
  EXPECT_EQ(copied(R"({"correlation":1,"External id":2,"device":0,"stream":7})").arguments,
            kCorrelationArgument | kExternalArgument | kDeviceArgument | kStreamArgument);
  EXPECT_EQ(copied(R"({"correlation id":1,"external id":2,"Sequence number":3})").arguments,
            kCorrelationArgument | kExternalArgument | kSequenceArgument);
  EXPECT_EQ(copied(R"({"x":{"device":1},"y":["stream"],"devices":1,"Device":2})").arguments, 0u);
}

TEST(JsonCopyTest, a_repaired_object_is_json) {
  EXPECT_EQ(repaired_object("{\"a\":01,\"b\":[1,2]}"), R"({"a":1,"b":[1,2]})");
  EXPECT_TRUE(copied(repaired_object("{\"a\":nan,\"b\":\"x\ty\"}")).is_json);
  EXPECT_EQ(repaired_object("nothing"), "{}");
}

}  // namespace
}  // namespace strobe::writers

#include "strobe/base/protobuf.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/protobuf_sketch.h"

namespace strobe {
namespace {

using namespace std::string_view_literals;

TEST(Protobuf, the_four_kinds_of_fields_are_walked) {
  //        1: 300        2: "ab"       3: 1.5 (double)                           4: 0.5 (float)
  const auto message =
      "\x08\xAC\x02\x12\x02"
      "ab\x19\0\0\0\0\0\0\xF8\x3F\x25\0\0\0\x3F"sv;
  ProtobufFields fields(message);
  ASSERT_TRUE(fields.next());
  EXPECT_TRUE(fields.is_number(1));
  EXPECT_EQ(fields.number(), 300u);
  ASSERT_TRUE(fields.next());
  EXPECT_TRUE(fields.is_bytes(2));
  EXPECT_EQ(fields.bytes(), "ab");
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.kind(), ProtobufFields::Kind::kFixed64);
  EXPECT_EQ(fields.real(), 1.5);
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.real(), 0.5);
  EXPECT_FALSE(fields.next());
  EXPECT_FALSE(fields.is_broken());
}

TEST(Protobuf, a_field_that_does_not_fit_ends_the_walk) {
  for (const auto message : {"\x12\x05"
                             "ab"sv,  // five bytes promised, two there
                             "\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"sv,  // 2^64 - 1 of them
                             "\x08\xFF"sv,     // a number without an end
                             "\x19\0\0"sv,     // half a double
                             "\x0B\x08"sv,     // a group
                             "\x00\x01"sv}) {  // field 0
    ProtobufFields fields(message);
    EXPECT_FALSE(fields.next());
    EXPECT_TRUE(fields.is_broken());
    EXPECT_FALSE(fields.next());
  }
}

TEST(Protobuf, a_number_longer_than_64_bits_is_no_number) {
  ProtobufFields fields("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"sv);
  EXPECT_FALSE(fields.next());
  EXPECT_TRUE(fields.is_broken());
}

TEST(Protobuf, a_number_with_slack_behind_it_is_read_as_without) {
  for (int bits = 0; bits <= 64; ++bits) {
    const std::uint64_t value = bits == 0 ? 0 : 0x9A3C'5E71'F00D'B2D5u >> (64 - bits);
    const std::string number = test::Message().number(1, value).bytes().substr(1);
    const std::string bytes = number + std::string(kProtobufSlack, '\xFF');
    const char* p = bytes.data();
    std::uint64_t read = 0;
    EXPECT_TRUE(take_varint_with_slack(p, p + number.size(), read)) << bits;
    EXPECT_EQ(read, value);
    EXPECT_EQ(p, bytes.data() + number.size());
    p = bytes.data();
    EXPECT_FALSE(take_varint_with_slack(p, p + number.size() - 1, read))
        << "it ends behind its message: " << bits;
  }
}

}  // namespace
}  // namespace strobe

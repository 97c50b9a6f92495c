#include "strobe/base/protobuf_stream.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/protobuf_sketch.h"

namespace strobe {
namespace {

using test::Message;

ProtobufStream over(const std::string& bytes) {
  return ProtobufStream(std::move(open_stream(std::string_view(bytes)).value()));
}

TEST(ProtobufStream, fields_of_open_messages_are_walked_and_the_rest_is_skipped) {
  const std::string bytes = Message()
                                .message(1, Message().number(1, 7).text(2, "in"))
                                .text(9, std::string(3 << 20, 'x'))
                                .text(2, "after")
                                .bytes();
  ProtobufStream stream = over(bytes);
  ASSERT_TRUE(stream.next());
  ASSERT_TRUE(stream.is_bytes(1));
  stream.enter();
  ASSERT_TRUE(stream.next());
  EXPECT_EQ(stream.number(), 7u);
  stream.leave();  // the text was not asked for
  ASSERT_TRUE(stream.next());
  EXPECT_EQ(stream.length(), 3u << 20);
  EXPECT_FALSE(stream.bytes(1 << 20)) << "more than it may be";
  ASSERT_TRUE(stream.next());
  EXPECT_EQ(stream.bytes(100), "after");
  EXPECT_FALSE(stream.next());
  EXPECT_FALSE(stream.is_cut());
  EXPECT_FALSE(stream.is_broken());
  EXPECT_EQ(stream.offset(), bytes.size());
}

TEST(ProtobufStream, a_cut_anywhere_is_no_end) {
  const std::string bytes =
      Message().message(1, Message().number(1, 300).text(2, "abc").fixed64(3, 5)).bytes();
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    ProtobufStream stream = over(cut);
    while (stream.next()) {
      if (!stream.is_bytes(1)) continue;
      stream.enter();
      while (stream.next()) {
        if (stream.kind() == ProtobufStream::Kind::kBytes) (void)stream.bytes(100);
      }
      stream.leave();
    }
    EXPECT_TRUE(stream.is_cut()) << size;
  }
}

TEST(ProtobufStream, a_message_that_is_broken_inside_ends_and_the_next_one_is_read) {
  const std::string bytes =
      Message().message(1, Message().number(1, 1).raw("\x0B")).number(2, 5).bytes();
  ProtobufStream stream = over(bytes);
  ASSERT_TRUE(stream.next());
  stream.enter();
  ASSERT_TRUE(stream.next());
  EXPECT_FALSE(stream.next());
  EXPECT_TRUE(stream.is_broken());
  stream.leave();
  ASSERT_TRUE(stream.next());
  EXPECT_EQ(stream.number(), 5u);
}

TEST(ProtobufStream, a_field_is_never_longer_than_its_message) {
  const std::string bytes = Message().message(1, Message().raw("\x12\x7F")).number(2, 5).bytes();
  ProtobufStream stream = over(bytes);
  ASSERT_TRUE(stream.next());
  stream.enter();
  EXPECT_FALSE(stream.next());
  EXPECT_TRUE(stream.is_broken());
}

TEST(ProtobufStream, fields_that_have_been_read_come_with_all_their_bytes) {
  Message inner;
  std::size_t texts = 0;
  for (; inner.bytes().size() < std::size_t{5} << 19; ++texts) {
    inner.text(2, std::string(texts % 300, static_cast<char>('a' + texts % 26)));
    if (texts % 1000 == 0) inner.number(3, texts);
  }
  const std::string bytes = Message().message(1, inner).text(2, "not in it").bytes();
  ProtobufStream stream = over(bytes);
  ASSERT_TRUE(stream.next());
  stream.enter();
  std::size_t seen = 0;
  std::size_t quick = 0;
  const auto expect_next = [&](std::string_view text) {
    const bool is_next = text == std::string(seen % 300, static_cast<char>('a' + seen % 26));
    EXPECT_TRUE(is_next) << seen;
    ++seen;
    return is_next;
  };
  const auto take = [&](std::string_view text) {
    ++quick;
    EXPECT_EQ(static_cast<unsigned char>(bytes[stream.field_offset()]), 2u << 3 | 2);
    EXPECT_EQ(bytes.substr(stream.offset() - text.size(), text.size()), text);
    return expect_next(text);
  };
  for (;;) {
    ASSERT_TRUE(stream.take_neighbours(2, take));
    if (!stream.next()) break;
    if (!stream.is_bytes(2)) continue;
    ASSERT_TRUE(expect_next(stream.bytes(1000).value()));
  }
  EXPECT_EQ(seen, texts);
  EXPECT_GT(quick, texts - 20) << "all but those at the end of what was read";
  stream.leave();
  std::string behind;
  EXPECT_TRUE(stream.take_neighbours(2, [&](std::string_view text) {
    behind += text;
    return true;
  }));
  EXPECT_EQ(behind, "not in it");
}

TEST(ProtobufStream, neighbours_are_taken_until_that_is_enough) {
  const std::string bytes = Message().text(2, "a").text(2, "b").text(2, "c").number(3, 1).bytes();
  ProtobufStream stream = over(bytes);
  std::string taken;
  const auto take_until_b = [&](std::string_view text) {
    taken += text;
    return text != "b";
  };
  EXPECT_TRUE(stream.take_neighbours(2, take_until_b)) << "nothing has been read yet";
  ASSERT_TRUE(stream.next());
  EXPECT_TRUE(stream.take_neighbours(2, take_until_b)) << "a field is open";
  EXPECT_EQ(stream.bytes(10), "a");
  EXPECT_FALSE(stream.take_neighbours(2, take_until_b));
  EXPECT_EQ(taken, "b");
  ASSERT_TRUE(stream.next());
  EXPECT_EQ(stream.bytes(10), "c");
  ASSERT_TRUE(stream.next());
  EXPECT_TRUE(stream.is_number(3));
}

}  // namespace
}  // namespace strobe

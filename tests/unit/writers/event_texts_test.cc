#include "strobe/writers/event_texts.h"

#include <gtest/gtest.h>

#include "tests/unit/writers/text_sink.h"

namespace strobe::writers {
namespace {

TEST(EscapedTextsTest, only_texts_that_need_it_are_changed) {
  StringPool pool;
  const StringId plain = pool.intern("void gemm<float>(é)");
  const StringId quoted = pool.intern("a \"b\" \\ c\n");
  const StringId broken = pool.intern("\xFF");
  EscapedTexts texts(pool);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(texts[plain].data(), pool[plain].data());
    EXPECT_EQ(texts[quoted], R"(a \"b\" \\ c\n)");
    EXPECT_EQ(texts[broken], "\xEF\xBF\xBD");
  }
}

TEST(EventLinesTest, commas_stand_between_events) {
  TextSink::Seen seen;
  TextSink sink(seen);
  TextBuffer buffer(sink);
  EventLines first(buffer, true);
  first.add("{\"a\":1");
  first.add("{\"a\":2");
  EventLines second(buffer, false);
  second.add("{\"a\":3");
  ASSERT_TRUE(buffer.flush());
  EXPECT_EQ(seen.text, "{\"a\":1},\n{\"a\":2},\n{\"a\":3}");
  EXPECT_EQ(first.count(), 2u);
  EXPECT_EQ(second.count(), 1u);
}

}  // namespace
}  // namespace strobe::writers

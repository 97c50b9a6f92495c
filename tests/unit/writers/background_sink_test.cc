#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>

#include "strobe/writers/byte_sink.h"
#include "tests/unit/writers/text_sink.h"

namespace strobe::writers {
namespace {

// More than the ring holds, and no two blocks alike.
std::string long_text() {
  std::string text;
  for (int i = 0; text.size() < (9u << 20) + 12'345; ++i) {
    text += std::to_string(i);
    text.append(1000, 'x');
  }
  return text;
}

TEST(BackgroundSinkTest, passes_everything_on_in_order) {
  const std::string text = long_text();
  TextSink::Seen seen;
  const auto sink = in_background(std::make_unique<TextSink>(seen));
  for (std::size_t at = 0; at < text.size(); at += 100'000) {
    ASSERT_TRUE(sink->write(std::string_view(text).substr(at, 100'000)));
  }
  ASSERT_TRUE(sink->finish());
  EXPECT_TRUE(seen.text == text);
  EXPECT_TRUE(seen.is_finished);
}

TEST(BackgroundSinkTest, one_long_text_is_cut_into_blocks) {
  const std::string text = long_text();
  TextSink::Seen seen;
  const auto sink = in_background(std::make_unique<TextSink>(seen));
  ASSERT_TRUE(sink->write(text));
  ASSERT_TRUE(sink->finish());
  EXPECT_TRUE(seen.text == text);
}

TEST(BackgroundSinkTest, an_error_of_the_target_is_returned_once_it_is_known) {
  TextSink::Seen seen;
  const auto sink = in_background(std::make_unique<TextSink>(seen, 3 << 20));
  const std::string block(1 << 20, 'x');
  Result<void> result;
  for (int i = 0; i < 100 && result; ++i) result = sink->write(block);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "the disk is full");
  EXPECT_FALSE(sink->finish());
  EXPECT_FALSE(seen.is_finished);
}

TEST(BackgroundSinkTest, an_error_at_the_end_is_returned_by_finish) {
  TextSink::Seen seen;
  const auto sink = in_background(std::make_unique<TextSink>(seen, 3));
  ASSERT_TRUE(sink->write("four"));
  const Result<void> finished = sink->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, ErrorCode::kCannotWrite);
}

TEST(BackgroundSinkTest, a_text_that_is_given_up_is_not_finished) {
  TextSink::Seen seen;
  {
    const auto sink = in_background(std::make_unique<TextSink>(seen));
    ASSERT_TRUE(sink->write("never complete"));
  }
  EXPECT_FALSE(seen.is_finished);
}

class NoMemorySink final : public ByteSink {
 public:
  Result<void> write(std::string_view) override { throw std::bad_alloc(); }
  Result<void> finish() override { return {}; }
};

TEST(BackgroundSinkTest, running_out_of_memory_there_is_known_here) {
  const auto sink = in_background(std::make_unique<NoMemorySink>());
  ASSERT_TRUE(sink->write("text"));
  EXPECT_THROW(static_cast<void>(sink->finish()), std::bad_alloc);
}

}  // namespace
}  // namespace strobe::writers

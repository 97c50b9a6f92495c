#include "strobe/readers/trace_input.h"

#include <string>

#include <gtest/gtest.h>

#include "strobe/base/gzip_pack.h"
#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

std::string long_text() {
  std::string text;
  while (text.size() < 3 * TraceInput::kFirstBytes) text += "row " + std::to_string(text.size());
  return text;
}

TEST(TraceInputTest, packed_or_not_gives_the_same_bytes) {
  const std::string text = long_text();
  const std::string packed = pack_gzip(text);
  for (const std::string& bytes : {text, packed}) {
    const TraceInput input = TraceInput::of(bytes, "a");
    EXPECT_EQ(input.first(), std::string_view(text).substr(0, TraceInput::kFirstBytes));
    EXPECT_EQ(input.file_bytes(), bytes.size());
    EXPECT_FALSE(input.plain_file());
    const auto content = input.content();
    ASSERT_TRUE(content);
    EXPECT_EQ(content->bytes, text);
    EXPECT_FALSE(content->damage);
  }
}

TEST(TraceInputTest, only_a_plain_file_can_be_opened_by_others) {
  const strobe::testing::TemporaryFolder folder;
  strobe::testing::put_bytes(folder / "plain", "rows");
  strobe::testing::put_bytes(folder / "packed", pack_gzip("rows"));
  const auto plain = TraceInput::open(folder / "plain");
  const auto packed = TraceInput::open(folder / "packed");
  ASSERT_TRUE(plain && packed);
  EXPECT_EQ(plain->plain_file(), folder / "plain");
  EXPECT_FALSE(packed->plain_file());
  EXPECT_EQ(plain->content()->bytes, "rows");
  EXPECT_EQ(packed->content()->bytes, "rows");
}

TEST(TraceInputTest, a_packed_file_that_was_cut_gives_what_precedes_the_cut) {
  const std::string text = long_text();
  std::string packed = pack_gzip(text);
  packed.resize(packed.size() / 2);
  const TraceInput input = TraceInput::of(packed, "a");
  const auto content = input.content();
  ASSERT_TRUE(content);
  EXPECT_TRUE(content->damage);
  EXPECT_FALSE(content->bytes.empty());
  EXPECT_TRUE(text.starts_with(content->bytes));
}

TEST(TraceInputTest, a_file_that_is_not_there_is_an_error) {
  EXPECT_EQ(TraceInput::open("/nonexistent/trace").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace strobe::readers

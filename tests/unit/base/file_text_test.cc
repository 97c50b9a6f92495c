#include "strobe/base/file_text.h"

#include <gtest/gtest.h>

#include "strobe/base/gzip_pack.h"
#include "tests/support/log_folder.h"

namespace strobe {
namespace {

TEST(FileTextTest, plain_and_packed_files_give_the_same_text) {
  const test::LogFolder folder;
  const std::string text(5 << 20, 'x');
  const auto plain = read_text(folder.write("a.json", text));
  const auto packed = read_text(folder.write("a.json.gz", pack_gzip(text)));
  ASSERT_TRUE(plain && packed);
  EXPECT_EQ(*plain, text);
  EXPECT_EQ(*packed, text);
}

TEST(FileTextTest, a_bomb_is_given_up_at_the_limit) {
  const test::LogFolder folder;
  const std::string packed = pack_gzip(std::string(16 << 20, ' '));
  const auto text = read_text(folder.write("bomb.json.gz", packed), 1 << 20);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kTooLittleData);
}

TEST(FileTextTest, a_damaged_file_gives_what_stands_before_the_damage) {
  const test::LogFolder folder;
  std::string numbers;
  for (int i = 0; i < 100'000; ++i) numbers += std::to_string(i * 7919 % 100'003) + ",";
  std::string packed = pack_gzip(numbers);
  packed.resize(packed.size() / 2);
  const auto text = read_text(folder.write("cut.json.gz", packed));
  ASSERT_TRUE(text);
  EXPECT_GT(text->size(), numbers.size() / 4);
  EXPECT_TRUE(numbers.starts_with(*text));
}

TEST(FileTextTest, a_missing_file_is_an_error) { EXPECT_FALSE(read_text("/no/such/file")); }

}  // namespace
}  // namespace strobe

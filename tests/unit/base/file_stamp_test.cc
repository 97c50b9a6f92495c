#include "strobe/base/file_stamp.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace strobe {
namespace {

using testing::put_bytes;
using testing::TemporaryFolder;

TEST(FileStampTest, an_untouched_file_keeps_its_stamp) {
  const TemporaryFolder folder;
  put_bytes(folder / "a", "text");
  const auto stamp = stamp_of(folder / "a");
  ASSERT_TRUE(stamp.has_value());
  EXPECT_EQ(stamp->bytes, 4u);
  EXPECT_EQ(stamp_of(folder / "a"), stamp);
  std::filesystem::create_symlink(folder / "a", folder / "link");
  EXPECT_EQ(stamp_of(folder / "link"), stamp);
}

TEST(FileStampTest, a_replaced_file_has_another_stamp_even_with_the_old_times) {
  const TemporaryFolder folder;
  put_bytes(folder / "a", "text");
  const auto before = stamp_of(folder / "a");
  const auto time = std::filesystem::last_write_time(folder / "a");
  put_bytes(folder / "b", "taxt");
  std::filesystem::last_write_time(folder / "b", time);
  std::filesystem::rename(folder / "b", folder / "a");
  EXPECT_NE(stamp_of(folder / "a"), before);
}

TEST(FileStampTest, only_regular_files_have_one) {
  const TemporaryFolder folder;
  EXPECT_FALSE(stamp_of(folder.path()));
  EXPECT_FALSE(stamp_of(folder / "missing"));
  EXPECT_FALSE(stamp_of("/dev/null"));
}

TEST(FileStampTest, a_stamp_settles_two_seconds_after_the_last_change) {
  constexpr std::int64_t kSecond_ns = 1'000'000'000;
  FileStamp stamp;
  stamp.modified_ns = 100 * kSecond_ns;
  stamp.changed_ns = 90 * kSecond_ns;
  EXPECT_FALSE(has_settled(stamp, 101 * kSecond_ns));
  EXPECT_FALSE(has_settled(stamp, 102 * kSecond_ns));
  EXPECT_TRUE(has_settled(stamp, 102 * kSecond_ns + 1));
  stamp.changed_ns = 101 * kSecond_ns;
  EXPECT_FALSE(has_settled(stamp, 102 * kSecond_ns + 1));
  stamp.modified_ns = 200 * kSecond_ns;
  EXPECT_FALSE(has_settled(stamp, 150 * kSecond_ns)) << "from the future";
}

}  // namespace
}  // namespace strobe

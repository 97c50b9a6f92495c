#include "strobe/base/mapped_file.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_folder.h"

namespace strobe {
namespace {

using testing::put_bytes;
using testing::TemporaryFolder;

TEST(MappedFileTest, the_bytes_of_the_file_outlive_its_name) {
  const TemporaryFolder folder;
  const std::string text(100'000, 'x');
  put_bytes(folder / "a", text);
  const auto file = MappedFile::open(folder / "a");
  ASSERT_TRUE(file);
  std::filesystem::remove(folder / "a");
  const std::span<const char> bytes = (*file)->bytes();
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), text);
}

TEST(MappedFileTest, what_cannot_be_mapped_is_told) {
  const TemporaryFolder folder;
  put_bytes(folder / "empty", "");
  for (const auto& path : {folder / "missing", folder / "empty", folder.path()}) {
    const auto file = MappedFile::open(path);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error().where, path.string());
  }
}

}  // namespace
}  // namespace strobe

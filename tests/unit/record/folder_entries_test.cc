#include "strobe/record/folder_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::put_bytes;
using testing::TemporaryFolder;

TEST(FolderEntries, files_and_folders_are_listed_by_name) {
  const TemporaryFolder folder;
  put_bytes(folder / "b", "");
  put_bytes(folder / ".hidden", "");
  std::filesystem::create_directory(folder / "a");
  EXPECT_THAT(paths_in(folder.path()), ElementsAre(folder / ".hidden", folder / "a", folder / "b"));
}

TEST(FolderEntries, what_is_no_folder_has_nothing_in_it) {
  const TemporaryFolder folder;
  put_bytes(folder / "file", "");
  EXPECT_THAT(paths_in(folder / "gone"), IsEmpty());
  EXPECT_THAT(paths_in(folder / "file"), IsEmpty());
}

}  // namespace
}  // namespace strobe::record

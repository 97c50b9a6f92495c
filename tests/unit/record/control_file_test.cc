#include "strobe/record/control_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>

#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

using testing::bytes_of;
using testing::put_bytes;
using testing::TemporaryFolder;

TEST(ControlFile, a_request_is_a_higher_number_in_the_file) {
  const TemporaryFolder folder;
  const Result<ControlFile> control = ControlFile::open(folder.path());
  ASSERT_TRUE(control);
  EXPECT_EQ(bytes_of(folder / ".control"), std::string(8, '\0'));
  control->ask();
  control->ask();
  std::uint64_t number = 0;
  const std::string bytes = bytes_of(folder / ".control");
  ASSERT_EQ(bytes.size(), sizeof number);
  std::memcpy(&number, bytes.data(), sizeof number);
  EXPECT_EQ(number, 2u);
}

TEST(ControlFile, recorders_of_one_folder_share_it) {
  const TemporaryFolder folder;
  const Result<ControlFile> first = ControlFile::open(folder.path());
  ASSERT_TRUE(first);
  first->ask();
  const Result<ControlFile> second = ControlFile::open(folder.path());
  ASSERT_TRUE(second);
  EXPECT_EQ(second->requests(), 1u);
  second->ask();
  EXPECT_EQ(first->requests(), 2u);
}

TEST(ControlFile, the_disk_has_its_bytes_from_the_start) {
  const TemporaryFolder folder;
  ASSERT_TRUE(ControlFile::open(folder.path()));
  struct stat status {};
  ASSERT_EQ(stat((folder / ".control").c_str(), &status), 0);
  EXPECT_GT(status.st_blocks, 0);
}

TEST(ControlFile, a_full_disk_is_an_error) {
  const TemporaryFolder folder;
  const testing::FullDisk full;
  EXPECT_FALSE(ControlFile::open(folder.path()));
}

TEST(ControlFile, a_folder_that_is_gone_is_an_error) {
  EXPECT_FALSE(ControlFile::open("/no/such/folder"));
}

}  // namespace
}  // namespace strobe::record

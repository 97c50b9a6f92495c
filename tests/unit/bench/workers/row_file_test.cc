#include "strobe/bench/workers/row_file.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RowFile, values_come_back) {
  const strobe::testing::TemporaryFolder folder;
  const std::string path = (folder / "x").string();
  const std::vector<float> values = {1.5f, -2.0f};
  ASSERT_TRUE(write_row_file(path, values));
  EXPECT_THAT(read_row_file(path, 2).value(), ElementsAre(1.5f, -2.0f));
}

TEST(RowFile, too_few_values_are_counted_out) {
  const strobe::testing::TemporaryFolder folder;
  strobe::testing::put_bytes(folder / "x", "1234567");
  const auto values = read_row_file((folder / "x").string(), 2);
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().what, "the worker gave 7 bytes of values, not 8");
}

TEST(RowFile, a_full_disk_is_named) {
  const std::vector<float> values(10, 1.0f);
  const auto written = write_row_file("/dev/full", values);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().what, HasSubstr("the disk is full"));
}

TEST(RowFile, the_folder_goes_with_its_owner) {
  std::string file;
  {
    const auto folder = RowFolder::make();
    ASSERT_TRUE(folder);
    file = folder->file("a");
    strobe::testing::put_bytes(file, "x");
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path()));
}

}  // namespace
}  // namespace strobe::bench

#include "strobe/record/inject/activity/thread_numbers.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

using testing::TemporaryFolder;

TEST(ThreadNumbersTest, EachThreadHasOneNumber) {
  const TemporaryFolder folder;
  wire::RunFileWriter file;
  ASSERT_TRUE(file.open((folder / "run.strobe").string()));
  ThreadNumbers threads(file);
  const std::uint64_t mine = threads.mine();
  EXPECT_EQ(mine, 0u);
  std::uint64_t other = 0;
  std::thread([&] { other = threads.mine(); }).join();
  EXPECT_EQ(other, 1u);
  EXPECT_EQ(threads.mine(), mine);
  threads.restart();
  EXPECT_EQ(threads.of(12345), 0u);
  EXPECT_EQ(threads.mine(), 1u);
}

}  // namespace
}  // namespace strobe::record

#include "strobe/record/driver_check.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

TEST(DriverCheck, a_device_that_the_module_lists_is_not_enough_without_the_library) {
  if (start_driver()) GTEST_SKIP() << "this machine has a CUDA driver";
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "0000:01:00.0");
  for (const std::filesystem::path& listed : {folder.path(), folder.path() / "none"}) {
    const Result<void> checked = check_driver(listed);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, ErrorCode::kMachineLacks);
  }
}

}  // namespace
}  // namespace strobe::record

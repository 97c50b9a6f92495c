#include "strobe/record/obstacles.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

TEST(DriverCheck, a_device_that_the_module_lists_is_not_enough_without_the_library) {
  if (std::filesystem::exists("/proc/driver/nvidia")) {
    GTEST_SKIP() << "this machine has a CUDA driver";
  }
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "0000:01:00.0");
  for (const std::filesystem::path& listed : {folder.path(), folder.path() / "none"}) {
    const Result<void> checked = check_driver(listed);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, ErrorCode::kMachineLacks);
  }
}

}  // namespace

namespace {

using ::testing::HasSubstr;
using wire::Obstacle;

TEST(ObstacleText, what_the_machine_lacks_comes_with_a_remedy) {
  for (const Obstacle what :
       {Obstacle::kNoLibrary, Obstacle::kOldLibrary, Obstacle::kOtherTool, Obstacle::kNoPermission,
        Obstacle::kCountersBusy, Obstacle::kUnsupportedDevice, Obstacle::kUnknownMetric,
        Obstacle::kSetup, Obstacle::kMeasure, Obstacle::kMismatch, Obstacle::kDropped}) {
    const Error error = explain(what, "the library's words", "app");
    EXPECT_EQ(error.code, ErrorCode::kMachineLacks);
    EXPECT_THAT(error.what, HasSubstr("the library's words"));
    EXPECT_NE(error.hint, "");
    EXPECT_NE(error.what.back(), '.');
  }
}

TEST(ObstacleText, forbidden_counters_name_every_way_to_be_allowed) {
  const std::string hint = explain(Obstacle::kNoPermission, "", "app").hint;
  EXPECT_THAT(hint, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(hint, HasSubstr("CAP_SYS_ADMIN"));
  EXPECT_THAT(hint, HasSubstr("CAP_PERFMON"));
}

TEST(ObstacleText, the_process_with_another_profiler_is_named) {
  EXPECT_THAT(explain(Obstacle::kOtherTool, "", "python3").what, HasSubstr("'python3'"));
}

}  // namespace

}  // namespace strobe::record

#include "strobe/record/obstacle_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::record {
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

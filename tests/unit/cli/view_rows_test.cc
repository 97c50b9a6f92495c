#include "strobe/cli/view_rows.h"

#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

TEST(ViewRowsTest, only_the_rows_of_the_device_stay) {
  const auto answer = rows_of_device(
      R"({"metadata": {"rows": 1}, "rows": {"CPU": [[1]], "GPU0": [[2], [3]]}, "z": 0})", "GPU0");
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, R"({"metadata": {"rows": 1}, "rows": {"GPU0": [[2], [3]]}, "z": 0})");
}

TEST(ViewRowsTest, a_device_without_rows_is_answered_with_those_that_have) {
  const auto answer = rows_of_device(R"({"rows": {"CPU": [], "GPU0": []}})", "GPU1");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(answer.error().what, "'GPU1' is not one of CPU, GPU0");
}

TEST(ViewRowsTest, views_without_devices_say_so) {
  EXPECT_FALSE(rows_of_device(R"({"rows": []})", "GPU0"));
  EXPECT_FALSE(rows_of_device("null", "GPU0"));
  EXPECT_EQ(rows_of_device(R"({"rows": {}})", "GPU0").error().code, ErrorCode::kTooLittleData);
}

}  // namespace
}  // namespace strobe::cli

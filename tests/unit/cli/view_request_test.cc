#include "strobe/cli/view_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

using tensorboard::Variant;
using ::testing::HasSubstr;

Result<ViewRequest> read_view(const std::vector<std::string>& words, const TypedFlags& flags = {}) {
  return typed_request(view_flags, complete_view, words, flags);
}

TEST(ViewRequestTest, a_view_and_its_traces_are_enough) {
  const auto request = read_view({"kernel/table", "a.json", "-"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->view, "kernel/table");
  ASSERT_EQ(request->traces.size(), 2u);
  EXPECT_EQ(request->traces[1], "/dev/stdin");
  EXPECT_EQ(request->options.variant, Variant::kByContent);
  EXPECT_FALSE(request->options.device_steps);
  EXPECT_FALSE(request->options.driver_launches);
}

TEST(ViewRequestTest, flags_become_the_plugins_parameters) {
  const auto request = read_view({"operation/stack", "a.json"}, {{"op-name", "aten::mm"},
                                                                 {"group-by", "Operation"},
                                                                 {"start", "10"},
                                                                 {"end", "20"},
                                                                 {"variant", "mlu-b"},
                                                                 {"device-steps", ""}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->parameters.at("op_name"), "aten::mm");
  EXPECT_EQ(request->parameters.at("group_by"), "Operation");
  EXPECT_EQ(request->parameters.at("start_ts"), "10");
  EXPECT_EQ(request->parameters.at("end_ts"), "20");
  EXPECT_EQ(request->options.variant, Variant::kMluB);
}

TEST(ViewRequestTest, a_view_that_does_not_exist_is_answered_with_those_that_do) {
  const auto request = read_view({"kernels", "a.json"});
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(request.error().what, HasSubstr("kernel/table"));
  EXPECT_THAT(request.error().hint, HasSubstr("kernel"));
}

TEST(ViewRequestTest, what_is_needed_is_asked_for) {
  EXPECT_FALSE(read_view({}));
  EXPECT_FALSE(read_view({"overview"}));
  EXPECT_FALSE(read_view({"operation/stack", "a.json"}));
  EXPECT_FALSE(read_view({"overview", "a.json"}, {{"start", "soon"}}));
}

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
  const auto none = rows_of_device(R"({"rows": {}})", "GPU0");
  EXPECT_EQ(none.error().code, ErrorCode::kTooLittleData);
  EXPECT_EQ(none.error().where, "");  // a flag is no place for data
}

}  // namespace
}  // namespace strobe::cli

#include "strobe/cli/view_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

using tensorboard::Variant;
using testing::HasSubstr;

Result<ViewRequest> typed(std::vector<std::string> words,
                          std::initializer_list<std::pair<std::string, std::string>> flags = {}) {
  Arguments arguments;
  arguments.positionals = std::move(words);
  for (const auto& [flag, value] : flags) arguments.add(flag, value);
  return read_view_request(arguments);
}

TEST(ViewRequestTest, a_view_and_its_traces_are_enough) {
  const auto request = typed({"kernel/table", "a.json", "-"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->view, "kernel/table");
  ASSERT_EQ(request->traces.size(), 2u);
  EXPECT_EQ(request->traces[1], "/dev/stdin");
  EXPECT_EQ(request->options.variant, Variant::kByContent);
  EXPECT_FALSE(request->options.device_steps);
  EXPECT_FALSE(request->options.driver_launches);
}

TEST(ViewRequestTest, flags_become_the_plugins_parameters) {
  const auto request = typed({"operation/stack", "a.json"}, {{"op-name", "aten::mm"},
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
  const auto request = typed({"kernels", "a.json"});
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(request.error().what, HasSubstr("kernel/table"));
  EXPECT_THAT(request.error().hint, HasSubstr("kernel"));
}

TEST(ViewRequestTest, what_is_needed_is_asked_for) {
  EXPECT_FALSE(typed({}));
  EXPECT_FALSE(typed({"overview"}));
  EXPECT_FALSE(typed({"operation/stack", "a.json"}));
  EXPECT_FALSE(typed({"overview", "a.json"}, {{"start", "soon"}}));
}

}  // namespace
}  // namespace strobe::cli

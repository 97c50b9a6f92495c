#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ViewDesk desk() {
  ViewDesk made;
  made.add("worker0", TraceLines()
                          .launch("aten::mm", 0, 50, "h884gemm", 100, 10)
                          .launch("aten::add", 50, 50, "add", 120, 2.5)
                          .text());
  return made;
}

TEST(KernelTest, the_pie_holds_sums_and_the_other_pie_shares) {
  EXPECT_EQ(member(desk().body("kernel"), "rows"), R"([["h884gemm", 10.0], ["add", 2.5]])");
  EXPECT_EQ(member(desk().body("kernel/tc_pie"), "rows"),
            R"([["Using Tensor Cores", 0.8], ["Not Using Tensor Cores", 0.19999999999999996]])");
}

TEST(KernelTest, the_table_by_name_is_rounded) {
  const std::string body = desk().body("kernel/table", {{"group_by", "Kernel"}});
  EXPECT_EQ(member(body, "rows"),
            R"([["h884gemm", "Yes", 1, 10, 10, 10, 10], ["add", "No", 1, 2, 2, 2, 2]])");
  EXPECT_THAT(body, Not(HasSubstr("Mean Blocks Per SM")));
}

TEST(KernelTest, the_table_by_operator_is_not_and_numbers_of_a_launch_are_texts) {
  EXPECT_EQ(
      member(desk().body("kernel/table"), "rows"),
      R"([["h884gemm", "aten::mm", "None", "None", "0", "0", "Yes", "Yes", 1, 10, 10, 10, 10], )"
      R"(["add", "aten::add", "None", "None", "0", "0", "No", "No", 1, 2.5, 2, 2.5, 2.5]])");
}

}  // namespace
}  // namespace strobe::tensorboard

#include "strobe/tensorboard/operator_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/tensorboard/profile.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> described_groups(const Profile& profile,
                                          const std::vector<OperatorGroup>& groups) {
  std::vector<std::string> lines;
  for (const OperatorGroup& group : groups) {
    lines.push_back(std::string(profile.events.text(group.name)) + " " + group.input_shape + " x" +
                    std::to_string(group.calls));
  }
  return lines;
}

TEST(OperatorGroupsTest, children_come_before_their_parents) {
  const auto profile =
      profile_of(TraceLines().op("outer", 0, 20).op("inner", 1, 5).op("next", 30, 5));
  EXPECT_THAT(described_groups(*profile, profile->operators.by_name),
              ElementsAre("inner [] x1", "outer [] x1", "next [] x1"));
}

TEST(OperatorGroupsTest, shapes_that_look_alike_are_one_however_they_are_written) {
  const auto profile = profile_of(TraceLines()
                                      .op("mm", 0, 1, R"("Input Dims":[[2, 3]])")
                                      .op("mm", 2, 1, R"("Input Dims":[[2,3]])")
                                      .op("mm", 4, 1, R"("Input dims":[[4]])"));
  EXPECT_THAT(described_groups(*profile, profile->operators.by_name),
              ElementsAre("mm [[2, 3]] x3"));
  EXPECT_THAT(described_groups(*profile, profile->operators.by_shape),
              ElementsAre("mm [[2, 3]] x2", "mm [[4]] x1"));
}

TEST(OperatorGroupsTest, groups_by_stack_leave_out_operators_without_one) {
  const auto profile = profile_of(TraceLines()
                                      .op("mm", 0, 1, R"("Call stack":"a.py:1")")
                                      .op("mm", 2, 1, R"("Call stack":"b.py:2")")
                                      .op("mm", 4, 1, R"("Call stack":"a.py:1","Input Dims":[[4]])")
                                      .op("mm", 6, 1));
  EXPECT_THAT(described_groups(*profile, profile->operators.by_name_and_stack),
              ElementsAre("mm [] x2", "mm [] x1"));
  EXPECT_THAT(described_groups(*profile, profile->operators.by_shape_and_stack),
              ElementsAre("mm [] x1", "mm [] x1", "mm [[4]] x1"));
}

TEST(OperatorGroupsTest, optimizers_wrappers_and_other_ranges_are_no_operators) {
  const auto profile = profile_of(TraceLines()
                                      .op("Optimizer.zero_grad#SGD.zero_grad", 0, 1)
                                      .op("DataParallel.forward", 2, 1)
                                      .x("python", "script.py", 4, 1)
                                      .op("enumerate(DataPipe)#x", 6, 1)
                                      .op("aten::mm", 8, 1));
  EXPECT_THAT(described_groups(*profile, profile->operators.by_name),
              ElementsAre("aten::mm [] x1"));
}

TEST(OperatorGroupsTest, sums_are_in_order_and_eligibility_is_the_first_members) {
  const auto profile =
      profile_of(TraceLines().op("custom", 0, 10).launch("custom", 20, 10, "hmma_kernel", 100, 7));
  const OperatorGroup& group = profile->operators.by_name.at(0);
  EXPECT_FALSE(group.is_eligible);
  EXPECT_EQ(group.calls, 2u);
  EXPECT_EQ(group.host_total, Number::whole(20));
  EXPECT_EQ(group.host_self, Number::whole(19));  // one microsecond was the launch
  EXPECT_EQ(group.tensor_core_self, Number::whole(7));
}

}  // namespace
}  // namespace strobe::tensorboard

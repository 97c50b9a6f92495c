#include "strobe/tensorboard/step_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/tensorboard/profile.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

Range range(double start, double end) { return {Number::whole(start), Number::whole(end)}; }

Steps one_step(double start, double end) {
  Steps steps;
  steps.all.push_back({.name = "0", .range = range(start, end)});
  return steps;
}

TimeRoles roles_of(std::initializer_list<std::pair<Role, Ranges>> given) {
  TimeRoles roles;
  for (const auto& [role, ranges] : given) roles.ranges[static_cast<std::size_t>(role)] = ranges;
  return roles;
}

TEST(StepCostsTest, a_moment_counts_for_the_first_role_that_has_it) {
  const CostTable table =
      count_costs(one_step(0, 100), roles_of({{Role::kKernel, {range(10, 30)}},
                                              {Role::kMemcpy, {range(20, 40)}},
                                              {Role::kCpuExec, {range(0, 50)}}}));
  const StepCosts& costs = table.steps[0];
  EXPECT_EQ(costs[Role::kKernel], Number::whole(20));
  EXPECT_EQ(costs[Role::kMemcpy], Number::whole(10));
  EXPECT_EQ(costs[Role::kCpuExec], Number::whole(20));
  EXPECT_EQ(costs[Role::kOther], Number::whole(50));
  EXPECT_EQ(costs.total, Number::whole(100));
}

TEST(StepCostsTest, when_all_moments_are_used_up_the_next_role_starts_with_all_of_them_again) {
  const CostTable table =
      count_costs(one_step(0, 100), roles_of({{Role::kKernel, {range(0, 100)}},
                                              {Role::kMemcpy, {range(20, 40)}},
                                              {Role::kCpuExec, {range(0, 50)}}}));
  const StepCosts& costs = table.steps[0];
  EXPECT_EQ(costs[Role::kKernel], Number::whole(100));
  EXPECT_EQ(costs[Role::kMemcpy], Number::whole(20));  // counted twice, as the plugin did
  EXPECT_EQ(costs[Role::kCpuExec], Number::whole(30));
  EXPECT_EQ(costs[Role::kOther], Number::whole(50));
}

TEST(StepCostsTest, averages_are_over_the_steps) {
  Steps steps = one_step(0, 10);
  steps.all.push_back({.name = "1", .range = range(10, 25)});
  const CostTable table = count_costs(steps, roles_of({{Role::kKernel, {range(5, 20)}}}));
  EXPECT_EQ(to_text(table.average.total), "12.5");
  EXPECT_EQ(to_text(table.average[Role::kKernel]), "7.5");
}

TEST(StepCostsTest, overlap_is_computation_and_communication_at_once) {
  const CostTable table = count_costs(
      one_step(0, 100),
      roles_of({{Role::kKernel, {range(10, 40)}}, {Role::kCommunication, {range(30, 60)}}}));
  const StepOverlap& overlap = table.overlaps[0];
  EXPECT_EQ(overlap.computation, Number::whole(30));
  EXPECT_EQ(overlap.communication, Number::whole(30));
  EXPECT_EQ(overlap.overlap, Number::whole(10));
  EXPECT_EQ(overlap.other, Number::whole(50));
}

TEST(StepCostsTest, each_event_has_the_role_of_its_type_and_name) {
  const auto profile =
      *read_profile(TraceLines()
                        .op("aten::mm", 0, 10)
                        .x("gpu_user_annotation", "decode", 20, 5, "", "7", "0")
                        .x("user_annotation", "enumerate(DataLoader)#x.__next__", 40, 5)
                        .x("gpu_memset", "Memset", 60, 5)
                        .x("user_annotation", "nccl:all_reduce", 80, 5, R"("External id":3)")
                        .x("kernel", "ncclKernel", 90, 5, R"("External id":3)", "7", "0")
                        .text());
  EXPECT_EQ(profile->roles[Role::kCpuExec], (Ranges{range(0, 10), range(20, 25)}));
  EXPECT_EQ(profile->roles[Role::kDataLoader], Ranges{range(40, 45)});
  EXPECT_EQ(profile->roles[Role::kMemset], Ranges{range(60, 65)});
  EXPECT_EQ(profile->roles[Role::kCommunication], (Ranges{range(80, 85), range(90, 95)}));
  EXPECT_FALSE(profile->has_kernel());
}

}  // namespace
}  // namespace strobe::tensorboard

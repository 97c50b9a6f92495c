#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/tensorboard/profile.h"
#include "strobe/tensorboard/steps.h"
#include "tests/unit/tensorboard/forest_sketch.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::ElementsAre;

// "5: 10..20" per step.
std::vector<std::string> steps_of(const TraceLines& lines) {
  auto profile = read_profile(lines.text());
  EXPECT_TRUE(profile);
  std::vector<std::string> steps;
  for (const Step& step : (*profile)->steps.all) {
    steps.push_back(step.name + ": " + to_text(step.range.start) + ".." + to_text(step.range.end));
  }
  return steps;
}

TEST(StepsTest, without_steps_the_host_is_one_step) {
  EXPECT_THAT(steps_of(TraceLines().op("a", 5, 10).op("b", 20, 4).x("kernel", "k", 1, 90)),
              ElementsAre("0: 5..24"));
}

TEST(StepsTest, without_a_host_the_device_is_the_step) {
  EXPECT_THAT(steps_of(TraceLines().x("kernel", "k", 1, 90)), ElementsAre("0: 1..91"));
  EXPECT_THAT(steps_of(TraceLines()), ElementsAre("0: 0..0"));
}

TEST(StepsTest, the_name_of_a_step_is_its_number) {
  EXPECT_THAT(steps_of(TraceLines().x("cpu_op", "ProfilerStep#007", 5, 10)),
              ElementsAre("7: 5..15"));
}

TEST(StepsTest, a_step_lasts_until_its_device_work_is_done_and_the_next_begins_then) {
  EXPECT_THAT(steps_of(TraceLines()
                           .step(1, 0, 100)
                           .launch("a", 10, 20, "k", 50, 90)  // until 140
                           .step(2, 100, 100)
                           .launch("b", 110, 20, "k", 150, 20)),
              ElementsAre("1: 0..140", "2: 140..200"));
}

TEST(StepsTest, work_from_before_the_first_step_pushes_its_start_back) {
  EXPECT_THAT(steps_of(TraceLines()
                           .x("kernel", "early", 5, 25, R"("correlation":99)", "7", "0")
                           .step(1, 10, 90)
                           .launch("a", 20, 20, "k", 50, 10)),
              ElementsAre("1: 30..100"));
}

TEST(StepsTest, a_call_that_outlasts_its_step_belongs_to_none) {
  EXPECT_THAT(steps_of(TraceLines()
                           .step(1, 0, 12)
                           .step(2, 12, 88)
                           .launch("across", 10, 20, "k", 50, 90)  // called from 11 to 12: inside
                           .x("cuda_runtime", "out", 11.5, 1, R"("correlation":77)")
                           .x("kernel", "k2", 150, 10, R"("correlation":77)", "7", "0")),
              ElementsAre("1: 0..140"));
}

TEST(StepsTest, steps_after_the_last_device_work_are_cut_off) {
  EXPECT_THAT(
      steps_of(
          TraceLines().step(1, 0, 10).launch("a", 1, 5, "k", 3, 4).step(2, 10, 10).step(3, 20, 10)),
      ElementsAre("1: 0..10"));
}

TEST(StepsTest, a_last_step_with_much_less_device_work_is_cut_off_too) {
  const auto lines = [](int launches_of_first, int launches_of_last) {
    TraceLines trace;
    trace.step(1, 0, 100).step(2, 100, 100);
    for (int i = 0; i < launches_of_first; ++i) trace.launch("a", 4 * i, 3, "k", 4 * i, 1);
    for (int i = 0; i < launches_of_last; ++i)
      trace.launch("a", 100 + 4 * i, 3, "k", 100 + 4 * i, 1);
    return trace;
  };
  EXPECT_THAT(steps_of(lines(5, 4)), ElementsAre("1: 0..100", "2: 100..200"));  // 5 * 0.8 is 4
  EXPECT_THAT(steps_of(lines(6, 4)), ElementsAre("1: 0..100"));
}

TEST(StepsTest, without_device_work_no_step_is_cut_off) {
  EXPECT_THAT(steps_of(TraceLines().step(1, 0, 10).step(2, 10, 10)),
              ElementsAre("1: 0..10", "2: 10..20"));
}

TEST(StepsTest, the_profile_is_what_the_profiler_says_or_else_everything) {
  const auto range_of = [](const TraceLines& lines) {
    return (*read_profile(lines.text()))->steps.profile;
  };
  TraceLines lines;
  lines.op("a", 10, 5);
  EXPECT_EQ(range_of(lines), (Range{Number::whole(10), Number::whole(15)}));
  lines.x("Trace", "PyTorch Profiler (0)", 2, 50);
  EXPECT_EQ(range_of(lines), (Range{Number::whole(2), Number::whole(52)}));
}

Steps one_step_of(double start, double end) {
  Steps steps;
  steps.all.push_back({.name = "0", .range = whole_range(start, end)});
  return steps;
}

TimeRoles roles_of(std::initializer_list<std::pair<Role, Ranges>> given) {
  TimeRoles roles;
  for (const auto& [role, ranges] : given) roles.ranges[static_cast<std::size_t>(role)] = ranges;
  return roles;
}

TEST(StepCostsTest, a_moment_counts_for_the_first_role_that_has_it) {
  const CostTable table =
      count_costs(one_step_of(0, 100), roles_of({{Role::kKernel, {whole_range(10, 30)}},
                                                 {Role::kMemcpy, {whole_range(20, 40)}},
                                                 {Role::kCpuExec, {whole_range(0, 50)}}}));
  const StepCosts& costs = table.steps[0];
  EXPECT_EQ(costs[Role::kKernel], Number::whole(20));
  EXPECT_EQ(costs[Role::kMemcpy], Number::whole(10));
  EXPECT_EQ(costs[Role::kCpuExec], Number::whole(20));
  EXPECT_EQ(costs[Role::kOther], Number::whole(50));
  EXPECT_EQ(costs.total, Number::whole(100));
}

TEST(StepCostsTest, when_all_moments_are_used_up_the_next_role_starts_with_all_of_them_again) {
  const CostTable table =
      count_costs(one_step_of(0, 100), roles_of({{Role::kKernel, {whole_range(0, 100)}},
                                                 {Role::kMemcpy, {whole_range(20, 40)}},
                                                 {Role::kCpuExec, {whole_range(0, 50)}}}));
  const StepCosts& costs = table.steps[0];
  EXPECT_EQ(costs[Role::kKernel], Number::whole(100));
  EXPECT_EQ(costs[Role::kMemcpy], Number::whole(20));  // counted twice, as the plugin did
  EXPECT_EQ(costs[Role::kCpuExec], Number::whole(30));
  EXPECT_EQ(costs[Role::kOther], Number::whole(50));
}

TEST(StepCostsTest, averages_are_over_the_steps) {
  Steps steps = one_step_of(0, 10);
  steps.all.push_back({.name = "1", .range = whole_range(10, 25)});
  const CostTable table = count_costs(steps, roles_of({{Role::kKernel, {whole_range(5, 20)}}}));
  EXPECT_EQ(to_text(table.average.total), "12.5");
  EXPECT_EQ(to_text(table.average[Role::kKernel]), "7.5");
}

TEST(StepCostsTest, overlap_is_computation_and_communication_at_once) {
  const CostTable table =
      count_costs(one_step_of(0, 100), roles_of({{Role::kKernel, {whole_range(10, 40)}},
                                                 {Role::kCommunication, {whole_range(30, 60)}}}));
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
  EXPECT_EQ(profile->roles[Role::kCpuExec], (Ranges{whole_range(0, 10), whole_range(20, 25)}));
  EXPECT_EQ(profile->roles[Role::kDataLoader], Ranges{whole_range(40, 45)});
  EXPECT_EQ(profile->roles[Role::kMemset], Ranges{whole_range(60, 65)});
  EXPECT_EQ(profile->roles[Role::kCommunication],
            (Ranges{whole_range(80, 85), whole_range(90, 95)}));
  EXPECT_FALSE(profile->has_kernel());
}

}  // namespace

}  // namespace strobe::tensorboard

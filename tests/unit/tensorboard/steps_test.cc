#include "strobe/tensorboard/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/tensorboard/profile.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using testing::ElementsAre;

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

}  // namespace
}  // namespace strobe::tensorboard

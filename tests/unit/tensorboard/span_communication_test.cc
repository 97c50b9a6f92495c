#include "strobe/tensorboard/span_communication.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using testing::ElementsAre;

std::shared_ptr<const Profile> read(const TraceLines& lines) {
  auto profile = read_profile(lines.text());
  EXPECT_TRUE(profile);
  return *profile;
}

TraceLines& call(TraceLines& lines, int ext, double ts, double dur, double kernel_ts,
                 double kernel_dur, std::string_view name = "nccl:all_reduce") {
  const std::string ids = "\"External id\":" + std::to_string(ext);
  lines.op(name, ts, dur, ids);
  return lines.x("kernel", "ncclKernel", kernel_ts, kernel_dur,
                 ids + ",\"device\":0,\"correlation\":" + std::to_string(ext), "7", "0");
}

std::vector<std::string> steps_of(const std::vector<CommCall>& calls) {
  std::vector<std::string> steps;
  for (const CommCall& call : calls) steps.push_back(call.step.value_or("none"));
  return steps;
}

TEST(SpanCommunicationTest, a_call_has_its_own_range_and_those_of_its_kernels_by_start) {
  TraceLines lines;
  call(lines, 5, 100, 10, 90, 40);
  const auto calls = list_calls(*read(lines));
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_THAT(calls[0].ranges, ElementsAre(Range{Number::whole(90), Number::whole(130)},
                                           Range{Number::whole(100), Number::whole(110)}));
}

TEST(SpanCommunicationTest, a_call_across_the_end_of_a_step_has_none_and_the_next_may_have_one) {
  TraceLines lines;
  lines.step(1, 0, 100).step(2, 100, 100);
  call(lines, 5, 10, 10, 30, 5);
  call(lines, 6, 95, 10, 110, 5);
  call(lines, 7, 120, 10, 130, 5);
  call(lines, 8, 500, 10, 520, 5);
  EXPECT_THAT(steps_of(list_calls(*read(lines))), ElementsAre("1", "none", "2", "none"));
}

TEST(SpanCommunicationTest, a_call_before_the_first_step_does_not_move_on) {
  TraceLines lines;
  lines.step(1, 100, 100);
  call(lines, 5, 10, 10, 30, 5);
  call(lines, 6, 120, 10, 140, 5);
  EXPECT_THAT(steps_of(list_calls(*read(lines))), ElementsAre("none", "1"));
}

TEST(SpanCommunicationTest, two_libraries_in_one_trace_leave_no_list) {
  TraceLines lines;
  call(lines, 5, 10, 10, 30, 5);
  call(lines, 6, 50, 10, 70, 5, "gloo:broadcast");
  EXPECT_TRUE(list_calls(*read(lines)).empty());
}

class JoinTest : public testing::Test {
 protected:
  void add(std::string worker, const TraceLines& lines, std::string span = "1") {
    run_.profiles.push_back({std::move(worker), std::move(span), read(lines), {}});
  }

  tensorboard::Run run_;
};

TEST_F(JoinTest, the_shortest_range_among_the_workers_is_the_transfer) {
  TraceLines slow;
  TraceLines fast;
  call(slow, 5, 100, 10, 110, 40);
  call(fast, 5, 100, 4, 140, 10);
  add("b", slow);
  add("a", fast);
  const auto joined = join_workers(run_, "1");
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->workers[0].worker, "a");
  EXPECT_THAT(joined->workers[1].calls[0].transfers,
              ElementsAre(Range{Number::whole(106), Number::whole(110)},
                          Range{Number::whole(140), Number::whole(150)}));
}

TEST_F(JoinTest, workers_whose_calls_do_not_match_are_not_joined) {
  TraceLines one;
  TraceLines two;
  TraceLines bare;
  call(one, 5, 100, 10, 110, 40);
  call(call(two, 5, 100, 10, 110, 40), 6, 200, 10, 210, 5);
  bare.op("nccl:all_reduce", 100, 10, "\"External id\":5");
  add("a", one);
  EXPECT_TRUE(join_workers(run_, "1")) << "one worker is enough";
  add("b", two, "2");
  EXPECT_TRUE(join_workers(run_, "1")) << "another span does not matter";
  run_.profiles[1].span = "1";
  EXPECT_FALSE(join_workers(run_, "1")) << "more calls";
  run_.profiles.pop_back();
  add("c", bare);
  EXPECT_FALSE(join_workers(run_, "1")) << "fewer ranges";
  run_.profiles.pop_back();
  add("d", TraceLines().op("aten::mm", 0, 10));
  EXPECT_FALSE(join_workers(run_, "1")) << "no communication";
  EXPECT_FALSE(join_workers(run_, "7"));
}

}  // namespace
}  // namespace strobe::tensorboard

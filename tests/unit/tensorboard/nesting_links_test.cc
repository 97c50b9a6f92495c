#include "strobe/tensorboard/nesting_links.h"

#include <gtest/gtest.h>

#include "strobe/tensorboard/profile.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

TraceLines wrong_ids() {
  TraceLines lines;
  lines.op("aten::linear", 0, 100, R"("External id":1)")
      .op("aten::mm", 10, 50, R"("External id":2)")
      .x("cuda_runtime", "launch", 20, 5, R"("External id":900,"correlation":900)")
      .x("kernel", "k", 200, 30, R"("External id":900,"correlation":900,"device":0)", "7", "0");
  return lines;
}

TEST(NestingLinksTest, a_call_whose_external_id_is_its_correlation_belongs_to_what_is_around_it) {
  const auto without = *read_profile(wrong_ids().text());
  EXPECT_TRUE(without->launched_kernels.empty());
  const auto with = *read_profile(wrong_ids().text(), {.link_by_nesting = true});
  ASSERT_EQ(with->launched_kernels.size(), 1u);
  EXPECT_EQ(with->launched_kernels[0].op_name, "aten::mm");
}

TEST(NestingLinksTest, ids_that_differ_are_left_alone) {
  const auto profile =
      *read_profile(wrong_ids()
                        .x("cuda_runtime", "fine", 30, 5, R"("External id":1,"correlation":901)")
                        .x("kernel", "fine", 240, 5, R"("External id":1,"correlation":901)")
                        .text(),
                    {.link_by_nesting = true});
  ASSERT_EQ(profile->launched_kernels.size(), 2u);
  EXPECT_EQ(profile->launched_kernels[1].op_name, "aten::linear");
}

TEST(NestingLinksTest, kernels_of_repaired_calls_are_repaired_too) {
  const auto profile = *read_profile(
      TraceLines()
          .op("nccl:all_reduce", 0, 50, R"("External id":5)")
          .x("cuda_runtime", "launch", 20, 5, R"("External id":900,"correlation":900)")
          .x("kernel", "nccl", 200, 30, R"("External id":900,"correlation":900)", "7", "0")
          .text(),
      {.link_by_nesting = true});
  EXPECT_FALSE(profile->has_kernel());  // it is communication
}

TEST(NestingLinksTest, the_variant_that_repairs_every_call_lets_the_last_match_win) {
  Events events;
  const auto add = [&](EventType type, double ts, double dur, Link ext, Link corr) {
    Event event;
    event.type = type;
    event.ts_us = ts;
    event.dur_us = dur;
    event.ext = ext;
    event.corr = corr;
    event.pid = event.tid = events.texts.intern("1");
    events.all.push_back(event);
  };
  add(EventType::kOperator, 0, 100, 1, kNoLink);
  add(EventType::kOperator, 10, 50, 0, kNoLink);  // 0 is no external id
  add(EventType::kOperator, 15, 2, 3, kNoLink);   // over before the call begins
  add(EventType::kRuntime, 20, 10, 77, 77);
  add(EventType::kRuntime, 20, 10, 78, 78);  // the same call again, one layer down
  link_all_by_nesting(events);
  EXPECT_EQ(events.all[3].ext, 1);
  EXPECT_EQ(events.all[4].ext, 1);
}

}  // namespace
}  // namespace strobe::tensorboard

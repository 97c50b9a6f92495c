#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/tensorboard/linking.h"
#include "strobe/tensorboard/profile.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<std::string> launched_names(const Profile& profile, const Runtime& runtime) {
  std::vector<std::string> names;
  for (const DeviceWorkId id : runtime.launched) {
    names.emplace_back(profile.events.text(profile.events[profile.forest()[id].event].name));
  }
  return names;
}

TEST(LinkingTest, a_call_takes_the_work_parked_under_its_correlation_and_what_comes_later) {
  const auto profile = profile_of(TraceLines()
                                      .x("kernel", "short", 1, 1, R"("correlation":7)")
                                      .x("kernel", "long", 1, 5, R"("correlation":7)")
                                      .x("cuda_runtime", "launch", 2, 1, R"("correlation":7)")
                                      .x("kernel", "late", 9, 1, R"("correlation":7)"));
  ASSERT_THAT(profile->forest().runtimes, SizeIs(1));
  EXPECT_THAT(launched_names(*profile, profile->forest().runtimes[0]),
              ElementsAre("long", "short", "late"));
}

TEST(LinkingTest, the_last_call_of_a_correlation_owns_what_follows) {
  const auto profile = profile_of(TraceLines()
                                      .x("cuda_runtime", "first", 1, 1, R"("correlation":7)")
                                      .x("cuda_runtime", "second", 2, 1, R"("correlation":7)")
                                      .x("kernel", "k", 3, 1, R"("correlation":7)"));
  EXPECT_THAT(profile->forest().runtimes[0].launched, SizeIs(0));
  EXPECT_THAT(profile->forest().runtimes[1].launched, SizeIs(1));
}

TEST(LinkingTest, kernels_without_a_launch_are_stale_and_copies_are_forgotten) {
  const auto profile = profile_of(TraceLines()
                                      .x("kernel", "k", 3, 1, R"("correlation":7)")
                                      .x("gpu_memcpy", "m", 3, 1, R"("correlation":8)"));
  EXPECT_THAT(profile->links.stale_kernels, SizeIs(1));
}

TEST(LinkingTest, the_first_node_with_an_external_id_gets_all_its_calls) {
  const auto profile =
      profile_of(TraceLines()
                     .op("a", 1, 1, R"("External id":4)")
                     .op("b", 2, 1, R"("External id":4)")
                     .x("cuda_runtime", "x", 3, 1, R"("External id":4,"correlation":1)")
                     .x("cuda_runtime", "y", 4, 1, R"("External id":4,"correlation":2)"));
  EXPECT_THAT(profile->forest().nodes[0].runtimes, SizeIs(2));
  EXPECT_THAT(profile->forest().nodes[1].runtimes, SizeIs(0));
}

TEST(LinkingTest, calls_with_external_id_0_belong_to_the_root_unless_threads_are_texts) {
  const auto call = R"("External id":0,"correlation":1)";
  EXPECT_THAT(profile_of(TraceLines().x("cuda_runtime", "x", 1, 1, call, "5"))->links.root_runtimes,
              SizeIs(1));
  EXPECT_THAT(
      profile_of(TraceLines().x("cuda_runtime", "x", 1, 1, call, "\"5\""))->links.root_runtimes,
      SizeIs(0));
}

TEST(LinkingTest, annotations_become_nodes_only_by_certain_names) {
  const auto profile = profile_of(TraceLines()
                                      .x("user_annotation", "decode", 1, 1)
                                      .x("user_annotation", "Optimizer.step#SGD.step", 2, 1)
                                      .x("user_annotation", "enumerate(DataPipe)#x", 3, 1)
                                      .x("user_annotation", "gloo:all_reduce", 4, 1));
  std::vector<NodeClass> classes;
  for (const NodeId id : profile->links.threads.at(0).nodes) {
    classes.push_back(profile->forest()[id].node_class);
  }
  EXPECT_THAT(classes, ElementsAre(NodeClass::kOptimizer, NodeClass::kLoader, NodeClass::kOp));
}

TEST(LinkingTest, a_later_communication_of_an_external_id_replaces_the_earlier) {
  const auto profile = profile_of(
      TraceLines()
          .op("nccl:all_reduce", 1, 2, R"("External id":4)")
          .op("nccl:broadcast", 5, 2, R"("External id":4)")
          .x("kernel", "ncclKernel", 6, 3, R"("External id":4,"correlation":1)", "7", "0"));
  ASSERT_THAT(profile->links.comm_nodes, SizeIs(1));
  const CommNode& node = profile->links.comm_nodes[0];
  EXPECT_EQ(profile->events.text(profile->events[node.event].name), "nccl:broadcast");
  EXPECT_THAT(node.ranges, ElementsAre(Range{Number::whole(5), Number::whole(7)},
                                       Range{Number::whole(6), Number::whole(9)}));
  EXPECT_FALSE(profile->has_kernel());  // its only kernel communicates
  EXPECT_TRUE(profile->has_communication());
}

TEST(LinkingTest, data_parallel_models_are_noticed) {
  const auto profile =
      profile_of(TraceLines()
                     .op("DataParallel.forward", 1, 1)
                     .x("user_annotation", "DistributedDataParallel.forward", 2, 1));
  EXPECT_TRUE(profile->links.uses_data_parallel);
  EXPECT_TRUE(profile->links.uses_distributed_data_parallel);
}

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
  add(EventType::kOperator, 10, 50, 0, kNoLink);  // 0 is not an external id
  add(EventType::kOperator, 15, 2, 3, kNoLink);   // ends before the call begins
  add(EventType::kRuntime, 20, 10, 77, 77);
  add(EventType::kRuntime, 20, 10, 78, 78);  // the same call again, one layer down
  link_all_by_nesting(events);
  EXPECT_EQ(events.all[3].ext, 1);
  EXPECT_EQ(events.all[4].ext, 1);
}

}  // namespace

}  // namespace strobe::tensorboard

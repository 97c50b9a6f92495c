#include "strobe/fleet/replay/dependency_graph.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/operation_sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::HasSubstr;
using testing::NamedGraph;
using testing::OperationSketch;
using Names = NamedGraph::Names;

// Two stages, one micro-batch each way: 0 computes and sends, 1 receives, computes both ways and
// sends back.
OperationSketch there_and_back() {
  return OperationSketch()
      .at(0, 0, 0)
      .forward(0, 0, 1)
      .add("forward-send", 0, 1, 1.5)
      .add("backward-recv", 0, 1, 4.5)
      .backward(0, 4.5, 6)
      .at(0, 0, 1)
      .add("forward-recv", 0, 0, 1.5)
      .forward(0, 1.5, 2.5)
      .backward(0, 2.5, 4)
      .add("backward-send", 0, 4, 4.5);
}

TEST(DependencyGraphTest, passes_are_a_chain_and_transfers_belong_to_them) {
  const NamedGraph graph(there_and_back().table());
  EXPECT_EQ(graph.before("forward-compute_0_0"), Names{});
  EXPECT_EQ(graph.before("forward-send_0_0"), Names{"forward-compute_0_0"});
  EXPECT_EQ(graph.before("forward-recv_0_1"), Names{});
  EXPECT_EQ(graph.before("forward-compute_0_1"), Names{"forward-recv_0_1"});
  EXPECT_EQ(graph.before("backward-compute_0_1"), Names{"forward-compute_0_1"});
  EXPECT_EQ(graph.before("backward-send_0_1"), Names{"backward-compute_0_1"});
  EXPECT_EQ(graph.before("backward-compute_0_0"),
            (Names{"forward-compute_0_0", "backward-recv_0_0"}));
}

TEST(DependencyGraphTest, the_ends_of_a_transfer_are_one_group) {
  const NamedGraph graph(there_and_back().table());
  EXPECT_EQ(graph.together_with("forward-send_0_0"),
            (Names{"forward-send_0_0", "forward-recv_0_1"}));
  EXPECT_EQ(graph.together_with("backward-recv_0_0"),
            (Names{"backward-send_0_1", "backward-recv_0_0"}));
  EXPECT_EQ(graph.reach_of("forward-send_0_0"), Reach::kOneRank);
  EXPECT_EQ(graph.reach_of("forward-compute_0_0"), Reach::kAlone);
}

TEST(DependencyGraphTest, a_receive_follows_the_pass_before_its_own_in_its_direction) {
  // One forward, one backward pass in turn, as the last stage of a pipeline does.
  const NamedGraph graph(OperationSketch()
                             .at(0, 0, 0)
                             .forward(0, 0, 1)
                             .add("forward-send", 0, 1, 1.5)
                             .forward(1, 1, 2)
                             .add("forward-send", 1, 2, 4.5)
                             .at(0, 0, 1)
                             .add("forward-recv", 0, 0, 1.5)
                             .forward(0, 1.5, 2.5)
                             .backward(0, 2.5, 4)
                             .add("forward-recv", 1, 4, 4.5)
                             .forward(1, 4.5, 5.5)
                             .table());
  EXPECT_EQ(graph.before("forward-recv_1_1"), (Names{"forward-recv_0_1", "forward-compute_0_1"}));
  EXPECT_EQ(graph.before("forward-compute_1_1"),
            (Names{"backward-compute_0_1", "forward-recv_1_1"}));
  EXPECT_EQ(graph.before("forward-send_1_0"), (Names{"forward-send_0_0", "forward-compute_1_0"}));
}

// A send that ends before the first pass has ended, and a receive that starts after the last pass
// has started, move nothing.
TEST(DependencyGraphTest, a_transfer_at_the_wrong_time_stands_alone) {
  const NamedGraph graph(OperationSketch()
                             .at(0, 0, 0)
                             .add("forward-send", 0, 0, 0.5)
                             .forward(0, 0.5, 1)
                             .add("forward-send", 1, 1, 1.5)
                             .at(0, 0, 1)
                             .add("forward-recv", 0, 0, 1.5)
                             .forward(0, 1.5, 2.5)
                             .add("forward-recv", 1, 2, 3)
                             .table());
  EXPECT_EQ(graph.before("forward-send_0_0"), Names{});
  EXPECT_EQ(graph.reach_of("forward-send_0_0"), Reach::kAlone);
  EXPECT_EQ(graph.before("forward-recv_1_1"), Names{});
  EXPECT_EQ(graph.reach_of("forward-recv_1_1"), Reach::kAlone);
  EXPECT_EQ(graph.together_with("forward-send_1_0"),
            (Names{"forward-send_1_0", "forward-recv_0_1"}));
}

TEST(DependencyGraphTest, records_may_be_fifty_microseconds_off) {
  const auto graph_with = [](double send_end_s, double receive_start_s) {
    return NamedGraph(OperationSketch()
                          .at(0, 0, 0)
                          .forward(0, 0, 1)
                          .add("forward-send", 0, 0.5, send_end_s)
                          .at(0, 0, 1)
                          .forward(0, 1, 2)
                          .add("forward-recv", 0, receive_start_s, 3)
                          .table());
  };
  EXPECT_EQ(graph_with(1 - 49e-6, 1 + 49e-6).reach_of("forward-send_0_0"), Reach::kOneRank);
  EXPECT_EQ(graph_with(1 - 51e-6, 1).reach_of("forward-send_0_0"), Reach::kAlone);
  EXPECT_EQ(graph_with(1, 1 + 51e-6).reach_of("forward-recv_0_1"), Reach::kAlone);
}

TEST(DependencyGraphTest, what_has_no_peer_in_the_model_stands_alone) {
  const NamedGraph graph(OperationSketch()
                             .at(0, 0, 0)
                             .add("forward-recv", 0, 0, 0.1)
                             .forward(0, 0.1, 1)
                             .add("forward-send", 0, 1, 1.5)
                             .at(0, 0, 1)
                             .add("forward-recv", 0, 0, 1.5)
                             .forward(0, 1.5, 2.5)
                             .add("forward-send", 0, 2.5, 3)
                             .table());
  EXPECT_EQ(graph.reach_of("forward-recv_0_0"), Reach::kAlone);
  EXPECT_EQ(graph.before("forward-compute_0_0"), Names{});
  EXPECT_EQ(graph.reach_of("forward-send_0_1"), Reach::kAlone);
  EXPECT_EQ(graph.before("forward-send_0_1"), Names{});
}

// Two chunks per stage: the model goes through stage 0, 1, 0, 1. The first pass of stage 0 has its
// input, so its only receive belongs to the second.
TEST(DependencyGraphTest, with_chunks_the_last_stage_sends_to_the_first) {
  const NamedGraph graph(OperationSketch()
                             .at(0, 0, 0)
                             .add("forward-compute", 0, 0, 1, 0, 0)
                             .add("forward-send", 0, 1, 1.5)
                             .add("forward-recv", 0, 1, 3)
                             .add("forward-compute", 1, 3, 4, 1, 2)
                             .add("forward-send", 1, 4, 4.5)
                             .at(0, 0, 1)
                             .add("forward-recv", 0, 0, 1.5)
                             .add("forward-compute", 0, 1.5, 2.5, 0, 1)
                             .add("forward-send", 0, 2.5, 3)
                             .add("forward-recv", 1, 2.5, 4.5)
                             .add("forward-compute", 1, 4.5, 5.5, 1, 3)
                             .add("forward-send", 1, 5.5, 5.6)
                             .table());
  EXPECT_EQ(graph.before("forward-compute_0_0"), Names{});
  EXPECT_EQ(graph.before("forward-compute_1_0"),
            (Names{"forward-compute_0_0", "forward-recv_0_0"}));
  EXPECT_EQ(graph.before("forward-recv_0_0"), Names{"forward-compute_0_0"});
  EXPECT_EQ(graph.together_with("forward-send_0_1"),
            (Names{"forward-send_0_1", "forward-recv_0_0"}));
  EXPECT_EQ(graph.together_with("forward-send_1_0"),
            (Names{"forward-send_1_0", "forward-recv_1_1"}));
  EXPECT_EQ(graph.reach_of("forward-send_1_1"), Reach::kAlone);  // behind the last chunk
}

TEST(DependencyGraphTest, nothing_goes_backwards_before_the_second_last_forward_pass) {
  OperationSketch sketch;
  sketch.at(0, 0, 0).add("backward-recv", 0, 0, 5);
  for (int i = 0; i < 3; ++i) sketch.forward(i, i, i + 1);
  sketch.backward(0, 5, 6);
  sketch.at(0, 0, 1);
  for (int i = 0; i < 3; ++i) sketch.forward(i, i, i + 1);
  sketch.backward(0, 3, 4).add("backward-send", 0, 4, 5);
  const NamedGraph graph(sketch.table());
  EXPECT_EQ(graph.before("backward-recv_0_0"), Names{"forward-compute_1_0"});
  EXPECT_EQ(graph.before("backward-send_0_1"),
            (Names{"forward-compute_1_1", "backward-compute_0_1"}));
}

// A step of one stage with everything but transfers, on two data-parallel ranks.
OperationSketch step_on(int data_ranks, bool has_overlap) {
  OperationSketch sketch;
  for (int rank = 0; rank < data_ranks; ++rank) {
    sketch.at(0, rank, 0)
        .add("params-all-gather", 0, 0, 1, 0)
        .forward(0, 1, 2)
        .backward(0, 2, 3)
        .add("gc", 0, 3, 3)
        .add("layernorm-grads-all-reduce", 0, 4, 5)
        .add("embedding-grads-all-reduce", 0, 5, 6)
        .add("grads-reduce-scatter", 0, has_overlap ? 3 : 6, 7, 0)
        .add("optimizer-clip-main-grad", 0, 8, 9)
        .add("optimizer", 0, 9, 10);
    if (has_overlap) sketch.add("separate-grads-all-reduce", 0, 7, 8, 0);
  }
  return sketch;
}

TEST(DependencyGraphTest, without_overlap_gradients_are_reduced_at_the_end) {
  const NamedGraph graph(step_on(2, false).table());
  EXPECT_EQ(graph.before("forward-compute_0_0"), Names{"params-all-gather_0_0"});
  EXPECT_EQ(graph.before("gc_0_0"), Names{"backward-compute_0_0"});
  EXPECT_EQ(graph.before("layernorm-grads-all-reduce_0_0"), Names{"gc_0_0"});
  EXPECT_EQ(graph.before("embedding-grads-all-reduce_0_0"),
            Names{"layernorm-grads-all-reduce_0_0"});
  EXPECT_EQ(graph.before("grads-reduce-scatter_0_0"),
            (Names{"params-all-gather_0_0", "embedding-grads-all-reduce_0_0"}));
  EXPECT_EQ(graph.before("optimizer-clip-main-grad_0_0"), Names{"grads-reduce-scatter_0_0"});
  EXPECT_EQ(graph.before("optimizer_0_0"), Names{"optimizer-clip-main-grad_0_0"});
}

TEST(DependencyGraphTest, with_overlap_gradients_are_reduced_behind_their_backward_pass) {
  const NamedGraph graph(step_on(2, true).table());
  EXPECT_EQ(graph.before("grads-reduce-scatter_0_0"),
            (Names{"params-all-gather_0_0", "backward-compute_0_0"}));
  EXPECT_EQ(graph.before("layernorm-grads-all-reduce_0_0"),
            (Names{"gc_0_0", "grads-reduce-scatter_0_0"}));
  EXPECT_EQ(graph.before("separate-grads-all-reduce_0_0"), Names{"embedding-grads-all-reduce_0_0"});
  EXPECT_EQ(graph.before("optimizer-clip-main-grad_0_0"), Names{"separate-grads-all-reduce_0_0"});
}

TEST(DependencyGraphTest, without_data_parallelism_nothing_is_gathered_or_scattered) {
  const NamedGraph graph(step_on(1, false).table());
  EXPECT_EQ(graph.before("forward-compute_0_0"), Names{});
  EXPECT_EQ(graph.before("optimizer-clip-main-grad_0_0"), Names{"embedding-grads-all-reduce_0_0"});
}

TEST(DependencyGraphTest, groups_reach_as_far_as_their_kind) {
  OperationSketch sketch;
  for (int rank = 0; rank < 2; ++rank) {
    for (int stage = 0; stage < 3; ++stage) {
      sketch.at(0, rank, stage)
          .add("params-all-gather", 0, 0, 1, 0)
          .add("layernorm-grads-all-reduce", 0, 1, 2)
          .add("grads-reduce-scatter", 0, 3, 4, 0)
          .add("optimizer-clip-main-grad", 0, 4, 5)
          .add("optimizer", 0, 5, 6);
      if (stage != 1) sketch.add("embedding-grads-all-reduce", 0, 2, 3);
    }
  }
  const NamedGraph graph(sketch.table());
  EXPECT_EQ(graph.reach_of("params-all-gather_0_1"), Reach::kAllRanks);
  EXPECT_EQ(graph.together_with("params-all-gather_0_1"), Names{"params-all-gather_0_1"});
  EXPECT_EQ(graph.reach_of("grads-reduce-scatter_0_2"), Reach::kAllRanks);
  EXPECT_EQ(graph.reach_of("embedding-grads-all-reduce_0_0"), Reach::kOneRank);
  EXPECT_EQ(graph.together_with("embedding-grads-all-reduce_0_0"),
            (Names{"embedding-grads-all-reduce_0_0", "embedding-grads-all-reduce_0_2"}));
  EXPECT_EQ(graph.reach_of("optimizer-clip-main-grad_0_0"), Reach::kAllRanks);
  EXPECT_EQ(graph.together_with("optimizer-clip-main-grad_0_0"),
            (Names{"optimizer-clip-main-grad_0_0", "optimizer-clip-main-grad_0_1",
                   "optimizer-clip-main-grad_0_2"}));
  EXPECT_EQ(graph.reach_of("layernorm-grads-all-reduce_0_0"), Reach::kAlone);
  EXPECT_EQ(graph.reach_of("optimizer_0_0"), Reach::kAlone);
}

// The first pass of either stage needs what the first pass of the other sends.
TEST(DependencyGraphTest, a_circle_is_an_error) {
  const OperationTable table = OperationSketch()
                                   .at(4, 0, 0)
                                   .add("forward-recv", 0, 0, 1)
                                   .add("forward-compute", 0, 1, 2, 1, 2)
                                   .add("forward-send", 0, 2, 3)
                                   .at(4, 0, 1)
                                   .add("forward-recv", 0, 0, 1)
                                   .add("forward-compute", 0, 1, 2, 0, 1)
                                   .add("forward-send", 0, 2, 3)
                                   .table();
  const auto graph = build_graph(table);
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().what,
              HasSubstr("the operations of step 4 wait for each other in a circle"));
  EXPECT_NE(graph.error().hint, "");
}

}  // namespace
}  // namespace strobe::fleet

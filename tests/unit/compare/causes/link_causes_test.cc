#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <algorithm>

#include "strobe/compare/causes/cause_rules.h"
#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

constexpr const char* kPinnedUpload = "Memcpy HtoD (Pinned -> Device)";
constexpr const char* kReduce = "AllReduce_Sum_bf16";

std::vector<Cause> link_causes(const CauseSketch& sketch) {
  return sketch.said_by(link_cause_rules());
}

CauseSketch copies(double slowdown, double more_bytes = 1) {
  return CauseSketch(10, 10 + slowdown - 1)
      .function(kPinnedUpload, FunctionKind::kMemcpy, 1, slowdown)
      .bytes(4e7, 4e7 * more_bytes);
}

TEST(Pcie, copies_of_the_same_bytes_that_take_longer_are_the_buss) {
  const auto causes = link_causes(copies(5));
  const Cause* cause = find(causes, CauseKind::kPcie);
  ASSERT_NE(cause, nullptr);
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_EQ(cause->headline, "copies between host and GPU 0 became slower");
  EXPECT_TRUE(mentions(cause->evidence, "40.0 -> 8.0 GB/s (bytes x 1.00)"));
}

TEST(Pcie, the_slower_the_surer) {
  EXPECT_LT(score_of(link_causes(copies(2)), CauseKind::kPcie),
            score_of(link_causes(copies(5)), CauseKind::kPcie));
  EXPECT_LT(score_of(link_causes(copies(2)), CauseKind::kPcie), kConfidentScore);
}

TEST(Pcie, less_traffic_over_the_bus_makes_it_surer) {
  EXPECT_GT(score_of(link_causes(copies(3).metric("GPU 0", "gpu_pcie_receive", 4e9, 2e9)),
                     CauseKind::kPcie),
            score_of(link_causes(copies(3).metric("GPU 0", "gpu_pcie_receive", 4e9, 4e9)),
                     CauseKind::kPcie));
}

TEST(Pcie, traffic_of_another_process_is_named_though_own_copies_are_as_fast) {
  const auto causes = link_causes(copies(1).metric("GPU 0", "gpu_pcie_receive", 4e9, 5e10));
  const Cause* cause = find(causes, CauseKind::kPcie);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, 0.95, 1e-9);
  EXPECT_EQ(cause->headline, "another process copies over the bus of GPU 0");
  EXPECT_TRUE(mentions(cause->against, "own copies did not get slower"));
}

TEST(Pcie, packets_that_were_sent_again_make_it_surer) {
  const auto causes = link_causes(copies(3).metric("GPU 0", "gpu_pcie_replays", 0, 40));
  EXPECT_NEAR(score_of(causes, CauseKind::kPcie),
              score_of(link_causes(copies(3)), CauseKind::kPcie) + 0.1, 1e-9);
  EXPECT_TRUE(mentions(causes.front().evidence, "the bus sent again: 0.00 -> 40.0 per s"));
  EXPECT_FALSE(mentions(
      link_causes(copies(3).metric("GPU 0", "gpu_pcie_replays", 0.1, 0.2)).front().evidence,
      "sent again"));
}

TEST(Pcie, more_bytes_that_take_more_time_are_no_slower_bus) {
  const auto causes = link_causes(copies(3, 3));
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes.front().headline, "more is copied between host and GPU 0");
  EXPECT_TRUE(causes.front().is_fact);
}

TEST(Pcie, copies_of_the_same_bytes_that_take_less_time_made_the_cycle_faster) {
  const auto causes = link_causes(
      CauseSketch(14, 10).function(kPinnedUpload, FunctionKind::kMemcpy, 5, 1).bytes(4e7, 4e7));
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes.front().headline, "copies between host and GPU 0 became faster");
  EXPECT_GE(causes.front().score, kConfidentScore);
  EXPECT_TRUE(causes.front().improves);
}

// A cycle of 10 ms that rises to 12 in most cycles, and falls in others: nothing is certain.
CauseSketch unclear_copies(double copies_ms) {
  auto sketch = CauseSketch(10, 12)
                    .function(kPinnedUpload, FunctionKind::kMemcpy, 2, copies_ms)
                    .bytes(1e6, 4e6);
  CycleRow& cycle = sketch.edit().cycles.front();
  cycle.ms_abnormal = {4, 20, 4, 20, 4, 20, 4, 20, 4, 20, 4, 20};
  cycle.ms = change_between(cycle.ms_normal, cycle.ms_abnormal);
  return sketch;
}

TEST(Pcie, more_bytes_are_known_in_an_unclear_cycle_too_but_nothing_to_be_sure_of) {
  const CauseSketch sketch = unclear_copies(4);
  ASSERT_FALSE(sketch.comparison().cycles.front().is_changed());
  const auto causes = link_causes(sketch);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes.front().headline, "more is copied between host and GPU 0");
  EXPECT_LT(causes.front().score, kConfidentScore);
  EXPECT_TRUE(link_causes(unclear_copies(1)).empty()) << "it takes less time than before";
}

TEST(Pcie, is_silent_about_copies_that_differ_as_equal_runs_do) {
  EXPECT_TRUE(link_causes(copies(1.25)).empty());
}

TEST(Pcie, is_silent_about_copies_that_do_not_matter) {
  EXPECT_TRUE(link_causes(CauseSketch(10, 14)
                              .function(kPinnedUpload, FunctionKind::kMemcpy, 0.01, 0.05)
                              .bytes(4e5, 4e5))
                  .empty());
}

// The same bytes, in 0.4 ms more of a cycle of 10 ms that became 4 ms longer.
CauseSketch unpinned(const std::string& name) {
  return CauseSketch(10, 14)
      .function(kPinnedUpload, FunctionKind::kMemcpy, 0.1, 0)
      .bytes(4e6, 0)
      .function(name, FunctionKind::kMemcpy, 0, 0.5)
      .bytes(0, 4e6);
}

TEST(Pcie, copies_from_memory_that_is_no_longer_pinned_are_known) {
  const auto causes = link_causes(unpinned("Memcpy HtoD (Pageable -> Device)"));
  const Cause* cause = find(causes, CauseKind::kPcie);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(cause->is_fact);
  EXPECT_TRUE(mentions(cause->evidence, "memory that is not pinned: none -> 4 MB per cycle"))
      << cause->evidence.back().text;
  EXPECT_TRUE(link_causes(unpinned("Memcpy HtoD (Managed -> Device)")).empty());
}

TEST(Pcie, a_copy_from_memory_that_is_not_pinned_also_costs_the_time_in_its_call) {
  auto sketch = unpinned("Memcpy HtoD (Pageable -> Device)").call("cudaMemcpyAsync", 0.1, 2.1);
  EXPECT_NEAR(find(link_causes(sketch), CauseKind::kPcie)->explains_ms, 2, 0.01);
  sketch.device("GPU 0", 5, 8);
  EXPECT_NEAR(find(link_causes(sketch), CauseKind::kPcie)->explains_ms, 1, 0.01)
      << "the device is idle for 1 ms longer";
}

CauseSketch reduces(double normal_ms, double abnormal_ms) {
  return CauseSketch(10, 10 + abnormal_ms - normal_ms)
      .kernel("gemm", 4, 4)
      .function(kReduce, FunctionKind::kCollective, normal_ms, abnormal_ms);
}

TEST(Communication, longer_collectives_alone_are_waiting_and_nothing_to_be_sure_of) {
  const auto causes = link_causes(reduces(2, 5));
  const Cause* cause = find(causes, CauseKind::kCommunicationWait);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, 0.7, 1e-9);
  EXPECT_EQ(cause->headline, "GPU 0 waits longer in collectives");
  EXPECT_TRUE(mentions(cause->evidence, "own kernels did not change"));
}

TEST(Communication, own_kernels_that_got_slower_speak_against_waiting) {
  const auto causes = link_causes(reduces(2, 5).kernel("norm", 4, 8));
  const Cause* cause = find(causes, CauseKind::kCommunicationWait);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->against, "own kernels got slower too"));
  EXPECT_LT(cause->score, 0.6);
}

TEST(Communication, a_counter_that_fell_beyond_the_longer_cycle_is_the_links) {
  // The cycle takes 1.3 times as long, so that the same bytes make 0.77 of the traffic.
  EXPECT_EQ(
      link_causes(reduces(2, 5).metric("GPU 0", "gpu_link_transmit", 1e10, 0.5e10)).front().kind,
      CauseKind::kFabric);
  EXPECT_EQ(
      link_causes(reduces(2, 5).metric("GPU 0", "gpu_link_transmit", 1e10, 0.77e10)).front().kind,
      CauseKind::kCommunicationWait);
}

// Milliseconds in collectives of three ranks.
CauseSketch ranks(std::initializer_list<std::pair<double, double>> ms) {
  CauseSketch sketch(10, 13);
  std::int32_t rank = 0;
  for (const auto& [normal, abnormal] : ms) {
    sketch.rank(rank++)
        .device("GPU 0", 5, 5)
        .kernel("gemm", 4, 4)
        .function(kReduce, FunctionKind::kCollective, normal, abnormal);
  }
  return sketch.rank(0);
}

TEST(Communication, links_are_slower_when_also_the_rank_that_waits_least_takes_longer) {
  const auto causes = link_causes(ranks({{2, 5}, {2.2, 5.2}, {2.4, 5.4}}));
  const Cause* cause = find(causes, CauseKind::kFabric);
  ASSERT_NE(cause, nullptr);
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_EQ(cause->headline, "the link of GPU 0 became slower on rank 0");
  EXPECT_TRUE(mentions(cause->evidence, "the rank that waits least: 2.00 -> 5.00 ms"));
}

TEST(Communication, ranks_wait_for_a_late_one_whose_own_collectives_are_as_short_as_ever) {
  const auto causes = link_causes(ranks({{2, 5}, {2.2, 5.2}, {2.4, 2}}));
  EXPECT_EQ(find(causes, CauseKind::kFabric), nullptr);
  EXPECT_NE(find(causes, CauseKind::kCommunicationWait), nullptr);
}

TEST(Communication, links_are_not_slower_because_a_late_rank_caught_up) {
  const auto causes = link_causes(ranks({{1, 2}, {3, 2}, {3, 2}}));
  EXPECT_EQ(find(causes, CauseKind::kFabric), nullptr);
}

TEST(Communication, is_silent_while_collectives_take_as_long) {
  EXPECT_TRUE(link_causes(reduces(2, 2)).empty());
}

TEST(Communication, is_silent_about_more_collectives) {
  EXPECT_TRUE(link_causes(reduces(2, 5).calls(10, 25)).empty());
}

}  // namespace

}  // namespace strobe::compare

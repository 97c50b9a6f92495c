#include "strobe/fleet/digest/rank_digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::fleet {
namespace {

using namespace literals;
using ::testing::ElementsAre;

TEST(RankDigestTest, a_step_keeps_what_the_device_and_the_loader_did) {
  Sketch sketch;
  sketch.metadata().base_time_ns = 1'000'000;
  sketch.thread(1)
      .slice("ProfilerStep#4", SliceKind::kStep, 100_us, 100_us)
      .slice("enumerate(DataLoader)", SliceKind::kDataLoader, 90_us, 20_us);
  sketch.stream(0, 7)
      .slice("gemm", SliceKind::kKernel, 50_us, 70_us)
      .slice("gemm", SliceKind::kKernel, 130_us, 10_us)
      .slice("add", SliceKind::kKernel, 140_us, 10_us)
      .slice("Memcpy HtoD", SliceKind::kMemcpy, 190_us, 20_us);
  const RankDigest digest = make_rank_digest(sketch.trace(), 3, {"a.json", "node1", "f"});
  EXPECT_EQ(digest.rank, 3);
  EXPECT_EQ(digest.host, "node1");
  ASSERT_EQ(digest.steps.size(), 1u);
  EXPECT_EQ(digest.steps[0].name, "ProfilerStep#4");
  EXPECT_EQ(digest.steps[0].interval, (Interval{1'100_us, 1'200_us})) << "on the wall clock";
  EXPECT_EQ(digest.steps[0].kernels, 2u) << "those that start in it";
  EXPECT_THAT(digest.compute,
              ElementsAre(Interval{1'100_us, 1'120_us}, Interval{1'130_us, 1'150_us}));
  EXPECT_THAT(digest.copy, ElementsAre(Interval{1'190_us, 1'200_us}));
  EXPECT_THAT(digest.input, ElementsAre(Interval{1'100_us, 1'110_us}));
}

TEST(RankDigestTest, operators_are_kept_where_the_host_alone_is_busy) {
  Sketch sketch;
  sketch.thread(1)
      .slice("ProfilerStep#4", SliceKind::kStep, 0_us, 100_us)
      .slice("aten::linear", SliceKind::kOperator, 10_us, 40_us)
      .slice("aten::addmm", SliceKind::kOperator, 15_us, 10_us);
  sketch.stream(0, 7).slice("gemm", SliceKind::kKernel, 30_us, 5_us);
  const RankDigest digest = make_rank_digest(sketch.trace(), 0, {});
  EXPECT_THAT(digest.operators, ElementsAre(Interval{10_us, 30_us}, Interval{35_us, 50_us}));
}

TEST(RankDigestTest, a_kernel_without_arguments_is_what_its_launch_says) {
  Sketch sketch;
  sketch.thread(1)
      .slice("c10d::allreduce_", SliceKind::kOperator, 0_us, 100_us)
      .slice("record_param_comms", SliceKind::kOperator, 5_us, 90_us)
      .args(R"({"Concrete Inputs": ["", "337", "93825114103440", "0", "", "[]", "[]", "8"]})")
      .slice("nccl:all_reduce", SliceKind::kAnnotation, 10_us, 60_us)
      .args(R"({"Input type": ["c10::Half"], "Input Dims": [[4, 8]]})")
      .slice("cudaLaunchKernelExC", SliceKind::kRuntimeCall, 20_us, 10_us)
      .correlation(9);
  sketch.stream(0, 20)
      .slice("ncclDevKernel_AllReduce_Sum_f16_RING_LL", SliceKind::kKernel, 200_us, 50_us)
      .flags(kCommunicates)
      .correlation(9);
  const RankDigest digest = make_rank_digest(sketch.trace(), 0, {});
  ASSERT_EQ(digest.calls.size(), 1u);
  const ExchangeCall& call = digest.calls[0];
  EXPECT_EQ(call.interval, (Interval{200_us, 250_us}));
  EXPECT_EQ(call.kind, ExchangeKind::kAllReduce);
  EXPECT_EQ(call.sequence, 337);
  EXPECT_EQ(call.bytes, 64u);
  EXPECT_FALSE(call.on_host);
  EXPECT_EQ(digest.elements[call.element], "c10::Half");
  EXPECT_EQ(digest.groups[call.group], (RankGroup{.name = "", .ranks = {}, .size = 8}));
}

TEST(RankDigestTest, groups_that_only_their_address_tells_apart_are_counted) {
  Sketch sketch;
  for (const auto& [number, at] : {std::pair(7000000001, 0_us), std::pair(7000000002, 100_us),
                                   std::pair(7000000001, 200_us)}) {
    sketch.thread(1)
        .slice("record_param_comms", SliceKind::kOperator, at, 50_us)
        .args(R"({"Concrete Inputs": ["", "3", ")" + std::to_string(number) +
              R"(", "0", "", "[]", "[]", "4"]})")
        .slice("cudaLaunchKernel", SliceKind::kRuntimeCall, at + 10_us, 1_us)
        .correlation(static_cast<std::uint32_t>(at));
    sketch.stream(0, 20)
        .slice("ncclDevKernel_AllGather", SliceKind::kKernel, at + 20_us, 50_us)
        .flags(kCommunicates)
        .correlation(static_cast<std::uint32_t>(at));
  }
  const RankDigest digest = make_rank_digest(sketch.trace(), 0, {});
  ASSERT_EQ(digest.groups.size(), 2u);
  EXPECT_EQ(digest.groups[0].place, 0u);
  EXPECT_EQ(digest.groups[1].place, 1u);
  EXPECT_EQ(digest.calls[0].group, digest.calls[2].group);
}

TEST(RankDigestTest, a_gather_counts_what_it_gives_to_everybody) {
  Sketch sketch;
  sketch.stream(0, 20)
      .slice("ncclDevKernel_AllGather", SliceKind::kKernel, 0_us, 50_us)
      .flags(kCommunicates)
      .args(R"({"Collective name": "_allgather_base", "In msg nelems": 10, "Group size": 4,
                "dtype": "Float", "Process Group Name": "1"})");
  const RankDigest digest = make_rank_digest(sketch.trace(), 0, {});
  ASSERT_EQ(digest.calls.size(), 1u);
  EXPECT_EQ(digest.calls[0].bytes, 160u);
}

TEST(RankDigestTest, an_exchange_on_the_host_counts_like_one_on_the_device) {
  Sketch sketch;
  sketch.thread(1).slice("c10d::allreduce_", SliceKind::kOperator, 0_us, 5_us);
  sketch.thread(2).slice("gloo:all_reduce", SliceKind::kAnnotation, 10_us, 40_us);
  const RankDigest digest = make_rank_digest(sketch.trace(), 0, {});
  ASSERT_EQ(digest.calls.size(), 1u);
  EXPECT_TRUE(digest.calls[0].on_host);
  EXPECT_EQ(digest.calls[0].kind, ExchangeKind::kAllReduce);
  EXPECT_EQ(digest.calls[0].interval, (Interval{10_us, 50_us}));
}

TEST(RankDigestTest, each_call_has_its_slice) {
  Sketch sketch;
  sketch.stream(0, 20)
      .slice("ncclDevKernel_AllGather", SliceKind::kKernel, 60_us, 50_us)
      .flags(kCommunicates)
      .slice("gemm", SliceKind::kKernel, 0_us, 5_us);
  sketch.thread(2).slice("gloo:all_reduce", SliceKind::kAnnotation, 10_us, 40_us);
  const SliceId on_host = sketch.find("gloo:all_reduce");
  const SliceId on_device = sketch.find("ncclDevKernel_AllGather");
  const Trace trace = sketch.trace();
  EXPECT_THAT(slices_of_calls(trace), ElementsAre(on_host, on_device));
  const RankDigest digest = make_rank_digest(trace, 0, {});
  ASSERT_EQ(digest.calls.size(), 2u);
  EXPECT_EQ(digest.calls[0].interval, trace.interval(on_host));
  EXPECT_EQ(digest.calls[1].interval, trace.interval(on_device));
}

TEST(RankDigestTest, who_sends_to_whom_is_said_in_ranks_of_the_job) {
  Sketch sketch;
  sketch.stream(0, 20)
      .slice("ncclDevKernel_SendRecv", SliceKind::kKernel, 0_us, 50_us)
      .flags(kCommunicates)
      .args(R"({"Collective name": "send", "Process Group Ranks": "[1, 5]", "Dst Rank": 1})")
      .slice("ncclDevKernel_SendRecv", SliceKind::kKernel, 100_us, 50_us)
      .flags(kCommunicates)
      .args(R"({"Collective name": "recv", "Process Group Ranks": "[1, 5, 9]", "Src Rank": 2})");
  const RankDigest digest = make_rank_digest(sketch.trace(), 1, {});
  ASSERT_EQ(digest.calls.size(), 2u);
  EXPECT_EQ(digest.calls[0].kind, ExchangeKind::kSend);
  EXPECT_EQ(digest.calls[0].peer, 5);
  EXPECT_EQ(digest.calls[1].kind, ExchangeKind::kReceive);
  EXPECT_EQ(digest.calls[1].peer, 9);
}

TEST(RankDigestTest, the_place_in_a_pipelines_group_is_the_stage) {
  Sketch sketch;
  sketch.stream(0, 20)
      .slice("ncclDevKernel_SendRecv", SliceKind::kKernel, 0_us, 50_us)
      .flags(kCommunicates)
      .args(R"({"Collective name": "send", "Process Group Ranks": "[1, 5, 9]",
                "Process Group Description": "PIPELINE_MODEL_PARALLEL_GROUP"})");
  EXPECT_EQ(make_rank_digest(sketch.trace(), 5, {}).stage, 1);
}

TEST(RankDigestTest, the_host_is_in_the_name_that_the_framework_gives_its_files) {
  const auto host_of = [](const std::string& file) {
    Sketch sketch;
    sketch.stream(0, 7).slice("gemm", SliceKind::kKernel, 10_us, 20_us);
    return make_rank_digest(sketch.trace(), 0, {file, "", ""}).host;
  };
  EXPECT_EQ(host_of("run/node_7_4711.1706850122862.pt.trace.json.gz"), "node_7");
  EXPECT_EQ(host_of("run/rank_7.pt.trace.json"), "");
  EXPECT_EQ(host_of("node7_4711.json"), "");
}

TEST(RankDigestTest, without_steps_the_whole_trace_is_one) {
  Sketch sketch;
  sketch.stream(0, 7).slice("gemm", SliceKind::kKernel, 10_us, 20_us);
  const RankDigest digest = make_rank_digest(sketch.trace(), 0, {});
  ASSERT_EQ(digest.steps.size(), 1u);
  EXPECT_EQ(digest.steps[0].name, "");
  EXPECT_EQ(digest.steps[0].interval, (Interval{10_us, 30_us}));
}

TEST(RankDigestTest, labels_name_the_purpose_and_the_members) {
  EXPECT_EQ(label_of({.name = "3", .purpose = "tp", .ranks = {0, 2}, .size = 2}), "tp: ranks 0, 2");
  EXPECT_EQ(label_of({.name = "", .ranks = {}, .size = 8, .place = 1}), "8 ranks (2)");
  EXPECT_EQ(label_of({.name = "", .ranks = {}}), "all ranks");
}

}  // namespace
}  // namespace strobe::fleet

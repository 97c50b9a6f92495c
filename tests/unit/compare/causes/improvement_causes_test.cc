#include <gtest/gtest.h>

#include "strobe/compare/causes/cause_rules.h"
#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

std::vector<Cause> improvements(const CauseSketch& sketch) {
  return sketch.said_by(improvement_cause_rules());
}

// The device is always busy for 5 ms, so a shorter cycle is a shorter wait for the host.
CauseSketch faster_to(double cycle_ms) {
  return CauseSketch(20, cycle_ms).device("GPU 0", 5, 5).kernel("gemm", 4, 4);
}

TEST(Improvements, loading_the_input_takes_less) {
  const auto causes = improvements(
      faster_to(10).op("linear", 3, 3).op("add", 1, 1).op("enumerate(DataLoader)#next", 11, 1));
  const Cause* cause = find(causes, CauseKind::kInputPipeline);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(cause->improves);
  EXPECT_EQ(cause->headline, "loading the input takes less time");
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_TRUE(mentions(cause->evidence, "loading the input: 11.0 -> 1.00 ms per cycle"));
  EXPECT_NEAR(cause->explains_ms, -10, 0.1);
}

TEST(Improvements, files_are_named_before_the_input_that_reads_them) {
  const auto causes = improvements(faster_to(10)
                                       .op("enumerate(DataLoader)#next", 11, 1)
                                       .function("read", FunctionKind::kInputOutput, 9, 0.5));
  EXPECT_NE(find(causes, CauseKind::kDiskIo), nullptr);
  EXPECT_EQ(find(causes, CauseKind::kInputPipeline), nullptr);
}

TEST(Improvements, a_slower_or_equal_run_has_none) {
  EXPECT_TRUE(improvements(CauseSketch(10, 20).op("enumerate(DataLoader)#next", 11, 1)).empty());
  EXPECT_TRUE(improvements(CauseSketch(10, 10).op("enumerate(DataLoader)#next", 5, 1)).empty());
}

TEST(Improvements, input_that_shrank_with_the_whole_host_is_no_cause) {
  const auto causes = improvements(faster_to(10)
                                       .op("linear", 8, 4)
                                       .op("add", 2, 1)
                                       .op("norm", 2, 1)
                                       .op("enumerate(DataLoader)#next", 8, 4));
  EXPECT_EQ(find(causes, CauseKind::kInputPipeline), nullptr);
  EXPECT_NE(find(causes, CauseKind::kHostSlow), nullptr);
}

TEST(Improvements, fewer_waits_for_the_device) {
  const auto causes = improvements(faster_to(10).call("cudaStreamSynchronize", 10, 1).calls(20, 2));
  const Cause* cause = find(causes, CauseKind::kSynchronisation);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->evidence, "waits for the device: 20.0 -> 2.00 per cycle"));
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_EQ(find(improvements(faster_to(10).call("cudaStreamSynchronize", 10, 1).calls(2, 2)),
                 CauseKind::kSynchronisation),
            nullptr);
}

TEST(Improvements, fewer_allocations) {
  const auto causes = improvements(faster_to(10).call("cudaMalloc", 9, 0.5).calls(30, 1));
  const Cause* cause = find(causes, CauseKind::kMemoryPressure);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "device memory is allocated and freed less often");
}

TEST(Improvements, less_code_between_operators) {
  const auto causes = improvements(faster_to(10).device("Host", 8, 8).op("linear", 3, 3));
  EXPECT_NE(find(causes, CauseKind::kLaunchBound), nullptr);
  EXPECT_EQ(find(improvements(faster_to(10).device("Host", 18, 8).op("linear", 3, 3)),
                 CauseKind::kLaunchBound),
            nullptr);
}

TEST(Improvements, less_waiting_for_cores) {
  const auto causes = improvements(faster_to(10).metric("Host", "schedstat_runq_ns", 500, 1));
  const Cause* cause = find(causes, CauseKind::kHostContention);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->evidence, "waiting for a core: 50.0 -> 0.1 % of the time"));
}

TEST(Improvements, shorter_collectives_with_equal_calls) {
  const auto sketch = [](double calls) {
    return faster_to(10).function("all_reduce", FunctionKind::kCollective, 12, 3).calls(8, calls);
  };
  EXPECT_NE(find(improvements(sketch(8)), CauseKind::kCommunicationWait), nullptr);
  EXPECT_EQ(find(improvements(sketch(2)), CauseKind::kCommunicationWait), nullptr);
}

TEST(Improvements, another_process_has_left) {
  const auto causes = improvements(CauseSketch(20, 10)
                                       .device("GPU 0", 8, 4)
                                       .kernel("gemm", 8, 4)
                                       .metric("GPU 0", "gpu_usage", 95, 42));
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "no other process uses GPU 0 any more");
  EXPECT_NEAR(cause->explains_ms, -4, 0.01);
}

TEST(Improvements, work_that_no_longer_waits_for_another_process_is_what_its_leaving_saves) {
  CauseSketch sketch = CauseSketch(20, 10)
                           .device("GPU 0", 8, 4)
                           .kernel("gemm", 8, 4)
                           .metric("GPU 0", "gpu_usage", 95, 42);
  IdleCauseRow wait;
  wait.cause = {analysis::IdleKind::kLaunched, "", ""};
  wait.ms = change_between(CauseSketch::around(5), CauseSketch::around(0.1));
  sketch.edit().idle = {wait};
  const auto causes = improvements(sketch);
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->evidence, "its work delayed the start of ours: 5.00 -> 0.1 ms"));
  EXPECT_NEAR(cause->explains_ms, -4 - 4.9, 0.01);
}

TEST(Improvements, a_higher_memory_clock) {
  const auto causes = improvements(
      CauseSketch(20, 10).kernel("gemm", 8, 4).metric("GPU 0", "gpu_mem_frequency", 1300, 2619));
  EXPECT_NE(find(causes, CauseKind::kMemoryBandwidth), nullptr);
}

TEST(Improvements, less_waiting_in_one_call) {
  CauseSketch sketch = faster_to(10);
  IdleCauseRow row;
  row.cause = {analysis::IdleKind::kRuntimeCall, "hipMemcpyWithStream", "aten::copy_"};
  row.ms_per_cycle_normal = CauseSketch::around(10);
  row.ms_per_cycle_abnormal = CauseSketch::around(1);
  row.ms = change_between(row.ms_per_cycle_normal, row.ms_per_cycle_abnormal);
  sketch.edit().idle = {row};
  const auto causes = improvements(sketch);
  const Cause* cause = find(causes, CauseKind::kHostBlocks);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "the host waits less in hipMemcpyWithStream");
}

CauseSketch with_a_busy_device(CauseSketch sketch) {
  return sketch.device("GPU 0", 19, 9).kernel("gemm", 4, 4);
}

CauseSketch never_waiting(CauseSketch sketch) { return with_a_busy_device(sketch).outlasts_both(); }

TEST(NeverWaitingHost, less_code_between_operators_is_a_cause_though_the_device_is_always_busy) {
  const CauseSketch sketch = CauseSketch(20, 10).device("Host", 8, 8).op("linear", 3, 3);
  const auto causes = improvements(never_waiting(sketch));
  const Cause* cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(cause->improves);
  EXPECT_EQ(cause->headline, "the host spends less time between operators");
  EXPECT_TRUE(mentions(cause->evidence, "the host waits for the device in neither run"));
  EXPECT_NEAR(cause->explains_ms, -10, 0.1);
  EXPECT_EQ(find(improvements(with_a_busy_device(sketch)), CauseKind::kLaunchBound), nullptr)
      << "a device that keeps up with the cycles would wait less";
}

TEST(NeverWaitingHost, code_between_operators_that_stayed_is_no_cause) {
  const CauseSketch sketch = CauseSketch(20, 10).device("Host", 18, 8).op("linear", 3, 3);
  EXPECT_EQ(find(improvements(never_waiting(sketch)), CauseKind::kLaunchBound), nullptr);
}

TEST(NeverWaitingHost, a_quicker_host_is_a_cause_by_its_own_time) {
  const CauseSketch sketch =
      CauseSketch(20, 10).device("Host", 18, 9).op("linear", 8, 4).op("add", 2, 1).op("norm", 2, 1);
  const auto causes = improvements(never_waiting(sketch));
  const Cause* cause = find(causes, CauseKind::kHostSlow);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "everything takes less time on the host");
  EXPECT_TRUE(mentions(cause->evidence, "host time in operators and calls: 18.0 -> 9.00 ms"));
  EXPECT_EQ(find(improvements(with_a_busy_device(sketch)), CauseKind::kHostSlow), nullptr);
}

TEST(NeverWaitingHost, fewer_launches_are_a_cause_if_operators_and_calls_take_less_time) {
  const auto launching = [](double busy_normal_ms, double busy_abnormal_ms) {
    return never_waiting(CauseSketch(20, 10)
                             .device("Host", busy_normal_ms, busy_abnormal_ms)
                             .call("cudaLaunchKernel", 3, 0)
                             .calls(150, 0)
                             .call("cudaGraphLaunch", 0, 0.1)
                             .calls(0, 1));
  };
  const auto causes = improvements(launching(18, 9));
  const Cause* cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline,
            "fewer calls launch the work of a cycle (150 -> 1), and the host needs less time for "
            "them");
  const auto others = improvements(launching(10, 9.5));
  const Cause* other = find(others, CauseKind::kLaunchBound);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->headline, "the host spends less time between operators");
}

TEST(FewerLaunches, a_graph_that_saves_the_waiting_is_told_with_its_calls) {
  const auto causes = CauseSketch(30, 10)
                          .device("GPU 0", 5, 5)
                          .kernel("gemm", 4, 4)
                          .call("cudaLaunchKernel", 3, 0)
                          .calls(150, 0)
                          .call("cudaGraphLaunch", 0, 0.1)
                          .calls(0, 1)
                          .said_by(improvement_cause_rules());
  const Cause* cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(cause->improves);
  EXPECT_EQ(cause->headline,
            "fewer calls launch the work of a cycle (150 -> 1), and the device waits less");
}

TEST(TenantGone, who_left_the_device_is_named) {
  const auto shared = [](double kernel_ms) {
    return CauseSketch(20, 12)
        .device("GPU 0", 15, 15 - (8 - kernel_ms))
        .kernel("gemm", 8, kernel_ms)
        .metric("GPU 0", "gpu_process_usage", 50, 50)
        .metric("GPU 0", "gpu_foreign_usage", 48, 0)
        .metric("GPU 0", "gpu_foreign_process_usage python3 (4711)", 48, 0);
  };
  const auto causes = improvements(shared(4));
  const Cause* cause = find(causes, CauseKind::kOtherTenant);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(cause->improves);
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_EQ(cause->headline, "no other process uses GPU 0 any more");
  EXPECT_EQ(cause->evidence.front().text,
            "python3 (4711) used 48 % of GPU 0 in the normal run, none in the abnormal run");
  EXPECT_LT(score_of(improvements(shared(8)), CauseKind::kOtherTenant), kConfidentScore)
      << "own kernels take as long as before";
}

TEST(TenantGone, kernels_that_are_no_longer_crowded_show_it_as_well) {
  const auto alone_again = [](double memory_used) {
    return improvements(CauseSketch(20, 10)
                            .device("GPU 0", 19.6, 9.8)
                            .metric("GPU 0", "gpu_usage", 100, 98)
                            .metric("GPU 0", "gpu_sm_frequency", 1980, 1755)
                            .metric("GPU 0", "gpu_mem_used", 50, memory_used)
                            .kernel("gemm", 18, 9));
  };
  EXPECT_GE(score_of(alone_again(40), CauseKind::kOtherTenant), kListedScore);
  EXPECT_EQ(find(alone_again(50), CauseKind::kOtherTenant), nullptr) << "nobody left";
}

TEST(TenantGone, who_is_still_there_did_not_leave) {
  EXPECT_EQ(find(improvements(CauseSketch(20, 12)
                                  .kernel("gemm", 8, 4)
                                  .metric("GPU 0", "gpu_usage", 98, 40)
                                  .metric("GPU 0", "gpu_foreign_usage", 30, 29)),
                 CauseKind::kOtherTenant),
            nullptr);
}

TEST(LessContention, who_left_the_cores_comes_first) {
  const auto causes =
      improvements(faster_to(10)
                       .metric("Host", "schedstat_runq_ns", 300, 1)
                       .metric("Host", "foreign_cpu_usage", 300, 3)
                       .metric("Host", "foreign_process_cpu_usage stress (88)", 290, 0));
  const Cause* cause = find(causes, CauseKind::kHostContention);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->evidence.front().text,
            "stress (88) used 2.9 cores in the normal run, none in the abnormal run");
}

}  // namespace
}  // namespace strobe::compare

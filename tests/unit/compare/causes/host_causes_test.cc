#include <gtest/gtest.h>

#include "strobe/compare/causes/cause_rules.h"
#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

std::vector<Cause> host_causes(const CauseSketch& sketch) {
  return sketch.said_by(host_cause_rules());
}

// The device is always busy for 5 ms, so a longer cycle is a longer wait for the host.
CauseSketch slower_by(double factor) {
  return CauseSketch(10, 10 * factor).device("GPU 0", 5, 5).kernel("gemm", 4, 4);
}

TEST(HostContention, waiting_for_a_core_while_the_device_waits_is_sure) {
  const auto causes = host_causes(slower_by(2)
                                      .metric("Host", "schedstat_runq_ns", 1, 500)
                                      .metric("Host", "schedstat_oncpu_ns", 990, 490));
  const Cause* cause = find(causes, CauseKind::kHostContention);
  ASSERT_NE(cause, nullptr);
  EXPECT_GE(cause->score, 0.9);
  EXPECT_TRUE(mentions(cause->evidence, "waiting for a core: 0.1 -> 50.0 % of the time"));
  EXPECT_TRUE(mentions(cause->evidence, "time of the process on a core"));
  EXPECT_TRUE(mentions(cause->evidence, "device idle: 5.00 -> 15.0 ms"));
}

TEST(HostContention, the_operating_systems_slices_tell_it_as_well) {
  const auto causes = host_causes(slower_by(2)
                                      .function("runq", FunctionKind::kScheduling, 0.1, 8)
                                      .metric("Host", "host_cpu_usage", 20, 99));
  EXPECT_GE(score_of(causes, CauseKind::kHostContention), kConfidentScore);
}

TEST(HostContention, a_device_that_does_not_wait_speaks_against_it) {
  const auto causes = host_causes(CauseSketch(10, 10)
                                      .metric("Host", "schedstat_runq_ns", 1, 500)
                                      .metric("Host", "schedstat_oncpu_ns", 990, 490));
  const Cause* cause = find(causes, CauseKind::kHostContention);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->against, "the device does not wait longer"));
  EXPECT_LT(cause->score, kConfidentScore);
}

TEST(HostContention, is_silent_when_the_run_queue_got_shorter) {
  EXPECT_EQ(find(host_causes(slower_by(2)
                                 .metric("Host", "schedstat_runq_ns", 75, 68)
                                 .metric("Host", "host_cpu_usage", 20, 99)),
                 CauseKind::kHostContention),
            nullptr);
}

TEST(HostContention, is_silent_about_a_queue_that_is_hardly_there) {
  EXPECT_EQ(find(host_causes(slower_by(2).metric("Host", "schedstat_runq_ns", 1, 10)),
                 CauseKind::kHostContention),
            nullptr);
}

CauseSketch all_operators(double cycle, double factor) {
  return slower_by(cycle).op("linear", 3, 3 * factor).op("add", 1, factor).op("norm", 1, factor);
}

TEST(HostSlow, a_lower_clock_of_the_cores_with_slower_operators_is_sure) {
  const auto causes = host_causes(all_operators(1.5, 1.6).metric("Host", "cpu_frequency", 90, 50));
  const Cause* cause = find(causes, CauseKind::kHostSlow);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, 0.95, 1e-9);
  EXPECT_EQ(cause->headline, "the host's cores run at a lower clock");
  EXPECT_TRUE(mentions(cause->evidence, "100 % of the operators take longer"));
}

TEST(HostSlow, slower_operators_alone_are_nothing_to_be_sure_of) {
  const auto causes = host_causes(all_operators(1.5, 1.6));
  EXPECT_GE(score_of(causes, CauseKind::kHostSlow), kListedScore);
  EXPECT_LT(score_of(causes, CauseKind::kHostSlow), kConfidentScore);
}

TEST(HostSlow, is_silent_when_the_process_waits_for_a_core) {
  EXPECT_EQ(find(host_causes(all_operators(1.5, 1.6).metric("Host", "schedstat_runq_ns", 1, 500)),
                 CauseKind::kHostSlow),
            nullptr);
}

TEST(HostSlow, is_silent_when_only_some_operators_are_slower) {
  EXPECT_EQ(find(host_causes(slower_by(1.5).op("linear", 3, 6).op("add", 1, 1).op("norm", 1, 1)),
                 CauseKind::kHostSlow),
            nullptr);
}

TEST(HostCode, time_between_operators_that_makes_the_device_wait_is_the_scripts) {
  const auto causes = host_causes(all_operators(2, 1).device("Host", 9, 9));
  const Cause* cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, 0.85, 1e-2);
  EXPECT_TRUE(mentions(cause->evidence, "outside of every operator and call: 1.00 -> 11.0 ms"));
  EXPECT_TRUE(cause->against.empty());
}

TEST(HostCode, operators_that_take_longer_as_well_speak_against_it) {
  const auto causes = host_causes(all_operators(2, 1.3).device("Host", 9, 11));
  const Cause* cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->against, "operators take longer as well"));
  EXPECT_LT(cause->score, kConfidentScore);
}

TEST(HostCode, is_silent_when_a_slower_host_explains_the_time_between_operators) {
  // Everything takes 1.2 times as long, the 4 ms between operators too.
  EXPECT_EQ(
      find(host_causes(all_operators(1.08, 1.2).device("Host", 6, 6)), CauseKind::kLaunchBound),
      nullptr);
}

TEST(HostCode, is_silent_when_kernels_changed) {
  EXPECT_EQ(find(host_causes(all_operators(2, 1).device("Host", 9, 9).kernel("norm", 2, 6)),
                 CauseKind::kLaunchBound),
            nullptr);
}

TEST(HostCode, is_silent_while_the_time_is_inside_operators) {
  EXPECT_EQ(find(host_causes(all_operators(2, 1).device("Host", 9, 19)), CauseKind::kLaunchBound),
            nullptr);
}

TEST(Synchronisation, more_waits_for_the_device_are_counted) {
  const auto causes = host_causes(slower_by(1.5).call("cudaDeviceSynchronize", 1, 4).calls(2, 14));
  const Cause* cause = find(causes, CauseKind::kSynchronisation);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, 0.9, 1e-9);
  EXPECT_TRUE(mentions(cause->evidence, "waits for the device: 2.00 -> 14.0 per cycle"));
}

TEST(Synchronisation, waits_that_cost_nothing_are_less_sure) {
  const auto causes =
      host_causes(CauseSketch(10, 10).call("cudaDeviceSynchronize", 1, 1).calls(2, 14));
  const Cause* cause = find(causes, CauseKind::kSynchronisation);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, 0.75, 1e-9);
  EXPECT_TRUE(mentions(cause->against, "the device does not wait longer"));
}

TEST(Synchronisation, is_silent_while_waits_are_as_many) {
  EXPECT_EQ(find(host_causes(slower_by(1.5).call("cudaDeviceSynchronize", 1, 5).calls(2, 2)),
                 CauseKind::kSynchronisation),
            nullptr);
}

TEST(Synchronisation, is_silent_when_everything_is_called_more_often) {
  auto sketch = slower_by(2).call("cudaDeviceSynchronize", 1, 2).calls(2, 4);
  for (int i = 0; i < 5; ++i) sketch.op("op" + std::to_string(i), 1, 2).calls(10, 20);
  EXPECT_EQ(find(host_causes(sketch), CauseKind::kSynchronisation), nullptr);
}

TEST(MemoryPressure, allocating_all_the_time_is_surer_the_more_it_explains) {
  const auto with = [](double ms) {
    return host_causes(slower_by(1.5).call("cudaMalloc", 0, ms).calls(0, 40));
  };
  EXPECT_NEAR(score_of(with(5), CauseKind::kMemoryPressure), 0.95, 1e-2);
  EXPECT_NEAR(score_of(with(0.5), CauseKind::kMemoryPressure), 0.77, 1e-2);
  const auto causes = with(5);
  ASSERT_NE(find(causes, CauseKind::kMemoryPressure), nullptr);
  EXPECT_TRUE(mentions(find(causes, CauseKind::kMemoryPressure)->evidence,
                       "allocate or free device memory: 0.00 -> 40.0 per cycle"));
}

TEST(MemoryPressure, a_device_whose_memory_is_nearly_full_is_listed) {
  const auto causes = host_causes(slower_by(1.5).metric("GPU 0", "gpu_mem_used", 80, 98));
  const Cause* cause = find(causes, CauseKind::kMemoryPressure);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "device memory is nearly full");
  EXPECT_LT(cause->score, kConfidentScore);
}

TEST(MemoryPressure, is_silent_while_allocations_are_as_many_and_memory_is_free) {
  EXPECT_EQ(find(host_causes(slower_by(1.5)
                                 .call("cudaMalloc", 1, 2)
                                 .calls(4, 4)
                                 .metric("GPU 0", "gpu_mem_used", 80, 90)),
                 CauseKind::kMemoryPressure),
            nullptr);
}

TEST(InputPipeline, input_that_explains_the_longer_cycle_is_sure) {
  const auto causes = host_causes(all_operators(2, 1).op("enumerate(DataLoader)#next", 0.5, 10));
  const Cause* cause = find(causes, CauseKind::kInputPipeline);
  ASSERT_NE(cause, nullptr);
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_EQ(cause->headline, "input data arrives later");
  EXPECT_TRUE(mentions(cause->evidence, "this explains 95 % of the longer cycle"));
}

TEST(InputPipeline, is_silent_when_the_input_is_as_slow_as_all_of_the_host) {
  auto sketch = slower_by(1.04).op("enumerate(DataLoader)#next", 0.5, 0.7);
  for (int i = 0; i < 4; ++i) sketch.op("op" + std::to_string(i), 1, 1.4);
  EXPECT_EQ(find(host_causes(sketch), CauseKind::kInputPipeline), nullptr);
}

TEST(InputPipeline, is_silent_when_loading_takes_as_long) {
  EXPECT_EQ(find(host_causes(all_operators(2, 1).op("enumerate(DataLoader)#next", 0.5, 0.5)),
                 CauseKind::kInputPipeline),
            nullptr);
}

TEST(DiskIo, reads_that_take_longer_are_the_disks_also_inside_the_loader) {
  const auto causes = host_causes(all_operators(2, 1)
                                      .op("enumerate(DataLoader)#next", 0.5, 10)
                                      .function("read", FunctionKind::kInputOutput, 0.4, 9.5)
                                      .metric("Host", "disk_usage", 4, 48));
  const Cause* cause = find(causes, CauseKind::kDiskIo);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, 0.95, 1e-9);
  EXPECT_TRUE(mentions(cause->evidence, "reads and writes: 0.4 -> 9.50 ms per cycle"));
  EXPECT_TRUE(mentions(cause->evidence, "disk use: 4.00 -> 48.0 %"));
  EXPECT_EQ(find(causes, CauseKind::kInputPipeline), nullptr);
}

TEST(DiskIo, is_silent_about_reads_that_do_not_matter) {
  EXPECT_EQ(find(host_causes(slower_by(2).function("read", FunctionKind::kInputOutput, 0.01, 0.1)),
                 CauseKind::kDiskIo),
            nullptr);
}

}  // namespace
}  // namespace strobe::compare

#include "strobe/compare/causes/call_causes.h"

#include <gtest/gtest.h>

#include "strobe/compare/causes/cause_rules.h"
#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

using analysis::IdleKind;

std::vector<Cause> call_causes(const CauseSketch& sketch) {
  constexpr CauseRule kRules[] = {find_synchronisation, find_memory_pressure, find_more_launches,
                                  find_host_blocks};
  return sketch.said_by(kRules);
}

// The device is always busy for 5 ms, so a longer cycle is a longer wait for the host.
CauseSketch late_by(double factor) {
  return CauseSketch(10, 10 * factor).device("GPU 0", 5, 5).kernel("gemm", 4, 4);
}

TEST(Synchronisation, more_waits_for_the_device_are_counted) {
  const auto causes = call_causes(late_by(1.5).call("cudaDeviceSynchronize", 1, 4).calls(2, 14));
  const Cause* cause = find(causes, CauseKind::kSynchronisation);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, 0.9, 1e-9);
  EXPECT_TRUE(mentions(cause->evidence, "waits for the device: 2.00 -> 14.0 per cycle"));
}

TEST(Synchronisation, waits_that_cost_nothing_are_less_sure) {
  const auto causes =
      call_causes(CauseSketch(10, 10).call("cudaDeviceSynchronize", 1, 1).calls(2, 14));
  const Cause* cause = find(causes, CauseKind::kSynchronisation);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, 0.75, 1e-9);
  EXPECT_TRUE(mentions(cause->against, "the device does not wait longer"));
}

TEST(Synchronisation, is_silent_while_waits_are_as_many) {
  EXPECT_EQ(find(call_causes(late_by(1.5).call("cudaDeviceSynchronize", 1, 5).calls(2, 2)),
                 CauseKind::kSynchronisation),
            nullptr);
}

TEST(Synchronisation, is_silent_when_everything_is_called_more_often) {
  auto sketch = late_by(2).call("cudaDeviceSynchronize", 1, 2).calls(2, 4);
  for (int i = 0; i < 5; ++i) sketch.op("op" + std::to_string(i), 1, 2).calls(10, 20);
  EXPECT_EQ(find(call_causes(sketch), CauseKind::kSynchronisation), nullptr);
}

TEST(MemoryPressure, allocating_all_the_time_is_surer_the_more_it_explains) {
  const auto with = [](double ms) {
    return call_causes(late_by(1.5).call("cudaMalloc", 0, ms).calls(0, 40));
  };
  EXPECT_NEAR(score_of(with(5), CauseKind::kMemoryPressure), 0.95, 1e-2);
  EXPECT_NEAR(score_of(with(0.5), CauseKind::kMemoryPressure), 0.77, 1e-2);
  const auto causes = with(5);
  ASSERT_NE(find(causes, CauseKind::kMemoryPressure), nullptr);
  EXPECT_TRUE(mentions(find(causes, CauseKind::kMemoryPressure)->evidence,
                       "allocate or free device memory: 0.00 -> 40.0 per cycle"));
}

TEST(MemoryPressure, a_device_whose_memory_is_nearly_full_is_listed) {
  const auto causes = call_causes(late_by(1.5).metric("GPU 0", "gpu_mem_used", 80, 98));
  const Cause* cause = find(causes, CauseKind::kMemoryPressure);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "device memory is nearly full");
  EXPECT_LT(cause->score, kConfidentScore);
}

TEST(MemoryPressure, is_silent_while_allocations_are_as_many_and_memory_is_free) {
  EXPECT_EQ(find(call_causes(late_by(1.5)
                                 .call("cudaMalloc", 1, 2)
                                 .calls(4, 4)
                                 .metric("GPU 0", "gpu_mem_used", 80, 90)),
                 CauseKind::kMemoryPressure),
            nullptr);
}

// The same kernels, once launched by one call, once by a call each.
CauseSketch without_graph() {
  return late_by(3)
      .call("cudaGraphLaunch", 0.1, 0)
      .calls(1, 0)
      .call("cudaLaunchKernel", 0, 3)
      .calls(0, 150);
}

TEST(MoreLaunches, a_lost_graph_that_keeps_the_device_waiting_is_told_with_its_calls) {
  const auto causes = call_causes(without_graph());
  const Cause* cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_EQ(cause->headline,
            "more calls launch the work of a cycle (1 -> 150), and the device waits for them");
  EXPECT_TRUE(mentions(cause->evidence, "gone: cudaGraphLaunch"));
  EXPECT_TRUE(mentions(cause->evidence, "new: cudaLaunchKernel"));
  EXPECT_NEAR(cause->explains_ms, 20, 0.1);
}

TEST(MoreLaunches, is_silent_if_the_device_does_not_wait) {
  CauseSketch sketch = CauseSketch(10, 30).device("GPU 0", 5, 25).kernel("gemm", 4, 24);
  sketch.call("cudaLaunchKernel", 1, 3).calls(10, 150);
  EXPECT_EQ(find(call_causes(sketch), CauseKind::kLaunchBound), nullptr);
}

TEST(HostBlocks, the_call_that_explains_the_longer_cycle_is_named_with_its_place) {
  const auto causes =
      call_causes(late_by(2)
                      .idle({IdleKind::kRuntimeCall, "cudaMemcpyAsync", "aten::copy_"}, 0.5, 8.5)
                      .idle({IdleKind::kRuntimeCall, "cudaMemcpyAsync", "aten::item"}, 0.5, 1.5));
  const Cause* cause = find(causes, CauseKind::kHostBlocks);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "the host waits in cudaMemcpyAsync while the device is idle");
  EXPECT_TRUE(mentions(cause->evidence, "in cudaMemcpyAsync: 1.00 -> 10.0 ms per cycle"));
  EXPECT_NEAR(cause->explains_ms, 9, 0.01);
  EXPECT_TRUE(mentions(cause->evidence, "mostly inside aten::copy_: 0.5 -> 8.50 ms"));
  EXPECT_NEAR(cause->score, 0.77, 1e-9);
}

TEST(HostBlocks, is_silent_about_launches_operators_and_small_parts) {
  const auto says = [](const IdleCause& idle_cause, double abnormal_ms) {
    const auto causes = call_causes(late_by(2).idle(idle_cause, 1, abnormal_ms));
    return find(causes, CauseKind::kHostBlocks) != nullptr;
  };
  EXPECT_TRUE(says({IdleKind::kRuntimeCall, "cudaMalloc", ""}, 9));
  EXPECT_FALSE(says({IdleKind::kRuntimeCall, "cudaLaunchKernel", ""}, 9));
  EXPECT_FALSE(says({IdleKind::kOperator, "aten::mm", ""}, 9));
  EXPECT_FALSE(says({IdleKind::kRuntimeCall, "cudaMalloc", ""}, 5));
}

}  // namespace
}  // namespace strobe::compare

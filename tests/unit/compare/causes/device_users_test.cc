#include "strobe/compare/causes/device_users.h"

#include <gtest/gtest.h>

#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

ForeignUse use_of(const CauseSketch& sketch) {
  const Symptoms symptoms = sketch.symptoms();
  return foreign_use(symptoms, symptoms.devices.front());
}
bool is_shared(const CauseSketch& sketch) {
  const Symptoms symptoms = sketch.symptoms();
  return has_tenant(symptoms, symptoms.devices.front());
}
bool is_bus_shared(const CauseSketch& sketch) {
  const Symptoms symptoms = sketch.symptoms();
  return has_copying_tenant(symptoms, symptoms.devices.front());
}

TEST(ForeignUse, is_unknown_without_a_counter) {
  EXPECT_FALSE(use_of(CauseSketch(10, 10)).is_known);
}

TEST(ForeignUse, is_what_the_counter_sees_beyond_the_trace) {
  const ForeignUse use =
      use_of(CauseSketch(10, 10).device("GPU 0", 4, 5).metric("GPU 0", "gpu_usage", 45, 95));
  EXPECT_TRUE(use.is_known);
  EXPECT_NEAR(use.normal, 5, 1e-9);
  EXPECT_NEAR(use.abnormal, 45, 1e-9);
  EXPECT_NEAR(use.rise(), 40, 1e-9);
}

TEST(ForeignUse, is_never_negative_where_the_counter_lags_behind) {
  const ForeignUse use =
      use_of(CauseSketch(10, 10).device("GPU 0", 8, 8).metric("GPU 0", "gpu_usage", 20, 30));
  EXPECT_EQ(use.normal, 0);
  EXPECT_EQ(use.abnormal, 0);
}

TEST(ForeignUse, a_counter_of_the_process_itself_is_better_than_the_trace) {
  const ForeignUse use = use_of(CauseSketch(10, 10)
                                    .device("GPU 0", 2, 2)
                                    .metric("GPU 0", "gpu_usage", 60, 95)
                                    .metric("GPU 0", "process_gpu_usage", 58, 60));
  EXPECT_NEAR(use.abnormal, 35, 1e-9);
}

// A device that is always busy: a counter cannot show that another process has arrived. The cycle
// doubles because its kernels do.
CauseSketch crowded() {
  return CauseSketch(10, 20)
      .device("GPU 0", 9.8, 19.6)
      .metric("GPU 0", "gpu_usage", 98, 100)
      .metric("GPU 0", "gpu_sm_frequency", 1980, 1980)
      .kernel("gemm", 9, 18);
}

TEST(ForeignUse, what_own_kernels_lose_to_a_new_process_counts) {
  const auto sketch = crowded().metric("GPU 0", "gpu_mem_used", 40, 50);
  const ForeignUse use = use_of(sketch);
  EXPECT_TRUE(use.crowds);
  EXPECT_NEAR(use.abnormal, 100 - 49, 1e-6);  // 9.8 of 20 ms would have been enough
  EXPECT_TRUE(is_shared(sketch));
}

// Only the kernels that wait for memory take longer: a third of the time.
CauseSketch partly_crowded() {
  return CauseSketch(10, 13)
      .device("GPU 0", 9.8, 12.8)
      .metric("GPU 0", "gpu_usage", 98, 100)
      .metric("GPU 0", "gpu_sm_frequency", 1980, 1980)
      .metric("GPU 0", "gpu_mem_used", 40, 50)
      .kernel("copy", 3.2, 6.2)
      .kernel("gemm", 6.4, 6.4);
}

TEST(ForeignUse, some_kernels_that_take_longer_for_the_same_work_are_enough) {
  EXPECT_TRUE(use_of(partly_crowded()).crowds);
}

TEST(ForeignUse, what_the_program_does_more_needs_nobody_else) {
  const auto copies = partly_crowded()
                          .function("Memcpy DtoH (Device -> Pinned)", FunctionKind::kMemcpy, 0.1, 1)
                          .calls(1, 8);
  EXPECT_FALSE(use_of(copies).crowds) << "it copies more";
  const auto allocations =
      partly_crowded().function("cudaMalloc", FunctionKind::kRuntimeCall, 0.1, 1).calls(1, 8);
  EXPECT_FALSE(use_of(allocations).crowds) << "it allocates more often";
  const auto batch = partly_crowded().kernel("add", 2, 3).blocks(100, 150);
  EXPECT_FALSE(use_of(batch).crowds) << "a kernel with other blocks has more to do";
}

// Work that was launched waits for a device that is in use, and the kernels take hardly longer.
CauseSketch kept_waiting(double wait_ms) {
  return CauseSketch(10, 13)
      .device("GPU 0", 7, 7.2)
      .metric("GPU 0", "gpu_usage", 70, 95)
      .metric("GPU 0", "gpu_sm_frequency", 1980, 1980)
      .metric("GPU 0", "gpu_mem_used", 40, 50)
      .kernel("gemm", 7, 7.1)
      .idle({.kind = analysis::IdleKind::kLaunched, .name = {}, .inside = {}}, 0.5, wait_ms);
}

TEST(ForeignUse, a_device_in_use_while_our_work_waits_for_it_has_another_user) {
  EXPECT_TRUE(use_of(kept_waiting(3)).crowds);
  EXPECT_FALSE(use_of(kept_waiting(0.5)).crowds) << "no work waits longer than before";
}

TEST(ForeignUse, no_process_arrived_if_the_memory_is_as_full_as_before) {
  EXPECT_FALSE(is_shared(crowded()));
  EXPECT_FALSE(is_shared(crowded().metric("GPU 0", "gpu_mem_used", 40, 40)));
}

TEST(ForeignUse, no_process_explains_what_a_clock_or_more_work_does) {
  auto slow = CauseSketch(10, 20)
                  .device("GPU 0", 9.8, 19.6)
                  .metric("GPU 0", "gpu_usage", 98, 100)
                  .metric("GPU 0", "gpu_sm_frequency", 1980, 990)
                  .metric("GPU 0", "gpu_mem_used", 40, 50)
                  .kernel("gemm", 9, 18);
  EXPECT_FALSE(is_shared(slow));
  auto large = crowded().metric("GPU 0", "gpu_mem_used", 40, 50).blocks(100, 200);
  large.kernel("a", 0.1, 0.2).blocks(10, 20).kernel("b", 0.1, 0.2).blocks(10, 20);
  EXPECT_FALSE(is_shared(large));
}

// A thousand megabytes a cycle of 10 ms is 100 GB/s; one megabyte 0.1 GB/s.
CauseSketch copying(double traffic) {
  return CauseSketch(10, 10)
      .metric("GPU 0", "gpu_pcie_receive", 1e8, traffic)
      .function("Memcpy HtoD (Pinned -> Device)", FunctionKind::kMemcpy, 1, 1)
      .bytes(1e6, 1e6);
}

TEST(BusTraffic, own_copies_are_told_in_the_unit_of_the_counter) {
  const auto sketch = copying(5e10);
  const Symptoms symptoms = sketch.symptoms();
  const BusTraffic traffic = bus_traffic(symptoms, symptoms.devices.front());
  EXPECT_TRUE(traffic.is_known);
  EXPECT_TRUE(traffic.is_real);
  EXPECT_NEAR(traffic.abnormal, 5e10, 1);
  EXPECT_NEAR(traffic.own_abnormal, 1e8, 1);
}

// Own copies of 1 GB/s, and a counter that shows them in another unit.
BusTraffic counted_as(double normal, double abnormal) {
  const CauseSketch sketch =
      CauseSketch(10, 10)
          .metric("GPU 0", "gpu_pcie_receive", normal, abnormal)
          .function("Memcpy HtoD (Pinned -> Device)", FunctionKind::kMemcpy, 1, 1)
          .bytes(1e7, 1e7);
  const Symptoms symptoms = sketch.symptoms();
  return bus_traffic(symptoms, symptoms.devices.front());
}

TEST(BusTraffic, less_than_own_copies_is_counted_in_kilobytes) {
  const BusTraffic traffic = counted_as(1.1e6, 3e7);
  EXPECT_NEAR(traffic.normal, 1.1e9, 1);
  EXPECT_NEAR(traffic.abnormal, 3e10, 1);
  EXPECT_NEAR(traffic.shown_normal, 1.1e9, 1e7);
  EXPECT_NEAR(traffic.shown_abnormal, 3e10, 2e8);
  EXPECT_NEAR(traffic.own_abnormal, 1e9, 1) << "the trace's own bytes are bytes";
}

TEST(BusTraffic, a_counter_that_misses_some_of_the_copies_still_counts_bytes) {
  const BusTraffic traffic = counted_as(2e8, 3e10);
  EXPECT_NEAR(traffic.normal, 2e8, 1);
  EXPECT_NEAR(traffic.abnormal, 3e10, 1);
}

TEST(BusTraffic, no_bus_carries_as_many_kilobytes_as_that) {
  const BusTraffic traffic = counted_as(3e6, 4e8);
  EXPECT_NEAR(traffic.normal, 3e6, 1);
  EXPECT_NEAR(traffic.abnormal, 4e8, 1);
}

TEST(BusTraffic, our_recorder_counts_bytes) {
  const CauseSketch sketch =
      CauseSketch(10, 10)
          .metric("GPU 0", "gpu_pcie_receive", 3e6, 3e7)
          .metric("GPU 0", "gpu_foreign_usage", 0, 0)
          .function("Memcpy HtoD (Pinned -> Device)", FunctionKind::kMemcpy, 1, 1)
          .bytes(1e7, 1e7);
  const Symptoms symptoms = sketch.symptoms();
  EXPECT_NEAR(bus_traffic(symptoms, symptoms.devices.front()).abnormal, 3e7, 1);
}

TEST(BusTraffic, a_bus_full_of_what_the_trace_does_not_copy_has_a_tenant) {
  EXPECT_TRUE(is_bus_shared(copying(5e10)));
}

TEST(BusTraffic, own_copies_do_not_make_a_tenant) {
  EXPECT_FALSE(is_bus_shared(copying(5e10).bytes(1e6, 480e6)));  // 48 of the 50 GB/s
}

TEST(BusTraffic, copies_between_devices_do_not_cross_the_bus) {
  const auto sketch = copying(5e10)
                          .function("Memcpy DtoD (Device -> Device)", FunctionKind::kMemcpy, 1, 1)
                          .bytes(480e6, 480e6);
  const Symptoms symptoms = sketch.symptoms();
  EXPECT_NEAR(bus_traffic(symptoms, symptoms.devices.front()).own_abnormal, 1e8, 1);
  EXPECT_TRUE(is_bus_shared(sketch));
}

TEST(BusTraffic, little_traffic_does_not_fill_a_bus) { EXPECT_FALSE(is_bus_shared(copying(3e9))); }

TEST(BusTraffic, who_draws_power_does_more_than_copy) {
  EXPECT_FALSE(is_bus_shared(copying(5e10).metric("GPU 0", "gpu_power_w", 200, 500)));
}

TEST(BusTraffic, where_the_trace_tells_no_bytes_the_devices_use_must_speak) {
  const auto silent = [](double use) {
    return CauseSketch(10, 10)
        .device("GPU 0", 3, 3)
        .metric("GPU 0", "gpu_pcie_receive", 1e8, 5e10)
        .metric("GPU 0", "gpu_usage", 30, use);
  };
  EXPECT_FALSE(is_bus_shared(silent(30)));
  EXPECT_TRUE(is_bus_shared(silent(100)));
}

}  // namespace
}  // namespace strobe::compare

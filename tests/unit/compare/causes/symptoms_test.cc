#include "strobe/compare/causes/symptoms.h"

#include <gtest/gtest.h>

#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

TEST(Symptoms, a_change_within_chance_is_not_real) {
  EXPECT_FALSE(is_real(change_between(CauseSketch::around(5), CauseSketch::around(5))));
  EXPECT_TRUE(is_real(change_between(CauseSketch::around(5), CauseSketch::around(6))));
}

TEST(Symptoms, a_change_that_a_drifting_machine_makes_is_not_real) {
  // The rank test alone would find a difference, but each run drifts by as much as they differ.
  const std::vector<double> normal = {10, 10.5, 11, 11.5, 12, 12.5, 12, 11.5, 11, 10.5, 10, 10.2};
  std::vector<double> abnormal = normal;
  for (double& ms : abnormal) ms += 1.1;
  const Change change = change_between(normal, abnormal);
  ASSERT_LT(change.rank.p, 0.05);
  EXPECT_FALSE(is_real(change));
}

TEST(Symptoms, two_different_constants_are_a_real_change) {
  const std::vector<double> low(8, 1980.0);
  const std::vector<double> high(8, 990.0);
  EXPECT_TRUE(is_real(change_between(low, high)));
}

TEST(Symptoms, rising_and_falling_ask_for_a_direction_and_a_least_size) {
  const Change up = change_between(CauseSketch::around(10), CauseSketch::around(11));
  EXPECT_TRUE(rose(up, 1.05));
  EXPECT_FALSE(rose(up, 1.2));
  EXPECT_FALSE(fell(up, 1.5));
  const Change down = change_between(CauseSketch::around(10), CauseSketch::around(9));
  EXPECT_TRUE(fell(down, 0.95));
  EXPECT_FALSE(fell(down, 0.8));
  EXPECT_FALSE(rose(down, 0.5));
}

TEST(Symptoms, one_extreme_value_neither_hides_nor_makes_a_change) {
  std::vector<double> high = CauseSketch::around(20);
  high[5] = 900;
  const Change up = change_between(CauseSketch::around(10), high);
  EXPECT_TRUE(rose(up, 1.5));
  EXPECT_FALSE(rose(up, 2.5));
  const Change down = change_between(high, CauseSketch::around(10));
  EXPECT_TRUE(fell(down, 0.6));
  EXPECT_FALSE(fell(down, 0.4));
  std::vector<double> same = CauseSketch::around(10);
  same[5] = 900;
  EXPECT_FALSE(is_real(change_between(CauseSketch::around(10), same)));
}

TEST(Symptoms, a_run_is_faster_by_two_percent_and_beyond_the_noise_between_runs) {
  EXPECT_TRUE(CauseSketch(10, 8).symptoms().is_faster());
  EXPECT_FALSE(CauseSketch(10, 9.9).symptoms().is_faster());
  EXPECT_FALSE(CauseSketch(10, 12).symptoms().is_faster());
  auto sketch = CauseSketch(10, 8);
  sketch.edit().cycles.front().run_shift = stats::Shift{-2, -5, 1};
  sketch.edit().cycles.front().between_runs_p = 0.4;
  EXPECT_FALSE(sketch.symptoms().is_faster());
}

TEST(Symptoms, times_of_several_functions_add_up_cycle_by_cycle) {
  const auto sketch = CauseSketch(10, 10).kernel("a", 1, 2).kernel("b", 3, 5);
  const Symptoms symptoms = sketch.symptoms();
  const Change& total = symptoms.devices.front().kernel_ms;
  EXPECT_NEAR(total.normal.mean, 4, 1e-9);
  EXPECT_NEAR(total.abnormal.mean, 7, 1e-9);
  EXPECT_EQ(total.normal.n, 12u);
}

TEST(Symptoms, kernels_weigh_as_much_as_their_time) {
  const auto sketch = CauseSketch(10, 10).kernel("large", 3, 6).kernel("small", 1, 1);
  const Symptoms symptoms = sketch.symptoms();
  const Slowdowns& slowdowns = symptoms.devices.front().slowdowns;
  EXPECT_NEAR(slowdowns.share_between(1.5, 2.5), 0.75, 1e-9);
  EXPECT_NEAR(slowdowns.share_between(0.97, 1.03), 0.25, 1e-9);
  EXPECT_NEAR(slowdowns.median(), 2, 1e-9);
}

TEST(Symptoms, one_wild_cycle_of_a_kernel_is_no_slowdown_of_it) {
  CauseSketch sketch = CauseSketch(10, 10).kernel("gemm", 3, 6);
  FunctionRow& gemm = sketch.edit().functions.front();
  gemm.ms_per_cycle_normal[4] *= 20;
  gemm.ms = change_between(gemm.ms_per_cycle_normal, gemm.ms_per_cycle_abnormal);
  ASSERT_GT(gemm.ms.normal.mean, 6) << "it must spoil the mean to mean anything here";
  const Symptoms symptoms = sketch.symptoms();
  EXPECT_NEAR(symptoms.devices.front().slowdowns.median(), 2, 0.02);
}

TEST(Symptoms, a_kernel_that_no_cycle_launched_has_no_slowdown) {
  CauseSketch sketch = CauseSketch(10, 10).kernel("gemm", 3, 6);
  LaunchedRow& launched = sketch.edit().functions.front().launched;
  launched.is_known = launched.decides = true;
  launched.ms = change_between(CauseSketch::around(3), CauseSketch::around(6));
  launched.calls_abnormal = 10;
  const Symptoms symptoms = sketch.symptoms();
  EXPECT_TRUE(symptoms.devices.front().slowdowns.ones.empty());
  EXPECT_EQ(symptoms.devices.front().slowdowns.median(), 1);
}

TEST(Symptoms, kernels_that_are_called_more_often_say_nothing_about_slowdown) {
  const auto sketch = CauseSketch(10, 10).kernel("gemm", 2, 4).calls(10, 20);
  const Symptoms symptoms = sketch.symptoms();
  EXPECT_EQ(symptoms.devices.front().slowdowns.share_between(0, 1e9), 0);
  EXPECT_NEAR(symptoms.devices.front().other_work_ms, 2, 1e-9);
}

TEST(Symptoms, operators_have_one_vote_each_so_that_a_waiting_one_does_not_outweigh_them) {
  const auto sketch =
      CauseSketch(10, 10).op("linear", 1, 1.5).op("add", 0.5, 0.75).op("copy_", 8, 4);
  const Symptoms symptoms = sketch.symptoms();
  EXPECT_NEAR(symptoms.host.operator_slowdowns.share_between(1.05, 1e9), 2.0 / 3, 1e-9);
  EXPECT_NEAR(symptoms.host.operator_slowdowns.median(), 1.5, 1e-9);
}

TEST(Symptoms, blocks_are_compared_kernel_by_kernel_once_there_are_three) {
  auto sketch =
      CauseSketch(10, 10).kernel("a", 1, 1).blocks(100, 200).kernel("b", 1, 1).blocks(100, 100);
  EXPECT_EQ(sketch.symptoms().devices.front().resized_share, 0);
  sketch.kernel("c", 1, 1).blocks(8, 16).kernel("d", 1, 1);
  EXPECT_NEAR(sketch.symptoms().devices.front().resized_share, 2.0 / 3, 1e-9);
}

TEST(Symptoms, runtime_calls_are_told_apart_by_what_they_are_for) {
  const auto sketch = CauseSketch(10, 10)
                          .call("cudaStreamSynchronize", 1, 2)
                          .calls(2, 5)
                          .call("cudaMalloc", 1, 3)
                          .calls(1, 4)
                          .call("cudaFree", 1, 1)
                          .calls(1, 4)
                          .call("cudaLaunchKernel", 4, 4);
  const Symptoms symptoms = sketch.symptoms();
  const HostSymptoms& host = symptoms.host;
  EXPECT_EQ(host.synchronizations_normal, 2);
  EXPECT_EQ(host.synchronizations_abnormal, 5);
  EXPECT_EQ(host.allocations_normal, 2);
  EXPECT_EQ(host.allocations_abnormal, 8);
  EXPECT_NEAR(host.allocate_ms.abnormal.mean, 4, 1e-9);
}

TEST(Symptoms, waiting_for_a_core_reading_files_and_loading_input_are_kept_apart) {
  const auto sketch = CauseSketch(10, 10)
                          .function("runq", FunctionKind::kScheduling, 1, 2)
                          .function("oncpu", FunctionKind::kScheduling, 8, 8)
                          .function("read", FunctionKind::kInputOutput, 0.5, 0.75)
                          .op("enumerate(DataLoader)#_SingleProcess", 0.25, 0.5)
                          .op("linear", 4, 4);
  const Symptoms symptoms = sketch.symptoms();
  EXPECT_NEAR(symptoms.host.queue_ms.abnormal.mean, 2, 1e-9);
  EXPECT_NEAR(symptoms.host.disk_ms.normal.mean, 0.5, 1e-9);
  EXPECT_NEAR(symptoms.host.input_ms.abnormal.mean, 0.5, 1e-9);
}

TEST(Symptoms, a_range_that_loads_data_is_input_whatever_its_name) {
  const auto sketch =
      CauseSketch(10, 10).function("next_batch", FunctionKind::kDataLoading, 0.25, 0.5);
  EXPECT_NEAR(sketch.symptoms().host.input_ms.abnormal.mean, 0.5, 1e-9);
}

CauseSketch called(double factor, int functions) {
  CauseSketch sketch(10, 10);
  for (int i = 0; i < functions; ++i) {
    sketch.kernel("kernel" + std::to_string(i), 1, 1).calls(10, 10 * factor);
  }
  return sketch;
}

TEST(Symptoms, a_common_factor_of_calls_needs_five_functions_that_agree) {
  EXPECT_NEAR(called(2, 5).symptoms().common_calls_factor, 2, 1e-9);
  EXPECT_EQ(called(2, 4).symptoms().common_calls_factor, 1);
}

TEST(Symptoms, functions_of_one_run_only_vote_against_a_common_factor) {
  EXPECT_EQ(called(2, 5).kernel("new", 0, 1).kernel("newer", 0, 1).symptoms().common_calls_factor,
            1);
}

TEST(Symptoms, what_happens_once_a_cycle_has_no_say_in_the_common_factor) {
  auto sketch = called(2, 5);
  for (int i = 0; i < 5; ++i) sketch.op("once" + std::to_string(i), 1, 1).calls(1, 1);
  EXPECT_NEAR(sketch.symptoms().common_calls_factor, 2, 1e-9);
}

TEST(Symptoms, a_metric_is_found_by_its_role_on_its_device_and_rank) {
  const auto sketch = CauseSketch(10, 10)
                          .metric("GPU 0", "gpu_sm_frequency", 1980, 1980)
                          .metric("Host", "cpu_frequency", 90, 90);
  const Symptoms symptoms = sketch.symptoms();
  ASSERT_NE(symptoms.metric(device::MetricRole::kCoreClock, "GPU 0"), nullptr);
  EXPECT_EQ(symptoms.metric(device::MetricRole::kCoreClock, "GPU 1"), nullptr);
  EXPECT_EQ(symptoms.metric(device::MetricRole::kPower, "GPU 0"), nullptr);
  EXPECT_NE(symptoms.metric(device::MetricRole::kCpuClock, "Host"), nullptr);
}

TEST(Symptoms, the_rank_is_named_only_where_there_are_several) {
  EXPECT_EQ(CauseSketch(10, 10).symptoms().place(), "");
  EXPECT_EQ(CauseSketch(10, 10).rank(1).symptoms(1).place(), " on rank 1");
}

CauseSketch with_waiting_work(double normal_ms, double abnormal_ms) {
  CauseSketch sketch(10, 10);
  IdleCauseRow row;
  row.cause = {analysis::IdleKind::kLaunched, "", ""};
  row.ms = change_between(CauseSketch::around(normal_ms), CauseSketch::around(abnormal_ms));
  sketch.edit().idle = {row};
  return sketch;
}

TEST(WaitingWork, must_rise_or_fall_by_a_real_part_of_the_cycle) {
  const CauseSketch longer = with_waiting_work(0.1, 2);
  const CauseSketch shorter = with_waiting_work(2, 0.1);
  EXPECT_NE(longer_wait_of_work(longer.symptoms()), nullptr);
  EXPECT_EQ(shorter_wait_of_work(longer.symptoms()), nullptr);
  EXPECT_NE(shorter_wait_of_work(shorter.symptoms()), nullptr);
  EXPECT_EQ(longer_wait_of_work(with_waiting_work(0.1, 0.25).symptoms()), nullptr)
      << "1.5 % of the cycle";
  CauseSketch other = with_waiting_work(0.1, 2);
  other.edit().idle.front().cause.kind = analysis::IdleKind::kNothing;
  EXPECT_EQ(longer_wait_of_work(other.symptoms()), nullptr);
}

TEST(HostTime, the_cycle_is_the_hosts_only_if_every_device_outlasts_it_in_both_runs) {
  CauseSketch sketch = CauseSketch(20, 10).device("GPU 0", 19, 9).device("GPU 1", 19, 9);
  EXPECT_FALSE(cycle_is_host_time(sketch.symptoms()));
  for (DeviceRow& row : sketch.edit().devices) row.outlasts_cycles = true;
  EXPECT_FALSE(cycle_is_host_time(sketch.symptoms())) << "in one of the runs";
  sketch.edit().devices.back().outlasts_both = true;
  EXPECT_FALSE(cycle_is_host_time(sketch.symptoms())) << "on one of the devices";
  for (DeviceRow& row : sketch.edit().devices) row.outlasts_both = row.device != "Host";
  EXPECT_TRUE(cycle_is_host_time(sketch.symptoms()));
}

TEST(HostTime, the_host_has_a_row_of_its_own) {
  const CauseSketch sketch = CauseSketch(20, 10).device("Host", 18, 9);
  const Symptoms symptoms = sketch.symptoms();
  ASSERT_NE(host_row(symptoms), nullptr);
  EXPECT_NEAR(host_row(symptoms)->busy_ms.normal.mean, 18, 0.1);
}

TEST(ReadSymptoms, calls_that_only_one_run_recorded_count_in_neither) {
  const auto synchronizations = [](double launches_normal) {
    const auto sketch = CauseSketch(10, 10)
                            .kernel("gemm", 4, 4)
                            .call("cudaStreamSynchronize", 0, 1)
                            .calls(0, 5)
                            .call("cudaLaunchKernel", 0.1 * launches_normal, 1)
                            .calls(launches_normal, 10);
    return sketch.symptoms().host.synchronizations_abnormal;
  };
  EXPECT_EQ(synchronizations(0), 0);
  EXPECT_EQ(synchronizations(10), 5) << "both runs recorded calls";
}

}  // namespace

}  // namespace strobe::compare

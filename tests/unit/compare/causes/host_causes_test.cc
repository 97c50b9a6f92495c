#include <gtest/gtest.h>

#include <cmath>

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

// Twelve cycles that wait for a core two thirds of the time, one of them with an impossible sample.
Change queue_with_an_outlier() {
  std::vector<double> abnormal = CauseSketch::around(670);
  abnormal[3] = 9000;
  return change_between(std::vector<double>(12, 0.0), abnormal);
}

TEST(HostContention, one_extreme_sample_does_not_hide_the_queue) {
  CauseSketch sketch = slower_by(3)
                           .metric("Host", "schedstat_runq_ns", 0, 670)
                           .metric("Host", "host_cpu_usage", 7, 100);
  MetricRow& queue = sketch.edit().metrics.front();
  queue.all = queue.busy = queue_with_an_outlier();
  ASSERT_GT(queue.all.welch.p, kSignificant) << "it must spoil the mean to mean anything here";
  const auto causes = host_causes(sketch);
  const Cause* cause = find(causes, CauseKind::kHostContention);
  ASSERT_NE(cause, nullptr);
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_TRUE(mentions(cause->evidence, "waiting for a core: 0.0 -> 67.0 % of the time"));
}

TEST(HostContention, a_process_that_is_stopped_at_times_waits_in_some_samples_only) {
  CauseSketch sketch = slower_by(1.3)
                           .metric("Host", "schedstat_runq_ns", 0, 220)
                           .metric("Host", "process_cpu_usage", 99, 69);
  MetricRow& queue = sketch.edit().metrics.front();
  queue.all = queue.busy = change_between(std::vector<double>(6, 0.0),
                                          std::vector<double>{0, 900, 0, 300, 20, 60, 600, 50, 40});
  ASSERT_GT(queue.all.drift_p, kSurely) << "the mean alone must not tell it";
  EXPECT_GE(score_of(host_causes(sketch), CauseKind::kHostContention), kConfidentScore);
}

TEST(HostContention, a_queue_that_cannot_be_told_does_not_speak_against_full_cores) {
  CauseSketch sketch = slower_by(2)
                           .metric("Host", "schedstat_runq_ns", 10, 200)
                           .metric("Host", "host_cpu_usage", 20, 99)
                           .metric("Host", "schedstat_oncpu_ns", 990, 490);
  const auto noisy = [](double mean) {
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) values.push_back(i % 4 == 0 ? 4 * mean : 0);
    return values;
  };
  MetricRow& queue = sketch.edit().metrics.front();
  queue.all = queue.busy = change_between(noisy(10), noisy(200));
  EXPECT_NE(find(host_causes(sketch), CauseKind::kHostContention), nullptr);
  queue.all = queue.busy = change_between(CauseSketch::around(10), CauseSketch::around(12));
  EXPECT_EQ(find(host_causes(sketch), CauseKind::kHostContention), nullptr);
}

TEST(HostContention, the_idle_time_by_cause_supports_it) {
  CauseSketch sketch = slower_by(2)
                           .metric("Host", "schedstat_runq_ns", 1, 500)
                           .metric("Host", "schedstat_oncpu_ns", 990, 490);
  sketch.idle({analysis::IdleKind::kOperator, "aten::mm", ""}, 1, 7);
  const auto causes = host_causes(sketch);
  const Cause* cause = find(causes, CauseKind::kHostContention);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->evidence, "of that, while the host is in aten::mm: 1.00 -> 7.00 ms"));
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
  CauseSketch sketch = all_operators(2, 1.3).device("Host", 9, 13);
  EXPECT_EQ(find(host_causes(sketch), CauseKind::kLaunchBound), nullptr);
  sketch.edit().noise.is_speed_known = true;
  sketch.edit().noise.host_speed = 1.3;
  sketch.edit().noise.speed_change = std::log(1.3);  // which explains 3 of 10 ms
  const auto causes = host_causes(sketch);
  const Cause* cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->against, "operators take longer as well"));
  EXPECT_NEAR(cause->score, 0.5 + 0.3 * 5.7 / 7, 1e-2);
  const Cause* slow_host = find(causes, CauseKind::kHostSlow);
  ASSERT_NE(slow_host, nullptr);
  EXPECT_NEAR(slow_host->explains_ms, 3, 1e-6) << "no more than the host's speed";
}

// The host waits for the device during half of the cycle, so its speed could explain 2 of the 2 ms;
// but 1 ms between operators became 3.2.
TEST(HostCode, code_that_was_not_there_before_is_known_whatever_the_hosts_speed) {
  CauseSketch sketch = all_operators(1.2, 1.3).device("Host", 9, 8.8);
  sketch.edit().noise.is_speed_known = true;
  sketch.edit().noise.host_speed = 1.3;
  sketch.edit().noise.speed_change = std::log(1.2);
  const auto causes = host_causes(sketch);
  const Cause* cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(cause->is_fact);
  EXPECT_GE(cause->score, kConfidentScore);
}

TEST(HostCode, time_between_operators_that_grew_as_the_hosts_is_not_new_code) {
  CauseSketch sketch = all_operators(1.5, 1.1).device("Host", 1, 2);  // outside: 9 -> 13 ms
  sketch.edit().noise.is_speed_known = true;
  sketch.edit().noise.host_speed = 1.1;
  sketch.edit().noise.speed_change = std::log(1.1);
  const auto causes = host_causes(sketch);
  const Cause* cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_FALSE(cause->is_fact) << "x 1.31 beside the host's speed";
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

CauseSketch not_ahead(CauseSketch sketch) {
  return sketch.device("GPU 0", 9, 19).kernel("gemm", 4, 4);
}

CauseSketch far_ahead(CauseSketch sketch) { return not_ahead(sketch).outlasts_both(); }

TEST(HostFarAhead, time_between_operators_is_a_cause_though_the_device_is_always_busy) {
  const CauseSketch sketch = CauseSketch(10, 20).device("Host", 8, 8).op("linear", 3, 3);
  const auto causes = host_causes(far_ahead(sketch));
  const Cause* cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "the host spends longer between operators");
  EXPECT_TRUE(mentions(cause->evidence, "the host waits for the device in neither run"));
  EXPECT_NEAR(cause->explains_ms, 10, 0.1);
  EXPECT_EQ(find(host_causes(not_ahead(sketch)), CauseKind::kLaunchBound), nullptr);
}

TEST(HostFarAhead, a_slower_host_is_a_cause_by_its_own_time) {
  const CauseSketch sketch =
      CauseSketch(10, 20).device("Host", 9, 18).op("linear", 4, 8).op("add", 1, 2).op("norm", 1, 2);
  const auto causes = host_causes(far_ahead(sketch));
  const Cause* cause = find(causes, CauseKind::kHostSlow);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->evidence, "host time in operators and calls: 9.00 -> 18.0 ms"));
  EXPECT_EQ(find(host_causes(not_ahead(sketch)), CauseKind::kHostSlow), nullptr);
}

TEST(HostFarAhead, more_launches_are_a_cause_if_operators_and_calls_take_longer) {
  const CauseSketch sketch = CauseSketch(10, 20)
                                 .device("Host", 9, 18)
                                 .call("cudaGraphLaunch", 0.1, 0)
                                 .calls(1, 0)
                                 .call("cudaLaunchKernel", 0, 3)
                                 .calls(0, 150);
  const auto causes = host_causes(far_ahead(sketch));
  const Cause* cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline,
            "more calls launch the work of a cycle (1 -> 150), and the host needs longer for them");
  EXPECT_EQ(find(host_causes(not_ahead(sketch)), CauseKind::kLaunchBound), nullptr);
}

TEST(HostFarAhead, waiting_for_a_core_needs_no_device_that_waits) {
  const CauseSketch sketch = CauseSketch(10, 20)
                                 .metric("Host", "schedstat_runq_ns", 1, 500)
                                 .metric("Host", "host_cpu_usage", 20, 99);
  EXPECT_GE(score_of(host_causes(far_ahead(sketch)), CauseKind::kHostContention), 0.9);
  EXPECT_LT(score_of(host_causes(not_ahead(sketch)), CauseKind::kHostContention), kConfidentScore);
}

TEST(InputPipeline, input_that_explains_the_longer_cycle_is_sure) {
  const auto causes = host_causes(all_operators(2, 1).op("enumerate(DataLoader)#next", 0.5, 10));
  const Cause* cause = find(causes, CauseKind::kInputPipeline);
  ASSERT_NE(cause, nullptr);
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_EQ(cause->headline, "input data arrives later");
  EXPECT_NEAR(cause->explains_ms, 9.5, 0.01);
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

// The host's own code is slow inside a module; the operators take as long as before.
CauseSketch slow_module() {
  CauseSketch sketch = slower_by(3).device("Host", 9, 10);
  for (int i = 0; i < 4; ++i) {
    sketch.op("aten::mm" + std::to_string(i), 1, 1);
    sketch.edit().functions.back().is_operator = true;
    sketch.op("Block_" + std::to_string(i), 1, 6);
  }
  return sketch;
}

TEST(SlowHost, ranges_that_contain_slow_code_are_not_operators_that_take_longer) {
  EXPECT_EQ(find(host_causes(slow_module()), CauseKind::kHostSlow), nullptr);
  const Cause* cause = nullptr;
  const auto causes = host_causes(slow_module());
  cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_FALSE(mentions(cause->against, "operators take longer as well"));
}

// The device waits while the host computes: 6 ms of 10 more in an operator, 3 between operators.
CauseSketch computing_host(double calls_before = 10, double calls_after = 30) {
  CauseSketch sketch = slower_by(2).op("aten::flip", 1, 7).calls(calls_before, calls_after);
  sketch.idle({analysis::IdleKind::kOperator, "aten::flip", ""}, 1, 7);
  sketch.idle({analysis::IdleKind::kNothing, "", ""}, 3, 6);
  return sketch;
}

const Cause* host_work_among(const std::vector<Cause>& causes) {
  const auto found = std::ranges::find_if(causes, [](const Cause& cause) {
    return cause.headline.starts_with("the host does more work of its own");
  });
  return found == causes.end() ? nullptr : &*found;
}

TEST(HostWork, operators_that_are_called_more_often_while_the_device_waits_are_named) {
  const auto causes = host_causes(computing_host());
  const Cause* cause = host_work_among(causes);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->kind, CauseKind::kLaunchBound);
  EXPECT_EQ(cause->headline,
            "the host does more work of its own (aten::flip), and the device waits");
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_NEAR(cause->explains_ms, 9, 0.01) << "the operator and the code around it";
  EXPECT_TRUE(cause->is_fact) << "calls are counted";
  EXPECT_TRUE(mentions(cause->evidence, "between them: 4.00 -> 13.0 ms per cycle"));
}

TEST(HostWork, is_silent_while_the_operators_are_called_as_often) {
  EXPECT_EQ(host_work_among(host_causes(computing_host(10, 10))), nullptr);
  EXPECT_EQ(host_work_among(host_causes(computing_host(10, 13))), nullptr)
      << "1.2 times as often, and one call more, is the least";
}

TEST(HostWork, is_silent_when_it_explains_less_than_half_of_the_change) {
  CauseSketch sketch = computing_host();
  sketch.edit().idle.back().cause.kind = analysis::IdleKind::kRuntimeCall;
  sketch.edit().idle.back().cause.name = "cudaMemcpyAsync";
  ASSERT_NE(host_work_among(host_causes(sketch)), nullptr) << "6 of 10 ms";
  IdleCauseRow& in_operator = sketch.edit().idle.front();
  in_operator.ms_per_cycle_abnormal = CauseSketch::around(5);
  in_operator.ms =
      change_between(in_operator.ms_per_cycle_normal, in_operator.ms_per_cycle_abnormal);
  EXPECT_EQ(host_work_among(host_causes(sketch)), nullptr) << "4 of 10 ms";
}

TEST(HostWork, is_silent_when_the_process_waits_for_a_core_or_kernels_changed) {
  EXPECT_EQ(
      host_work_among(host_causes(computing_host().metric("Host", "schedstat_runq_ns", 1, 500))),
      nullptr);
  EXPECT_EQ(host_work_among(host_causes(computing_host().kernel("softmax", 1, 3))), nullptr);
}

TEST(HostCode, recorded_frames_need_no_second_profile) {
  const auto before = host_causes(slow_module());
  EXPECT_NE(find(before, CauseKind::kLaunchBound)->advice.find("with_stack"), std::string::npos);
  CauseSketch sketch = slow_module();
  for (SideFacts* side : {&sketch.edit().normal, &sketch.edit().abnormal}) {
    side->ranks.front().has_frames = true;
  }
  const auto after = host_causes(sketch);
  EXPECT_EQ(find(after, CauseKind::kLaunchBound)->advice.find("with_stack"), std::string::npos);
}

TEST(HostCode, the_range_in_which_the_device_waits_is_named) {
  CauseSketch sketch = slow_module();
  sketch.idle({analysis::IdleKind::kRange, "Block_2", ""}, 0.1, 19);
  const auto causes = host_causes(sketch);
  const Cause* cause = find(causes, CauseKind::kLaunchBound);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->evidence, "device idle while the host is in Block_2"));
  EXPECT_NE(cause->advice.find("look at Block_2 in the timeline"), std::string::npos);
}

TEST(Paging, memory_that_is_read_from_the_disk_while_the_device_waits_is_sure) {
  const auto causes = host_causes(slower_by(2)
                                      .metric("Host", "major_faults", 0, 450)
                                      .metric("Host", "pressure_memory_some_us", 2, 300));
  const Cause* cause = find(causes, CauseKind::kDiskIo);
  ASSERT_NE(cause, nullptr);
  EXPECT_GE(cause->score, kConfidentScore);
  EXPECT_EQ(cause->headline, "the program's memory is read from the disk");
  EXPECT_TRUE(mentions(cause->evidence, "had to be read from a disk: 0.00 -> 450 per s"));
  EXPECT_TRUE(mentions(cause->evidence, "waits for memory: 0.2 -> 30.0 % of the time"));
}

TEST(Paging, alone_it_is_listed_and_not_sure) {
  const double score = score_of(host_causes(slower_by(2).metric("Host", "major_faults", 0, 450)),
                                CauseKind::kDiskIo);
  EXPECT_GE(score, kListedScore);
  EXPECT_LT(score, kConfidentScore);
}

TEST(Paging, is_silent_about_few_faults_and_while_nothing_waits) {
  const auto says = [](const CauseSketch& sketch) {
    return find(host_causes(sketch), CauseKind::kDiskIo) != nullptr;
  };
  EXPECT_FALSE(says(slower_by(2).metric("Host", "major_faults", 0, 8)));
  EXPECT_FALSE(says(slower_by(2).metric("Host", "major_faults", 450, 460)));
  EXPECT_FALSE(
      says(CauseSketch(10, 10).device("GPU 0", 5, 5).metric("Host", "major_faults", 0, 450)));
}

TEST(SlowDisk, threads_that_wait_for_it_speak_for_it_and_their_absence_against_it) {
  const auto reading = [] {
    return slower_by(2).function("read", FunctionKind::kInputOutput, 1, 9);
  };
  const double alone = score_of(host_causes(reading()), CauseKind::kDiskIo);
  const auto waits = host_causes(reading().metric("Host", "pressure_io_some_us", 10, 400));
  EXPECT_GT(score_of(waits, CauseKind::kDiskIo), alone);
  EXPECT_TRUE(mentions(find(waits, CauseKind::kDiskIo)->evidence,
                       "a thread of the machine waits for a disk: 1.0 -> 40.0 %"));
  const auto calm = host_causes(reading().metric("Host", "pressure_io_some_us", 10, 10));
  EXPECT_LT(score_of(calm, CauseKind::kDiskIo), alone);
  EXPECT_TRUE(mentions(find(calm, CauseKind::kDiskIo)->against, "no thread of the machine waits"));
}

}  // namespace
}  // namespace strobe::compare

#include "strobe/analysis/tables/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/sketch.h"
#include "tests/unit/analysis/timeline/recorded_sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> sampled_labels(const SampleTable& table) {
  std::vector<std::string> labels;
  for (const SampleRow& row : table.rows) labels.push_back(row.owner + " " + row.label);
  return labels;
}

SampleRow only_sample_row(RecordedSketch& sketch) {
  const SampleTable table = list_samples(sketch.trace());
  EXPECT_THAT(table.rows, SizeIs(1));
  return table.rows.empty() ? SampleRow() : table.rows.front();
}

// 200 W for 10 ms, 300 W for 30 ms; the last sample ends the recording.
TEST(SamplesTest, a_gauge_holds_until_the_next_sample_in_its_unit) {
  RecordedSketch sketch;
  sketch.of_device(1)
      .sample("gpu_power_mw", 20_ms, 300'000)
      .sample("gpu_power_mw", 10_ms, 200'000)
      .sample("gpu_power_mw", 50_ms, 250'000);
  const SampleRow row = only_sample_row(sketch);
  EXPECT_EQ(row.thing, SampledThing::kDevice);
  EXPECT_EQ(row.owner, "GPU 1");
  EXPECT_EQ(row.label, "power: draw");
  EXPECT_EQ(row.metric, "gpu_power_mw");
  EXPECT_EQ(row.key, "");
  EXPECT_EQ(row.info.unit, "W");
  EXPECT_DOUBLE_EQ(row.mean.value(), 275);
  EXPECT_DOUBLE_EQ(row.min.value(), 200);
  EXPECT_DOUBLE_EQ(row.max.value(), 300);
  EXPECT_EQ(row.samples, 3u);
}

// 200 W for 10 ms, 300 W for 30 ms, 600 W for 10 ms; the first 20 ms are start-up.
TEST(SamplesTest, a_mean_leaves_the_start_up_out) {
  RecordedSketch sketch;
  sketch.of_device(1)
      .sample("gpu_power_mw", 10_ms, 200'000)
      .sample("gpu_power_mw", 20_ms, 300'000)
      .sample("gpu_power_mw", 50_ms, 600'000)
      .sample("gpu_power_mw", 60_ms, 0);
  const Trace trace = sketch.trace();
  const SampleTable table = list_samples(trace, Interval{30_ms, 60_ms});
  ASSERT_THAT(table.rows, SizeIs(1));
  EXPECT_DOUBLE_EQ(table.rows[0].mean.value(), 340);
  EXPECT_DOUBLE_EQ(table.rows[0].steady_mean.value(), 400);
  EXPECT_FALSE(list_samples(trace).rows[0].steady_mean);
  EXPECT_FALSE(list_samples(trace, Interval{70_ms, 80_ms}).rows[0].steady_mean);
}

// The memory grows at 10 ms and stays; the process is seen until 100 ms: (0 * 10 + 900 * 90) / 100.
TEST(SamplesTest, a_value_that_does_not_change_holds_as_long_as_its_process_is_seen) {
  RecordedSketch sketch;
  sketch.of_process("4711")
      .sample("process_rss_bytes", 0, 0)
      .sample("process_rss_bytes", 10_ms, 900)
      .thread("4711", "4712")
      .sample("on_cpu_pct", 100_ms, 3);
  const SampleRow row = only_sample_row(sketch);
  EXPECT_EQ(row.owner, "process 4711");
  EXPECT_DOUBLE_EQ(row.mean.value(), 810);
}

// 5 ms of waiting in 10 ms, then none until 100 ms: 500 ms/s for a tenth of the time.
TEST(SamplesTest, a_counter_is_its_rate_and_grows_no_more_until_it_is_written_again) {
  RecordedSketch sketch;
  sketch.of_process("1")
      .sample("schedstat_runq_ns", 0, 0)
      .sample("schedstat_runq_ns", 10_ms, 5'000'000)
      .thread("1", "1")
      .sample("on_cpu_pct", 100_ms, 3);
  const SampleRow row = only_sample_row(sketch);
  EXPECT_EQ(row.label, "waits for a core");
  EXPECT_DOUBLE_EQ(row.mean.value(), 50);
  EXPECT_DOUBLE_EQ(row.min.value(), 0);
  EXPECT_DOUBLE_EQ(row.max.value(), 500);
}

TEST(SamplesTest, a_counter_that_was_set_back_says_nothing_about_that_time) {
  RecordedSketch sketch;
  sketch.of_device(0)
      .sample("gpu_ecc_corrected", 0, 100)
      .sample("gpu_ecc_corrected", 1000_ms, 0)
      .sample("gpu_ecc_corrected", 2000_ms, 4);
  const SampleRow row = only_sample_row(sketch);
  EXPECT_DOUBLE_EQ(row.mean.value(), 4);
  EXPECT_DOUBLE_EQ(row.min.value(), 4);
}

// 50 ms looks: 80 % in the first, then silence after the zero, then 40 % in the last of 20 looks.
TEST(SamplesTest, a_window_after_a_zero_is_zero_until_the_next_one_begins) {
  RecordedSketch sketch;
  sketch.of_process("1")
      .sample("process_cpu_usage", 50_ms, 80)
      .sample("process_cpu_usage", 100_ms, 0)
      .sample("process_cpu_usage", 1000_ms, 40);
  const SampleRow row = only_sample_row(sketch);
  EXPECT_DOUBLE_EQ(row.mean.value(), (80 + 40) / 20.0);
  EXPECT_DOUBLE_EQ(row.min.value(), 0);
  EXPECT_DOUBLE_EQ(row.max.value(), 80);
}

// A process that used a core only in the last moment was idle before, as long as it was seen.
TEST(SamplesTest, before_its_first_window_a_process_did_nothing) {
  RecordedSketch sketch;
  sketch.of_process("7")
      .sample("process_rss_bytes", 0, 900)
      .sample("process_cpu_usage", 1000_ms, 12);
  const SampleTable table = list_samples(sketch.trace());
  ASSERT_THAT(table.rows, SizeIs(2));
  EXPECT_EQ(table.rows[0].metric, "process_cpu_usage");
  EXPECT_DOUBLE_EQ(table.rows[0].mean.value(), 0);
  EXPECT_DOUBLE_EQ(table.rows[0].max.value(), 12);
}

TEST(SamplesTest, a_window_describes_the_time_since_the_sample_before) {
  RecordedSketch sketch;
  sketch.of_machine()
      .sample("host_cpu_usage", 100_ms, 10)
      .sample("host_cpu_usage", 200_ms, 10)
      .sample("host_cpu_usage", 500_ms, 60)
      .sample("host_cpu_usage", 600_ms, 10);
  // The first and the others of 100 ms have 10 %, the one of 300 ms has 60 %.
  EXPECT_DOUBLE_EQ(only_sample_row(sketch).mean.value(), (3 * 10 + 3 * 60) / 6.0);
}

TEST(SamplesTest, one_sample_is_its_own_mean_but_no_rate) {
  RecordedSketch sketch;
  sketch.of_machine()
      .sample("host_cpu_usage", 5_ms, 12.5)
      .sample("host_load", 5_ms, 3)
      .sample("pressure_cpu_some_us", 5_ms, 1e9);
  const SampleTable table = list_samples(sketch.trace());
  ASSERT_THAT(sampled_labels(table),
              ElementsAre("host CPU, all cores", "host pressure: CPU", "host load"));
  EXPECT_DOUBLE_EQ(table.rows[0].mean.value(), 12.5);
  EXPECT_FALSE(table.rows[1].mean);
  EXPECT_FALSE(table.rows[1].max);
  EXPECT_EQ(table.rows[1].samples, 1u);
  EXPECT_DOUBLE_EQ(table.rows[2].mean.value(), 3);
  EXPECT_EQ(table.rows[2].info.unit, "");
}

TEST(SamplesTest, what_is_no_number_does_not_count) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  RecordedSketch sketch;
  sketch.of_device(0)
      .sample("gpu_temperature_c", 0, 40)
      .sample("gpu_temperature_c", 10_ms, kNone)
      .sample("gpu_temperature_c", 20_ms, 50)
      .sample("gpu_power_mw", 20_ms, kNone);
  const SampleRow row = only_sample_row(sketch);
  EXPECT_DOUBLE_EQ(row.mean.value(), 40);
  EXPECT_DOUBLE_EQ(row.max.value(), 50);
  EXPECT_EQ(row.samples, 2u);
}

TEST(SamplesTest, what_explains_most_comes_first_then_devices_processes_and_host) {
  RecordedSketch sketch;
  sketch.of_machine()
      .sample("host_load", 0, 1)
      .sample("host_cpu_usage", 0, 1)
      .of_process("7")
      .sample("process_rss_bytes", 0, 1)
      .sample("schedstat_runq_ns", 0, 1)
      .of_device(1)
      .sample("gpu_sm_frequency", 0, 1)
      .of_device(0)
      .sample("gpu_temperature_c", 0, 1)
      .sample("gpu_usage", 0, 1)
      .sample("gpu_sm_frequency", 0, 1);
  EXPECT_THAT(sampled_labels(list_samples(sketch.trace())),
              ElementsAre("GPU 0 SM clock", "GPU 0 utilisation: all", "GPU 1 SM clock",
                          "process 7 waits for a core", "host CPU, all cores", "GPU 0 temperature",
                          "process 7 memory", "host load"));
}

// Process 1 uses a core until 20 ms, process 2 half a core from 10 ms to 40 ms.
TEST(SamplesTest, processes_are_added_up_moment_by_moment) {
  RecordedSketch sketch;
  sketch.of_process("1")
      .sample("process_cpu_usage", 10_ms, 100)
      .sample("process_cpu_usage", 20_ms, 100)
      .of_process("2")
      .sample("process_cpu_usage", 20_ms, 50)
      .sample("process_cpu_usage", 30_ms, 50)
      .sample("process_cpu_usage", 40_ms, 50);
  const SampleRow row = only_sample_row(sketch);
  EXPECT_EQ(row.owner, "2 processes");
  EXPECT_DOUBLE_EQ(row.min.value(), 50);
  EXPECT_DOUBLE_EQ(row.max.value(), 150);
  EXPECT_DOUBLE_EQ(row.mean.value(), (100 + 150 + 50 + 50) / 4.0);
  EXPECT_EQ(row.samples, 5u);
}

// Both may use 2 cores together.
TEST(SamplesTest, a_quota_that_processes_share_is_not_added_up) {
  RecordedSketch sketch;
  sketch.of_process("1")
      .sample("cpu_quota_cores", 10_ms, 2)
      .sample("cpu_quota_cores", 20_ms, 2)
      .of_process("2")
      .sample("cpu_quota_cores", 10_ms, 2);
  const SampleRow row = only_sample_row(sketch);
  EXPECT_EQ(row.owner, "2 processes");
  EXPECT_DOUBLE_EQ(row.max.value(), 2);
  EXPECT_DOUBLE_EQ(row.mean.value(), 2);
}

TEST(SamplesTest, processes_that_were_seen_once_have_a_plain_mean) {
  RecordedSketch sketch;
  for (int process = 1; process <= 3000; ++process) {
    sketch.of_process(std::to_string(process)).sample("process_cpu_usage", 10_ms, process % 2);
  }
  const SampleRow row = only_sample_row(sketch);
  EXPECT_EQ(row.owner, "3,000 processes");
  EXPECT_DOUBLE_EQ(row.mean.value(), 0.5);
  EXPECT_DOUBLE_EQ(row.max.value(), 1);
}

TEST(SamplesTest, threads_and_other_processes_are_only_counted) {
  RecordedSketch sketch;
  for (int thread = 1; thread <= 2000; ++thread) {
    sketch.thread("1", std::to_string(thread)).sample("waiting_for_core_pct", 10_ms, 5);
  }
  sketch.of_machine()
      .sample("foreign_process_cpu_usage", 0, 90, "python3 (12)")
      .sample("foreign_process_cpu_usage", 0, 20, "clang (13)")
      .sample("foreign_cpu_usage", 0, 110);
  const SampleTable table = list_samples(sketch.trace());
  EXPECT_THAT(sampled_labels(table), ElementsAre("host CPU of other processes"));
  EXPECT_EQ(table.threads, 2000u);
  EXPECT_EQ(table.other_processes, 2u);
}

// Power cap (4) for 30 of 40 ms, heat (32) for 10; the idle bit (1) is no limit.
TEST(SamplesTest, each_limit_of_the_clock_is_a_share_of_the_time) {
  RecordedSketch sketch;
  sketch.of_device(0)
      .sample("gpu_throttle_reasons", 0, 4)
      .sample("gpu_throttle_reasons", 20_ms, 4 + 32)
      .sample("gpu_throttle_reasons", 30_ms, 1)
      .sample("gpu_throttle_reasons", 40_ms, 0);
  const SampleTable table = list_samples(sketch.trace());
  ASSERT_THAT(sampled_labels(table),
              ElementsAre("GPU 0 clock limited: power cap", "GPU 0 clock limited: heat"));
  EXPECT_DOUBLE_EQ(table.rows[0].mean.value(), 75);
  EXPECT_DOUBLE_EQ(table.rows[1].mean.value(), 25);
  EXPECT_EQ(table.rows[0].info.unit, "%");
  EXPECT_EQ(table.rows[0].key, "power cap");
}

// The hardware's bit (8) comes with the kinds of it that say more (0x40), as on the timeline.
TEST(SamplesTest, a_hardware_slowdown_has_a_row_only_where_its_cause_is_not_known) {
  RecordedSketch sketch;
  sketch.of_device(0)
      .sample("gpu_throttle_reasons", 0, 0x48)
      .sample("gpu_throttle_reasons", 30_ms, 0x08)
      .sample("gpu_throttle_reasons", 40_ms, 0);
  const SampleTable table = list_samples(sketch.trace());
  ASSERT_THAT(sampled_labels(table), ElementsAre("GPU 0 clock limited: hardware slowdown",
                                                 "GPU 0 clock limited: heat (alarm)"));
  EXPECT_DOUBLE_EQ(table.rows[0].mean.value(), 25);
  EXPECT_DOUBLE_EQ(table.rows[1].mean.value(), 75);
}

TEST(SamplesTest, events_have_no_mean) {
  RecordedSketch sketch;
  sketch.of_device(0).sample("gpu_xid", 5_ms, 79).sample("gpu_xid", 9_ms, 31);
  const SampleRow row = only_sample_row(sketch);
  EXPECT_FALSE(row.mean);
  EXPECT_DOUBLE_EQ(row.min.value(), 31);
  EXPECT_DOUBLE_EQ(row.max.value(), 79);
}

TEST(SamplesTest, another_tools_counters_need_a_name_with_a_meaning) {
  Sketch sketch;
  sketch.thread(1)
      .counter("queue depth", "queue depth", 0, 5)
      .counter("page faults", "page faults", 0, 9)
      .counter("page faults", "page faults", 10_ms, 3)
      .counter("cpu_utilization", "user", 0, 20)
      .counter("cpu_utilization", "user", 10_ms, 40);
  const SampleTable table = list_samples(sketch.trace());
  ASSERT_THAT(table.rows, SizeIs(1)) << "one has no meaning, the other falls";
  EXPECT_EQ(table.rows[0].label, "cpu_utilization: user");
  EXPECT_EQ(table.rows[0].key, "user");
  EXPECT_DOUBLE_EQ(table.rows[0].mean.value(), 30);
}

TEST(SamplesTest, a_trace_without_counters_has_no_rows) {
  EXPECT_THAT(list_samples(Sketch().trace()).rows, IsEmpty());
}

}  // namespace
}  // namespace strobe::analysis

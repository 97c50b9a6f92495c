#include "strobe/report/compare/metric_text.h"

#include <gtest/gtest.h>

namespace strobe::report {
namespace {

device::MetricInfo info_of(std::string_view metric, std::string_view device = "GPU 0") {
  return device::metric_info(metric, device);
}

TEST(MetricTextTest, reasons_of_a_lower_clock_are_words_and_have_no_difference) {
  const device::MetricInfo reasons = info_of("gpu_throttle_reasons");
  EXPECT_EQ(metric_text(0, reasons), "none");
  EXPECT_EQ(metric_text(4, reasons), "power cap");
  EXPECT_EQ(metric_text(0x44, reasons), "heat (alarm), power cap");
  EXPECT_EQ(metric_text(0x1004, reasons), "power cap, 0x1000");
  EXPECT_EQ(metric_text(2.5, reasons), "changing") << "a mean over different reasons";
  EXPECT_EQ(metric_change_text(4, reasons), "-");
  EXPECT_EQ(metric_interval_text({4, 4, 4}, reasons), "-");
}

TEST(MetricTextTest, waiting_for_a_core_is_a_share_of_the_time) {
  const device::MetricInfo queue = info_of("schedstat_runq_ns", "Host");
  EXPECT_EQ(metric_text(668, queue), "66.8 %");
  EXPECT_EQ(metric_change_text(600, queue), "+60 ppt");
  EXPECT_EQ(metric_interval_text({600, 550, 650}, queue), "+55.0 to +65.0 ppt");
  EXPECT_TRUE(is_in_points(queue));
}

TEST(MetricTextTest, other_metrics_keep_their_unit) {
  EXPECT_EQ(metric_text(1155, info_of("gpu_sm_frequency")), "1,155 MHz");
  EXPECT_EQ(metric_change_text(14, info_of("gpu_usage")), "+14 ppt");
  EXPECT_FALSE(is_in_points(info_of("gpu_sm_frequency")));
}

TEST(MetricTextTest, a_name_that_does_not_say_what_its_numbers_mean_has_a_note) {
  EXPECT_EQ(metric_note("gpu_power_mw", info_of("gpu_power_mw")), "gpu_power_mw: converted to W.");
  EXPECT_EQ(metric_note("process_cpu_usage", info_of("process_cpu_usage", "Host")),
            "process_cpu_usage: 100 % is one core.");
  EXPECT_EQ(metric_note("schedstat_runq_ns", info_of("schedstat_runq_ns", "Host")),
            "schedstat_runq_ns: share of the time in which the process waits for a core; threads "
            "add up.");
  EXPECT_EQ(metric_note("gpu_sm_frequency", info_of("gpu_sm_frequency")), "");
}

TEST(MetricTextTest, what_other_processes_take_is_told_with_its_base) {
  EXPECT_EQ(metric_note("gpu_foreign_usage", info_of("gpu_foreign_usage")),
            "gpu_foreign_usage: by processes outside of the program.");
  EXPECT_EQ(metric_note("foreign_cpu_usage", info_of("foreign_cpu_usage", "Host")),
            "foreign_cpu_usage: by processes outside of the program; 100 % is one core.");
  EXPECT_EQ(metric_text(48, info_of("gpu_foreign_process_usage python3 (4711)")), "48 %");
}

// A counter of microseconds is shown as a share of the time, so it was not converted to anything.
TEST(MetricTextTest, time_that_was_lost_is_a_share_of_the_time) {
  for (const char* const name : {"pressure_cpu_some_us", "pressure_memory_some_us",
                                 "pressure_io_some_us", "cpu_quota_throttled_us"}) {
    const device::MetricInfo info = info_of(name, "Host");
    EXPECT_EQ(metric_text(250, info), "25 %") << name;
    EXPECT_NE(metric_note(name, info).find("share of the time"), std::string::npos) << name;
  }
}

TEST(MetricTextTest, counts_and_limits_have_their_own_units) {
  EXPECT_EQ(metric_text(2, info_of("cpu_quota_cores", "Host")), "2 cores");
  EXPECT_EQ(metric_text(700, info_of("gpu_power_limit_mw")), "700 W");
  EXPECT_EQ(metric_text(120, info_of("forced_switches", "Host")), "120 per s");
}

}  // namespace
}  // namespace strobe::report

#include "strobe/device/metric_info.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::device {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MetricInfoTest, a_clock_is_a_gauge_in_megahertz) {
  for (const char* const name : {"gpu_sm_frequency", "gpu_frequency", "sm_clock", "clocks.sm [MHz]",
                                 "DCGM_FI_DEV_SM_CLOCK", "graphicsClock"}) {
    const MetricInfo info = metric_info(name, "GPU 7");
    EXPECT_EQ(info.kind, MetricKind::kGauge) << name;
    EXPECT_EQ(info.role, MetricRole::kCoreClock) << name;
    EXPECT_EQ(info.unit, "MHz") << name;
    EXPECT_EQ(info.scale, 1) << name;
  }
  EXPECT_EQ(metric_info("gpu_mem_frequency", "GPU 0").role, MetricRole::kMemoryClock);
  EXPECT_EQ(metric_info("DCGM_FI_DEV_MEM_CLOCK", "GPU 0").role, MetricRole::kMemoryClock);
  EXPECT_EQ(metric_info("sm_clock_ghz", "MLU 0").scale, 1000);
}

TEST(MetricInfoTest, a_utilisation_describes_the_time_before_its_stamp) {
  const auto expect = [](const char* name, MetricRole role) {
    const MetricInfo info = metric_info(name, "GPU 7");
    EXPECT_EQ(info.kind, MetricKind::kWindow) << name;
    EXPECT_EQ(info.role, role) << name;
    EXPECT_EQ(info.unit, "%") << name;
    EXPECT_EQ(info.scale, 1) << name;
    EXPECT_EQ(info.scope, MetricScope::kKernels) << name;
  };
  expect("gpu_usage", MetricRole::kDeviceUse);
  expect("gpu_util", MetricRole::kDeviceUse);
  expect("utilization.gpu [%]", MetricRole::kDeviceUse);
  expect("process_gpu_usage", MetricRole::kProcessDeviceUse);
  expect("gpu_mem_util", MetricRole::kMemoryUse);
  expect("gpu_sm_util", MetricRole::kSmActivity);
  expect("gpu_sm_occupancy", MetricRole::kSmActivity);
}

TEST(MetricInfoTest, shares_of_one_become_percent) {
  const MetricInfo info = metric_info("DCGM_FI_PROF_SM_ACTIVE", "GPU 0");
  EXPECT_EQ(info.role, MetricRole::kSmActivity);
  EXPECT_EQ(info.unit, "%");
  EXPECT_EQ(info.scale, 100);
}

TEST(MetricInfoTest, memory_in_use_is_a_share_of_the_capacity_or_has_no_role) {
  EXPECT_EQ(metric_info("gpu_mem_used", "GPU 0").role, MetricRole::kMemoryUsed);
  EXPECT_EQ(metric_info("gpu_mem_used", "GPU 0").kind, MetricKind::kGauge);
  EXPECT_EQ(metric_info("gpu_mem_used", "GPU 0").unit, "%");
  const MetricInfo bytes = metric_info("gpu_mem_used_mib", "GPU 0");
  EXPECT_EQ(bytes.role, MetricRole::kUnknown);
  EXPECT_EQ(bytes.unit, "B");
  EXPECT_EQ(bytes.scale, 1048576);
}

TEST(MetricInfoTest, power_comes_in_watts) {
  EXPECT_EQ(metric_info("gpu_power_mw", "GPU 0").role, MetricRole::kPower);
  EXPECT_EQ(metric_info("gpu_power_mw", "GPU 0").unit, "W");
  EXPECT_EQ(metric_info("gpu_power_mw", "GPU 0").scale, 1e-3);
  EXPECT_EQ(metric_info("gpu_power_w", "GPU 0").scale, 1);
  EXPECT_EQ(metric_info("power.draw [W]", "GPU 0").role, MetricRole::kPower);
}

TEST(MetricInfoTest, temperature_and_throttle_reasons_are_known) {
  EXPECT_EQ(metric_info("gpu_temperature_c", "GPU 0").role, MetricRole::kTemperature);
  EXPECT_EQ(metric_info("gpu_temperature_c", "GPU 0").unit, "°C");
  for (const char* const name :
       {"gpu_throttle_reasons", "clocks_throttle_reasons.active", "clocks_event_reasons.active",
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"}) {
    EXPECT_EQ(metric_info(name, "GPU 0").role, MetricRole::kThrottleReasons) << name;
    EXPECT_EQ(metric_info(name, "GPU 0").kind, MetricKind::kGauge) << name;
  }
}

TEST(MetricInfoTest, traffic_is_a_rate_unless_it_is_called_a_total) {
  for (const char* const name : {"gpu_pcie_transmit", "gpu_pcie_receive", "pcie_rx_bytes"}) {
    const MetricInfo info = metric_info(name, "GPU 0");
    EXPECT_EQ(info.kind, MetricKind::kWindow) << name;
    EXPECT_EQ(info.role, MetricRole::kPcieTraffic) << name;
    EXPECT_EQ(info.scope, MetricScope::kHostCopies) << name;
    EXPECT_EQ(info.unit, "B/s") << name;
  }
  EXPECT_EQ(metric_info("gpu_link_receive", "GPU 0").role, MetricRole::kLinkTraffic);
  EXPECT_EQ(metric_info("gpu_link_transmit", "GPU 0").scope, MetricScope::kDeviceCopies);
  const MetricInfo total = metric_info("nvlink_tx_kib_total", "GPU 0");
  EXPECT_EQ(total.kind, MetricKind::kCounter);
  EXPECT_EQ(total.unit, "B/s");
  EXPECT_EQ(total.scale, 1024);
}

TEST(MetricInfoTest, counted_nanoseconds_become_milliseconds_per_second) {
  const MetricInfo on_cpu = metric_info("schedstat_oncpu_ns", "Host");
  EXPECT_EQ(on_cpu.kind, MetricKind::kCounter);
  EXPECT_EQ(on_cpu.role, MetricRole::kOnCpu);
  EXPECT_EQ(on_cpu.unit, "ms/s");
  EXPECT_EQ(on_cpu.scale, 1e-6);
  EXPECT_EQ(on_cpu.scope, MetricScope::kHost);
  EXPECT_EQ(metric_info("schedstat_runq_ns", "Host").role, MetricRole::kRunQueue);
  EXPECT_EQ(metric_info("schedstat_runq_ns", "Host").kind, MetricKind::kCounter);
}

TEST(MetricInfoTest, the_host_has_its_own_names) {
  EXPECT_EQ(metric_info("host_cpu_usage", "Host").role, MetricRole::kHostCpuUse);
  EXPECT_EQ(metric_info("process_cpu_usage", "Host").role, MetricRole::kProcessCpuUse);
  EXPECT_EQ(metric_info("process_cpu_usage", "Host").kind, MetricKind::kWindow);
  EXPECT_EQ(metric_info("cpu_frequency", "Host").role, MetricRole::kCpuClock);
  EXPECT_EQ(metric_info("cpu_frequency", "Host").kind, MetricKind::kGauge);
  EXPECT_EQ(metric_info("cpu_frequency_mhz", "Host").unit, "MHz");
  EXPECT_EQ(metric_info("cpu_frequency_mhz", "Host").role, MetricRole::kCpuClock);
  EXPECT_EQ(metric_info("disk_usage", "Host").scope, MetricScope::kHostIo);
  EXPECT_EQ(metric_info("disk_usage", "Host").role, MetricRole::kDisk);
  EXPECT_EQ(metric_info("disk_read_bytes", "Host").kind, MetricKind::kCounter);
  EXPECT_EQ(metric_info("disk_write_bytes_per_s", "Host").kind, MetricKind::kWindow);
  EXPECT_EQ(metric_info("disk_write_bytes_per_s", "Host").unit, "B/s");
  EXPECT_EQ(metric_info("page_faults", "Host").kind, MetricKind::kCounter);
  EXPECT_EQ(metric_info("page_faults", "Host").unit, "1/s");
}

TEST(MetricInfoTest, unknown_names_are_neutral_gauges_of_where_they_were_sampled) {
  const MetricInfo device = metric_info("flux_capacitor", "GPU 3");
  EXPECT_EQ(device.kind, MetricKind::kGauge);
  EXPECT_EQ(device.role, MetricRole::kUnknown);
  EXPECT_EQ(device.scope, MetricScope::kKernels);
  EXPECT_EQ(device.unit, "");
  EXPECT_EQ(device.scale, 1);
  EXPECT_EQ(metric_info("flux_capacitor", "Host").scope, MetricScope::kHost);
  EXPECT_EQ(metric_info("flux_capacitor", "").scope, MetricScope::kHost);
  EXPECT_EQ(metric_info("flux_capacitor", "CPU 0").scope, MetricScope::kHost);
  EXPECT_EQ(metric_info("", "GPU 0").role, MetricRole::kUnknown);
}

TEST(MetricInfoTest, a_limit_is_not_what_it_limits) {
  EXPECT_EQ(metric_info("gpu_power_limit_w", "GPU 0").role, MetricRole::kPowerLimit);
  EXPECT_EQ(metric_info("gpu_power_limit_mw", "GPU 0").unit, "W");
  EXPECT_EQ(metric_info("gpu_sm_clock_max", "GPU 0").role, MetricRole::kUnknown);
}

TEST(MetricInfoTest, a_clock_of_two_million_megahertz_is_not_believed) {
  const auto range = believable_range(metric_info("gpu_sm_frequency", "GPU 0"));
  ASSERT_TRUE(range);
  EXPECT_GE(1'980, range->low);
  EXPECT_LE(1'980, range->high);
  EXPECT_LT(1.98, range->low);
  EXPECT_GT(1'980'000, range->high);
  EXPECT_FALSE(believable_range(metric_info("gpu_pcie_receive", "GPU 0")));
}

struct KnownMetric {
  const char* metric;
  MetricKind kind;
  MetricRole role;
  MetricScope scope;
  const char* unit;
  double scale = 1;
};

class RecordedMetricsTest : public ::testing::Test {
 protected:
  using enum MetricKind;
  using enum MetricScope;
  using Role = MetricRole;

  static void expect_known_metrics(const char* device, const std::vector<KnownMetric>& metrics) {
    for (const KnownMetric& known : metrics) {
      const MetricInfo info = metric_info(known.metric, device);
      EXPECT_EQ(info.kind, known.kind) << known.metric;
      EXPECT_EQ(info.role, known.role) << known.metric;
      EXPECT_EQ(info.scope, known.scope) << known.metric;
      EXPECT_EQ(info.unit, known.unit) << known.metric;
      EXPECT_EQ(info.scale, known.scale) << known.metric;
      EXPECT_FALSE(info.has_key) << known.metric;
    }
  }
};

TEST_F(RecordedMetricsTest, everything_that_is_recorded_of_a_device_is_known) {
  expect_known_metrics("GPU 0",
                       {{"gpu_sm_frequency", kGauge, Role::kCoreClock, kKernels, "MHz"},
                        {"gpu_mem_frequency", kGauge, Role::kMemoryClock, kKernels, "MHz"},
                        {"gpu_usage", kWindow, Role::kDeviceUse, kKernels, "%"},
                        {"gpu_mem_util", kWindow, Role::kMemoryUse, kKernels, "%"},
                        {"gpu_mem_used", kGauge, Role::kMemoryUsed, kKernels, "%"},
                        {"gpu_mem_used_bytes", kGauge, Role::kUnknown, kKernels, "B"},
                        {"gpu_power_mw", kGauge, Role::kPower, kKernels, "W", 1e-3},
                        {"gpu_power_limit_mw", kGauge, Role::kPowerLimit, kNone, "W", 1e-3},
                        {"gpu_temperature_c", kGauge, Role::kTemperature, kKernels, "°C"},
                        {"gpu_throttle_reasons", kGauge, Role::kThrottleReasons, kKernels, ""},
                        {"gpu_pcie_receive", kWindow, Role::kPcieTraffic, kHostCopies, "B/s"},
                        {"gpu_pcie_transmit", kWindow, Role::kPcieTraffic, kHostCopies, "B/s"},
                        {"gpu_pcie_replays", kCounter, Role::kPcieReplays, kNone, "1/s"},
                        {"gpu_link_receive", kWindow, Role::kLinkTraffic, kDeviceCopies, "B/s"},
                        {"gpu_link_transmit", kWindow, Role::kLinkTraffic, kDeviceCopies, "B/s"},
                        {"gpu_ecc_corrected", kCounter, Role::kMemoryErrors, kNone, "1/s"},
                        {"gpu_ecc_uncorrected", kCounter, Role::kMemoryErrors, kNone, "1/s"},
                        {"gpu_xid", kEvent, Role::kDeviceErrors, kNone, ""},
                        {"gpu_process_usage", kWindow, Role::kProcessDeviceUse, kKernels, "%"},
                        {"gpu_foreign_usage", kWindow, Role::kForeignDeviceUse, kKernels, "%"},
                        {"gpu_foreign_processes", kGauge, Role::kForeignProcesses, kNone, ""},
                        {"gpu_foreign_mem_used", kGauge, Role::kForeignMemory, kNone, "%"}});
}

TEST_F(RecordedMetricsTest, everything_that_is_recorded_of_the_machine_is_known) {
  expect_known_metrics(
      "Host", {{"host_cpu_usage", kWindow, Role::kHostCpuUse, kHost, "%"},
               {"host_load", kGauge, Role::kHostLoad, kNone, ""},
               {"foreign_cpu_usage", kWindow, Role::kForeignCpuUse, kHost, "%"},
               {"pressure_cpu_some_us", kCounter, Role::kCpuPressure, kNone, "ms/s", 1e-3},
               {"pressure_memory_some_us", kCounter, Role::kMemoryPressure, kNone, "ms/s", 1e-3},
               {"pressure_io_some_us", kCounter, Role::kIoPressure, kNone, "ms/s", 1e-3},
               {"host_mem_used", kGauge, Role::kHostMemory, kHost, "%"},
               {"cpu_frequency", kGauge, Role::kCpuClock, kHost, "%"}});
}

TEST_F(RecordedMetricsTest, everything_that_is_recorded_of_a_process_is_known) {
  expect_known_metrics(
      "Host", {{"process_cpu_usage", kWindow, Role::kProcessCpuUse, kHost, "%"},
               {"schedstat_oncpu_ns", kCounter, Role::kOnCpu, kHost, "ms/s", 1e-6},
               {"schedstat_runq_ns", kCounter, Role::kRunQueue, kHost, "ms/s", 1e-6},
               {"process_rss_bytes", kGauge, Role::kHostMemory, kHost, "B"},
               {"process_read_bytes", kCounter, Role::kDisk, kHostIo, "B/s"},
               {"process_write_bytes", kCounter, Role::kDisk, kHostIo, "B/s"},
               {"major_faults", kCounter, Role::kMajorFaults, kHost, "1/s"},
               {"minor_faults", kCounter, Role::kHostMemory, kHost, "1/s"},
               {"voluntary_switches", kCounter, Role::kOwnSwitches, kNone, "1/s"},
               {"forced_switches", kCounter, Role::kForcedSwitches, kHost, "1/s"},
               {"cpu_quota_cores", kGauge, Role::kCpuQuota, kNone, "cores"},
               {"cpu_quota_throttled_us", kCounter, Role::kQuotaThrottled, kNone, "ms/s", 1e-3}});
}

TEST_F(RecordedMetricsTest, everything_that_is_recorded_of_a_thread_is_known) {
  expect_known_metrics("Host",
                       {{"on_cpu_pct", kWindow, Role::kThreadOnCpu, kNone, "%"},
                        {"waiting_for_core_pct", kWindow, Role::kThreadRunQueue, kNone, "%"},
                        {"core", kGauge, Role::kUnknown, kNone, ""},
                        {"page_faults", kCounter, Role::kHostMemory, kHost, "1/s"}});
}

TEST(MetricKeyTest, a_process_of_any_name_does_not_change_the_metric) {
  for (const char* const key : {"python3 (4711)", "gpu_sm_frequency (1)", "a b mhz (2)", "x"}) {
    const std::string device_use = std::string("gpu_foreign_process_usage ") + key;
    EXPECT_EQ(metric_info(device_use, "GPU 0").role, MetricRole::kOneForeignDeviceUse) << key;
    EXPECT_EQ(metric_info(device_use, "GPU 0").unit, "%") << key;
    EXPECT_EQ(metric_info(device_use, "GPU 0").scope, MetricScope::kNone) << key;
    EXPECT_TRUE(metric_info(device_use, "GPU 0").has_key) << key;
    EXPECT_EQ(metric_key(device_use), key);
    const std::string core_use = std::string("foreign_process_cpu_usage ") + key;
    EXPECT_EQ(metric_info(core_use, "Host").role, MetricRole::kOneForeignCpuUse) << key;
  }
  // A metric that is not kept per process is not known with a key: a maximum is not the clock.
  EXPECT_EQ(metric_info("gpu_sm_frequency max", "GPU 0").role, MetricRole::kUnknown);
  EXPECT_EQ(metric_info("clocks sm", "GPU 0").role, MetricRole::kCoreClock);
  EXPECT_FALSE(metric_info("clocks sm", "GPU 0").has_key);
}

TEST(MetricKeyTest, the_program_is_what_stands_before_the_number) {
  EXPECT_EQ(metric_key("gpu_usage"), "");
  EXPECT_EQ(program_of("python3 (4711)"), "python3");
  EXPECT_EQ(program_of("my tool (beta) (12)"), "my tool (beta)");
  EXPECT_EQ(program_of("python3"), "python3");
}

TEST(MetricKeyTest, the_process_that_samples_is_told_apart) {
  EXPECT_TRUE(is_recorder("strobe (812)"));
  EXPECT_FALSE(is_recorder("strobelight (812)"));
  EXPECT_FALSE(is_recorder("python3 (812)"));
}

TEST(ClockLimitsTest, each_bit_has_its_words) {
  EXPECT_EQ(clock_limits_text(0), "none");
  EXPECT_EQ(clock_limits_text(kIdleReason), "idle");
  EXPECT_EQ(clock_limits_text(kPowerReasons), "power brake, power cap");
  EXPECT_EQ(clock_limits_text(kThermalReasons), "heat (alarm), heat");
  EXPECT_EQ(clock_limits_text(kHardwareReason), "hardware slowdown");
  EXPECT_EQ(clock_limits_text(kSettingReasons), "sync boost, display clocks, application clocks");
  EXPECT_EQ(clock_limits_text(0x1000), "0x1000");
}

TEST(ClockLimitsTest, the_most_drastic_reason_comes_first_and_unknown_ones_last) {
  EXPECT_THAT(clock_reason_names(0x3065),
              ElementsAre("heat (alarm)", "heat", "power cap", "idle", "0x3000"));
  EXPECT_THAT(clock_reason_names(0), IsEmpty());
}

TEST(ClockLimitsTest, idle_is_no_limit_and_hardware_one_only_where_no_other_bit_says_more) {
  EXPECT_EQ(clock_limits_in(kIdleReason), 0u);
  EXPECT_EQ(clock_limits_in(0x05), 0x04u);
  EXPECT_EQ(clock_limits_in(0x48), 0x40u);
  EXPECT_EQ(clock_limits_in(0x88), 0x80u);
  EXPECT_EQ(clock_limits_in(0x28), 0x28u);
  EXPECT_EQ(clock_limits_in(kHardwareReason), kHardwareReason);
}

// The median of 0 and 8 would be 4, which neither sample has.
TEST(MetricInfoTest, bits_are_usual_if_more_than_half_of_the_samples_have_them) {
  EXPECT_EQ(usual_bits(std::vector<double>{0, 8}), 0u);
  EXPECT_EQ(usual_bits(std::vector<double>{0, 8, 12}), 8u);
  EXPECT_EQ(usual_bits(std::vector<double>{0x24, 0x20, 0x04}), 0x24u);
  EXPECT_EQ(usual_bits(std::vector<double>{-1, 1e300, 4}), 0u);
  EXPECT_EQ(usual_bits({}), 0u);
}

}  // namespace
}  // namespace strobe::device

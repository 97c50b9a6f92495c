#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/tensorboard/devices.h"
#include "strobe/tensorboard/profile.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

DeviceProperties named(std::string name) {
  DeviceProperties properties;
  properties.name = std::move(name);
  return properties;
}

TEST(DeviceInfoTest, each_variant_has_its_own_way_to_tell_the_kind) {
  using Properties = std::optional<std::vector<DeviceProperties>>;
  const Properties none;
  const Properties empty = std::vector<DeviceProperties>();
  const Properties mlu = std::vector{named("MLU370"), named("A100")};
  const Properties gpu = std::vector{named("A100")};
  for (const Properties& any : {none, empty, mlu, gpu}) {
    EXPECT_EQ(device_kind(any, KindRule::kAlwaysGpu), DeviceKind::kGpu);
    EXPECT_EQ(device_kind(any, KindRule::kAlwaysMlu), DeviceKind::kMlu);
  }
  EXPECT_EQ(device_kind(none, KindRule::kByName), DeviceKind::kNone);
  EXPECT_EQ(device_kind(empty, KindRule::kByName), DeviceKind::kNone);
  EXPECT_EQ(device_kind(mlu, KindRule::kByName), DeviceKind::kMlu);
  EXPECT_EQ(device_kind(gpu, KindRule::kByName), DeviceKind::kGpu);
  EXPECT_EQ(device_kind(none, KindRule::kByProperties), DeviceKind::kNone);
  EXPECT_EQ(device_kind(empty, KindRule::kByProperties), DeviceKind::kMlu);
  EXPECT_EQ(device_kind(mlu, KindRule::kByProperties), DeviceKind::kGpu);
}

TEST(DeviceInfoTest, memory_is_told_in_bytes_or_in_mib) {
  DeviceProperties both;
  both.total_global_memory = Number::whole(34089730048);
  both.total_memory_mib = Number::whole(42396);
  DeviceProperties mib_only;
  mib_only.total_memory_mib = Number::whole(42396);
  const auto memory = [](const DeviceProperties& properties, Variant variant) {
    return describe_device(properties, rules_of(variant)).memory.value_or("none");
  };
  EXPECT_EQ(memory(both, Variant::kGpu), "31.75 GB");
  EXPECT_EQ(memory(both, Variant::kMluA), "41.4 GB");
  EXPECT_EQ(memory(both, Variant::kMluB), "31.75 GB");
  EXPECT_EQ(memory(mib_only, Variant::kGpu), "none");
  EXPECT_EQ(memory(mib_only, Variant::kMluC), "41.4 GB");
  const DeviceInfo info = describe_device(mib_only, rules_of(Variant::kMluA));
  EXPECT_EQ(info.memory_raw, Number::whole(42396));
  EXPECT_EQ(info.memory_bytes, 42396.0 * 1024 * 1024);
}

TEST(DeviceInfoTest, a_compute_capability_needs_both_of_its_parts) {
  DeviceProperties properties;
  properties.compute_major = Number::whole(9);
  EXPECT_FALSE(describe_device(properties, rules_of(Variant::kGpu)).compute_capability);
  properties.compute_minor = Number::whole(0);
  EXPECT_EQ(describe_device(properties, rules_of(Variant::kGpu)).compute_capability, "9.0");
}

DeviceReport report_of(const TraceLines& lines) {
  auto profile = read_profile(lines.text());
  EXPECT_TRUE(profile);
  return (*profile)->device_report;
}

TraceLines one_step_line(double length) {
  TraceLines lines;
  lines.step(1, 0, length);
  return lines;
}

TEST(DeviceMetricsTest, utilization_is_the_covered_share_of_the_steps) {
  const DeviceReport report = report_of(one_step_line(100)
                                            .x("kernel", "a", 10, 20, R"("device":1)")
                                            .x("kernel", "b", 20, 20, R"("device":1)")
                                            .x("kernel", "late", 95, 20, R"("device":1)")
                                            .x("kernel", "nowhere", 50, 5));
  ASSERT_EQ(report.devices.size(), 1u);
  EXPECT_EQ(report.devices[0].device, 1);
  EXPECT_EQ(to_text(report.devices[0].utilization), "0.35");
  EXPECT_FALSE(report.devices[0].sm_efficiency);
  EXPECT_FALSE(report.devices[0].occupancy_percent);
}

TEST(DeviceMetricsTest, devices_come_ascending_and_may_have_large_ids) {
  const DeviceReport report = report_of(one_step_line(100)
                                            .x("kernel", "a", 10, 1, R"("device":70)")
                                            .x("kernel", "b", 20, 1, R"("device":3)"));
  ASSERT_EQ(report.devices.size(), 2u);
  EXPECT_EQ(report.devices[0].device, 3);
  EXPECT_EQ(report.devices[1].device, 70);
}

TEST(DeviceMetricsTest, sm_efficiency_adds_up_what_runs_together_and_is_at_most_1) {
  const DeviceReport report =
      report_of(one_step_line(100)
                    .x("kernel", "a", 0, 20, R"("device":0,"blocks per SM":0.75)")
                    .x("kernel", "b", 10, 20, R"("device":0,"blocks per SM":0.5)"));
  const DeviceMetrics& device = report.devices.at(0);
  ASSERT_EQ(device.sm_ranges.size(), 3u);
  EXPECT_EQ(to_text(device.sm_ranges[0].value), "0.75");
  EXPECT_EQ(to_text(device.sm_ranges[1].value), "1.0");
  EXPECT_EQ(to_text(device.sm_ranges[2].value), "0.5");
  EXPECT_EQ(to_text(*device.sm_efficiency), "0.225");  // (7.5 + 10 + 5) / 100
  EXPECT_TRUE(report.has_blocks_per_sm);
}

TEST(DeviceMetricsTest, a_whole_number_of_blocks_stays_whole) {
  const DeviceReport report =
      report_of(one_step_line(100).x("kernel", "a", 0, 20, R"("device":0,"blocks per SM":1)"));
  EXPECT_EQ(to_text(report.devices.at(0).sm_ranges.at(0).value), "1");
}

TEST(DeviceMetricsTest, occupancy_is_weighted_by_time_inside_the_steps) {
  const DeviceReport report =
      report_of(one_step_line(100)
                    .x("kernel", "a", 0, 30, R"("device":0,"est. achieved occupancy %":40)")
                    .x("kernel", "b", 90, 30, R"("device":0,"est. achieved occupancy %":80)")
                    .x("kernel", "none", 50, 5, R"("device":0,"est. achieved occupancy %":-1)"));
  EXPECT_EQ(to_text(*report.devices.at(0).occupancy_percent), "50.0");
  EXPECT_TRUE(report.has_occupancy);
}

TEST(DeviceMetricsTest, buckets_are_powers_of_ten_and_the_last_takes_the_rest) {
  const DeviceReport report = report_of(TraceLines()
                                            .x("Trace", "PyTorch Profiler (0)", 0, 1005)
                                            .op("a", 0, 1000)
                                            .x("kernel", "k", 995, 5, R"("device":0)"));
  const auto& buckets = report.devices.at(0).buckets;
  ASSERT_EQ(buckets.size(), 11u);  // ten of 100, and the end
  EXPECT_EQ(buckets[0].first, Number::whole(0));
  EXPECT_EQ(buckets[9].first, Number::whole(900));
  EXPECT_EQ(buckets[9].second, ratio(Number::whole(5), Number::whole(105)));
  EXPECT_EQ(buckets[10].first, Number::whole(1005));
  EXPECT_EQ(to_text(buckets[10].second), "0");
}

TEST(DeviceMetricsTest, a_step_without_length_gives_zeros) {
  const DeviceReport report =
      report_of(TraceLines().op("a", 5, 0).x("kernel", "k", 5, 0, R"("device":0)"));
  EXPECT_EQ(to_text(report.devices.at(0).utilization), "0.0");
}

}  // namespace

}  // namespace strobe::tensorboard

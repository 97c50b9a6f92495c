#include "strobe/trace/kernel_table.h"

#include <gtest/gtest.h>

namespace strobe {
namespace {

KernelTable launches(std::initializer_list<std::string_view> names) {
  KernelTable table;
  for (const std::string_view name : names) {
    table.names.push_back(table.strings.intern(name));
    table.durations_ns.push_back(1000);
  }
  return table;
}

KernelDevice device(std::int32_t index, std::string name) {
  KernelDevice device;
  device.index = index;
  device.name = std::move(name);
  return device;
}

TEST(KernelTable, every_metric_has_a_word_that_leads_back_to_it) {
  for (std::size_t i = 0; i < kKernelMetrics; ++i) {
    const auto metric = static_cast<KernelMetric>(i);
    EXPECT_EQ(kernel_metric_of(word_of(metric)), metric) << word_of(metric);
  }
  EXPECT_EQ(kernel_metric_of("tensor"), std::nullopt);
  EXPECT_EQ(word_of(KernelMetric::kTensorPercent), "tensor_percent");
  EXPECT_EQ(word_of(KernelMetric::kWarpsPerSm), "warps_per_sm");
}

TEST(KernelTable, every_source_has_its_word) {
  EXPECT_EQ(word_of(KernelSource::kTextTable), "text_table");
  EXPECT_EQ(word_of(KernelSource::kRecording), "recording");
}

TEST(KernelTable, a_metric_that_was_not_set_is_missing_and_not_zero) {
  KernelTable table = launches({"a", "b", "c"});
  EXPECT_FALSE(table.has(KernelMetric::kDramPercent));
  table.set(KernelMetric::kDramPercent, 1, 0.0);
  EXPECT_TRUE(table.has(KernelMetric::kDramPercent));
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 0), std::nullopt);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 1), 0.0);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 2), std::nullopt);
  EXPECT_EQ(table.value(KernelMetric::kTensorPercent, 1), std::nullopt);
  EXPECT_EQ(table.name(2), "c");
}

TEST(KernelTable, a_launch_finds_its_device_by_index) {
  KernelTable table = launches({"a", "b", "c"});
  EXPECT_EQ(table.device_of(0), nullptr);
  table.devices = {device(3, "three")};
  ASSERT_NE(table.device_of(0), nullptr) << "the only device ran them all";
  table.devices.push_back(device(5, "five"));
  EXPECT_EQ(table.device_of(0), nullptr) << "the table does not say which";
  table.device_indices = {5, 3, 4};
  EXPECT_EQ(table.device_of(0)->name, "five");
  EXPECT_EQ(table.device_of(1)->name, "three");
  EXPECT_EQ(table.device_of(2), nullptr);
}

}  // namespace
}  // namespace strobe

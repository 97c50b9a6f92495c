#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "strobe/trace/kernel_table.h"

namespace strobe {

// A list of kernels, launch by launch: KernelSketch().launch("softmax", 20'000, 2, 43).table().
class KernelSketch {
 public:
  KernelSketch& launch(std::string_view name, std::int64_t ns, std::optional<double> tensor = {},
                       std::optional<double> dram = {}) {
    const std::size_t row = table_.size();
    table_.names.push_back(table_.strings.intern(name));
    table_.durations_ns.push_back(ns);
    table_.ids.push_back(static_cast<std::uint32_t>(row));
    table_.grids.emplace_back();
    table_.blocks.emplace_back();
    if (tensor) table_.set(KernelMetric::kTensorPercent, row, *tensor);
    if (dram) table_.set(KernelMetric::kDramPercent, row, *dram);
    return *this;
  }

  // For the previous launch, like the next two.
  KernelSketch& metric(KernelMetric metric, double value) {
    table_.set(metric, table_.size() - 1, value);
    return *this;
  }
  KernelSketch& shape(std::uint32_t grid, std::uint32_t block) {
    table_.grids.back() = {grid, 1, 1};
    table_.blocks.back() = {block, 1, 1};
    return *this;
  }
  KernelSketch& stream(std::uint32_t stream) {
    table_.streams.resize(table_.size());
    table_.streams.back() = stream;
    return *this;
  }
  // The next one, from 0.
  KernelSketch& device(std::string_view name, double most_clock_hz = 0,
                       double dram_bytes_per_s = 0) {
    KernelDevice device;
    device.index = static_cast<std::int32_t>(table_.devices.size());
    device.name = name;
    device.most_clock_hz = most_clock_hz;
    device.dram_bytes_per_s = dram_bytes_per_s;
    table_.devices.push_back(std::move(device));
    return *this;
  }
  KernelSketch& on_device(std::int32_t index) {
    table_.device_indices.resize(table_.size());
    table_.device_indices.back() = index;
    return *this;
  }

  KernelTable& now() { return table_; }
  KernelTable table() {
    if (!table_.streams.empty()) table_.streams.resize(table_.size());
    if (!table_.device_indices.empty()) table_.device_indices.resize(table_.size());
    return std::move(table_);
  }

 private:
  KernelTable table_;
};

}  // namespace strobe

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/readers/counters/counter_names.h"
#include "strobe/readers/counters/remarks.h"
#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

// A KernelTable under construction: launches may be incomplete, and each counter comes from the
// best source in the file. Readers of all profiler formats end here.
class LaunchRows {
 public:
  enum class Set : std::uint8_t {
    kDone,
    kWorse,   // a better source has set it
    kTwice,   // the same source has set it
    kUseless  // not a valid number for it
  };

  std::size_t size() const { return table_.size(); }
  std::size_t add(std::uint32_t id, std::string_view name, const Place& place);
  void set_mangled(std::size_t row, std::string_view name);
  void set_grid(std::size_t row, const LaunchShape& shape) { table_.grids[row] = shape; }
  void set_block(std::size_t row, const LaunchShape& shape) { table_.blocks[row] = shape; }
  // In base units.
  Set set(std::size_t row, const NamedCounter& named, double value);

  // The device that ran a row, after set(kDevice) was called; devices are known by index.
  bool knows_device(std::int32_t index) const;
  KernelDevice& device(std::int32_t index);
  void set_device_fact(std::int32_t index, const NamedCounter& named, double value);

  std::string_view name(std::size_t row) const { return table_.name(row); }
  Remarks& remarks() { return remarks_; }
  void set_clock_policy(ClockPolicy policy) { table_.clock_policy = policy; }

  // Finishes the table. Launches without a duration are left out, with a remark; kTooLittleData if
  // none remains.
  Result<KernelTable> finish(KernelSource source);

 private:
  struct Column {
    std::vector<double> values;       // NaN: not set
    std::vector<std::uint8_t> ranks;  // of the source that set it; empty if all have rank 0
  };
  struct DeviceFacts {
    std::array<double, 2> bus{};  // bits, kHz
    std::array<std::uint8_t, kCounters> ranks;
    std::array<int, 2> capability{-1, -1};
  };

  Column& column(Counter counter) { return columns_[static_cast<std::size_t>(counter)]; }
  const Column& column(Counter counter) const {
    return columns_[static_cast<std::size_t>(counter)];
  }
  double value(Counter counter, std::size_t row) const;
  StringId intern(std::string_view name);
  void fill_durations();
  void fill_shapes();
  void fill_combined();
  void fill_metrics();
  void fill_places();
  void keep_only(const std::vector<bool>& keep);

  KernelTable table_;
  std::array<Column, kCounters> columns_;
  std::vector<DeviceFacts> device_facts_;  // parallel to table_.devices
  std::size_t computed_durations_ = 0;
  std::vector<bool> has_duration_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;  // row and line of each launch
  Remarks remarks_;
};

}  // namespace strobe::readers

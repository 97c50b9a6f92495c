#include "strobe/readers/counters/launch_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint8_t kNoRank = 0xFF;
constexpr double kMostDurationNs = 9.2e18;
constexpr std::size_t kMostDevices = 4096;

std::uint32_t whole_or_zero(double value) {
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  return value >= 0 && value <= kMost ? static_cast<std::uint32_t>(value) : 0;
}

}  // namespace

StringId LaunchRows::intern(std::string_view name) {
  const StringId known = table_.strings.find(name);
  if (known.valid()) return known;
  return is_valid_utf8(name) ? table_.strings.intern(name)
                             : table_.strings.intern(sanitize_utf8(name));
}

std::size_t LaunchRows::add(std::uint32_t id, std::string_view name, const Place& place) {
  table_.names.push_back(intern(name));
  table_.ids.push_back(id);
  table_.grids.emplace_back();
  table_.blocks.emplace_back();
  const auto narrow = [](std::size_t number) {
    return static_cast<std::uint32_t>(
        std::min<std::size_t>(number, std::numeric_limits<std::uint32_t>::max()));
  };
  places_.emplace_back(narrow(place.row), narrow(place.line));
  return table_.size() - 1;
}

void LaunchRows::set_mangled(std::size_t row, std::string_view name) {
  table_.mangled_names.resize(row);
  table_.mangled_names.push_back(intern(name));
}

LaunchRows::Set LaunchRows::set(std::size_t row, const NamedCounter& named, double value) {
  const bool is_possible = std::isfinite(value) && value >= 0;
  if (!is_possible) return Set::kUseless;
  Column& into = column(named.counter);
  if (into.values.size() <= row) into.values.resize(row + 1, kMissing);
  if (!std::isnan(into.values[row])) {
    const std::uint8_t rank = into.ranks.size() > row ? into.ranks[row] : 0;
    if (named.rank == rank) return Set::kTwice;
    if (named.rank > rank) return Set::kWorse;
  }
  if (named.rank != 0 || !into.ranks.empty()) {
    if (into.ranks.size() <= row) into.ranks.resize(row + 1, 0);
    into.ranks[row] = named.rank;
  }
  into.values[row] = value;
  return Set::kDone;
}

double LaunchRows::value(Counter counter, std::size_t row) const {
  const std::vector<double>& values = column(counter).values;
  return row < values.size() ? values[row] : kMissing;
}

bool LaunchRows::knows_device(std::int32_t index) const {
  return std::ranges::find(table_.devices, index, &KernelDevice::index) != table_.devices.end();
}

KernelDevice& LaunchRows::device(std::int32_t index) {
  const auto found = std::ranges::find(table_.devices, index, &KernelDevice::index);
  if (found != table_.devices.end()) return *found;
  if (table_.devices.size() >= kMostDevices) return table_.devices.back();
  KernelDevice device;
  device.index = index;
  table_.devices.push_back(std::move(device));
  device_facts_.emplace_back().ranks.fill(kNoRank);
  return table_.devices.back();
}

void LaunchRows::set_device_fact(std::int32_t index, const NamedCounter& named, double value) {
  KernelDevice& into = device(index);
  DeviceFacts& facts = device_facts_[static_cast<std::size_t>(&into - table_.devices.data())];
  std::uint8_t& rank = facts.ranks[static_cast<std::size_t>(named.counter)];
  if (!(value >= 0 && value < 1e15) || named.rank >= rank) return;
  rank = named.rank;
  switch (named.counter) {
    case Counter::kCapabilityMajor:
      facts.capability[0] = static_cast<int>(std::min(value, 1e6));
      break;
    case Counter::kCapabilityMinor:
      facts.capability[1] = static_cast<int>(std::min(value, 1e6));
      break;
    case Counter::kSmCount:
      into.sm_count = static_cast<std::int32_t>(std::min(value, 1e6));
      break;
    case Counter::kMostClockKhz:
      into.most_clock_hz = value * 1000;
      break;
    case Counter::kBusBits:
      facts.bus[0] = value;
      break;
    case Counter::kDramClockKhz:
      facts.bus[1] = value;
      break;
    default:
      break;
  }
  // Twice per clock: both edges carry data.
  into.dram_bytes_per_s = facts.bus[0] / 8 * (facts.bus[1] * 1000) * 2;
  if (into.capability.empty() && facts.capability[0] >= 0 && facts.capability[1] >= 0) {
    into.capability = fmt::format("{}.{}", facts.capability[0], facts.capability[1]);
  }
}

void LaunchRows::fill_durations() {
  const std::size_t rows = size();
  table_.durations_ns.assign(rows, 0);
  has_duration_.assign(rows, true);
  for (std::size_t row = 0; row < rows; ++row) {
    double duration_ns = value(Counter::kDuration, row);
    if (std::isnan(duration_ns)) {
      const double cycles = value(counter_of(KernelMetric::kElapsedCycles), row);
      const double hz = value(counter_of(KernelMetric::kClockHz), row);
      if (cycles > 0 && hz > 0) {
        duration_ns = cycles / hz * 1e9;
        ++computed_durations_;
      }
    }
    if (!(duration_ns < kMostDurationNs)) {
      has_duration_[row] = false;
      remarks_.add({places_[row].first, places_[row].second}, "Duration", {}, kNoDuration);
      continue;
    }
    table_.durations_ns[row] = std::llround(duration_ns);
  }
  column(Counter::kDuration) = {};
}

void LaunchRows::fill_shapes() {
  const auto fill = [&](Counter x, Counter y, Counter z, std::vector<LaunchShape>& shapes) {
    for (std::size_t row = 0; row < size(); ++row) {
      if (shapes[row].is_known() || std::isnan(value(x, row))) continue;
      shapes[row] = {whole_or_zero(value(x, row)), whole_or_zero(value(y, row)),
                     whole_or_zero(value(z, row))};
    }
  };
  fill(Counter::kGridX, Counter::kGridY, Counter::kGridZ, table_.grids);
  fill(Counter::kBlockX, Counter::kBlockY, Counter::kBlockZ, table_.blocks);
}

// Values computed from two or three counters.
void LaunchRows::fill_combined() {
  const bool has_flops = !column(Counter::kAdds).values.empty() &&
                         !column(Counter::kMultiplies).values.empty() &&
                         !column(Counter::kFusedMultiplyAdds).values.empty();
  const bool has_shared = !column(Counter::kStaticSharedBytes).values.empty() &&
                          !column(Counter::kDynamicSharedBytes).values.empty();
  for (std::size_t row = 0; row < size() && (has_flops || has_shared); ++row) {
    const double flops = value(Counter::kAdds, row) + value(Counter::kMultiplies, row) +
                         2 * value(Counter::kFusedMultiplyAdds, row);
    if (!std::isnan(flops)) table_.set(KernelMetric::kFlops, row, flops);
    // The size that the kernel requested: the driver's own kilobyte is not included, as in a trace.
    const double shared =
        value(Counter::kStaticSharedBytes, row) + value(Counter::kDynamicSharedBytes, row);
    if (!std::isnan(shared)) table_.set(KernelMetric::kSharedBytesPerBlock, row, shared);
  }
}

void LaunchRows::fill_metrics() {
  for (std::size_t i = 0; i < kKernelMetrics; ++i) {
    std::vector<double>& from = columns_[i].values;
    std::vector<double>& into = table_.metrics[i];
    if (into.empty()) {
      into = std::move(from);
    } else {
      for (std::size_t row = 0; row < from.size(); ++row) {
        if (!table_.value(static_cast<KernelMetric>(i), row)) {
          table_.set(static_cast<KernelMetric>(i), row, from[row]);
        }
      }
    }
    columns_[i] = {};
    if (!into.empty()) into.resize(size(), kMissing);
  }
}

void LaunchRows::fill_places() {
  const auto fill = [&](Counter counter, auto& into) {
    std::vector<double>& values = column(counter).values;
    if (values.empty()) return;
    into.assign(size(), 0);
    for (std::size_t row = 0; row < values.size(); ++row) {
      into[row] = static_cast<std::decay_t<decltype(into[row])>>(whole_or_zero(values[row]));
    }
    column(counter) = {};
  };
  fill(Counter::kStream, table_.streams);
  fill(Counter::kContext, table_.contexts);
  fill(Counter::kDevice, table_.device_indices);
  if (!table_.mangled_names.empty()) {
    const StringId none = table_.strings.intern("");
    table_.mangled_names.resize(size());
    for (StringId& name : table_.mangled_names) {
      if (!name.valid()) name = none;
    }
  }
}

void LaunchRows::keep_only(const std::vector<bool>& keep) {
  const auto filter = [&](auto& values) {
    std::size_t kept = 0;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (keep[row]) values[kept++] = values[row];
    }
    values.resize(kept);
  };
  filter(table_.names);
  filter(table_.mangled_names);
  filter(table_.durations_ns);
  filter(table_.ids);
  filter(table_.grids);
  filter(table_.blocks);
  filter(table_.streams);
  filter(table_.contexts);
  filter(table_.device_indices);
  for (std::vector<double>& metric : table_.metrics) {
    filter(metric);
    if (std::ranges::all_of(metric, [](double value) { return std::isnan(value); })) metric = {};
  }
}

Result<KernelTable> LaunchRows::finish(KernelSource source) {
  if (size() == 0) {
    return Error{ErrorCode::kTooLittleData, "it lists no kernel", "",
                 "look at the profiler's own messages: no kernel was matched, or counters are not "
                 "permitted"};
  }
  table_.source = source;
  fill_durations();
  fill_shapes();
  fill_combined();
  fill_metrics();
  fill_places();
  if (std::ranges::find(has_duration_, false) != has_duration_.end()) keep_only(has_duration_);
  if (table_.size() == 0) {
    return Error{ErrorCode::kTooLittleData, "none of its kernels has a duration", "",
                 "collect gpu__time_duration.sum too: ncu --metrics gpu__time_duration.sum,..."};
  }
  if (computed_durations_ > 0) {
    remarks_.add_once(fmt::format("{} {} computed from cycles and clock",
                                  counted(computed_durations_, "duration"),
                                  plural(computed_durations_, "was", "were")));
  }
  std::ranges::sort(table_.devices, {}, &KernelDevice::index);
  remarks_.write_to(table_.remarks);
  return std::move(table_);
}

}  // namespace strobe::readers

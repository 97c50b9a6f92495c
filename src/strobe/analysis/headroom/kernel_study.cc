#include "strobe/analysis/headroom/kernel_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "strobe/analysis/findings/finding.h"
#include "strobe/base/text.h"
#include "strobe/device/kernel_name.h"

namespace strobe::analysis {
namespace {

constexpr double kClockSpread = 0.05;
constexpr double kManyShort = 0.10;  // of the launches

using Warning = std::optional<std::string>;

std::string clock_text(double hz) { return fmt::format("{:.2f} GHz", hz / 1e9); }

std::string launch_text(const KernelStudy& study, std::size_t row) {
  return fmt::format("{} (row {})", short_name(study.identity(row).brief), row);
}

Warning clocks_differ(const KernelStudy& study) {
  const KernelTable& table = *study.table;
  std::optional<std::size_t> slowest;
  std::optional<std::size_t> fastest;
  const auto clock = [&](std::size_t row) { return *table.value(KernelMetric::kClockHz, row); };
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::optional<double> hz = table.value(KernelMetric::kClockHz, row);
    if (!hz || *hz <= 0) continue;
    if (!slowest || *hz < clock(*slowest)) slowest = row;
    if (!fastest || *hz > clock(*fastest)) fastest = row;
  }
  if (!slowest || clock(*fastest) <= (1 + kClockSpread) * clock(*slowest)) return {};
  return fmt::format(
      "the clock was not the same for all kernels: least {} in {}, most {} in {}; compare "
      "percentages rather than times",
      clock_text(clock(*slowest)), launch_text(study, *slowest), clock_text(clock(*fastest)),
      launch_text(study, *fastest));
}

Warning clock_low(const KernelStudy& study) {
  std::size_t low = 0;
  std::size_t known = 0;
  std::optional<std::size_t> worst;
  const auto share = [&](std::size_t row) {
    return study.table->value(KernelMetric::kClockHz, row).value_or(0) / most_clock_hz(study, row);
  };
  for (std::size_t row = 0; row < study.launches.size(); ++row) {
    known += study.table->value(KernelMetric::kClockHz, row).has_value();
    if (!study.launches[row].is_clock_low) continue;
    ++low;
    if (!worst || share(row) < share(*worst)) worst = row;
  }
  if (!worst) return {};
  return fmt::format(
      "{} of {} kernels ran below {:.0f} % of the chip's highest clock ({} of {} in {}): they are "
      "faster at full clock",
      count_text(low), count_text(known), 100 * kLowClockShare,
      clock_text(*study.table->value(KernelMetric::kClockHz, *worst)),
      clock_text(most_clock_hz(study, *worst)), launch_text(study, *worst));
}

Warning clock_locked(const KernelStudy& study) {
  if (study.table->clock_policy != ClockPolicy::kLocked) return {};
  return "the profiler locked the clock: percentages are valid, but latencies differ from "
         "production";
}

Warning mixed_devices(const KernelStudy& study) {
  const KernelTable& table = *study.table;
  const std::set<std::int32_t> indices(table.device_indices.begin(), table.device_indices.end());
  std::set<std::string> names;
  for (const KernelDevice& device : table.devices) {
    const bool is_used = indices.empty() || indices.contains(device.index);
    if (is_used && !device.name.empty()) names.insert(device.name);
  }
  if (indices.size() < 2 && names.size() < 2) return {};
  if (names.size() > 1) {
    return fmt::format("the list mixes kernels of different chips ({}), and so do its shares",
                       fmt::join(names, ", "));
  }
  return fmt::format(
      "the list mixes kernels of {} devices: they ran at the same time, so their times do not add "
      "up to a duration",
      indices.size());
}

Warning unknown_chip(const KernelStudy& study) {
  if (study.chip) return {};
  constexpr std::string_view kMeaning =
      "percentages only, no FLOP/s and no bytes/s; name the chip to get them";
  if (!study.options.chip.empty()) {
    return fmt::format("the chip '{}' is not known: {}", study.options.chip, kMeaning);
  }
  for (const KernelDevice& device : study.table->devices) {
    if (!device.name.empty()) {
      return fmt::format("the chip '{}' is not known: {}", device.name, kMeaning);
    }
  }
  return fmt::format("the file does not name its chip: {}", kMeaning);
}

Warning missing_counters(const KernelStudy& study) {
  const KernelTable& table = *study.table;
  const bool has_tensor = study.totals.tensor_counted_ns > 0;
  const bool has_dram = study.totals.dram_counted_ns > 0;
  if (!has_dram && table.has(KernelMetric::kDramReadBytes)) {
    return "bytes were counted, but not what share of the DRAM's rate they are: name the chip with "
           "--chip to get bounds and headroom";
  }
  if (!has_tensor && !has_dram) {
    return "no launch has counters: only times are known, no bounds and no headroom";
  }
  if (!has_tensor || !has_dram) {
    return fmt::format(
        "the {} share was not counted: bound and headroom are unknown for kernels that do not keep "
        "the other resource busy",
        has_tensor ? "DRAM" : "tensor");
  }
  std::uint64_t without = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const KernelSample sample = study.sample(row);
    without += !sample.tensor_percent || !sample.dram_percent;
  }
  if (without == 0) return {};
  return fmt::format("{} of {} launches lack the tensor or the DRAM share: averages leave them out",
                     count_text(without), count_text(table.size()));
}

Warning many_short(const KernelStudy& study) {
  const auto launches = static_cast<double>(study.totals.launches);
  const auto few = static_cast<double>(study.under_10us.launches);
  const bool has_counters = study.totals.headroom_counted_ns > 0;
  if (!has_counters || few == 0 || few < kManyShort * launches) return {};
  return fmt::format(
      "{} of {} launches are shorter than 10 us ({} of the time): ramp-up dominates their "
      "percentages",
      count_text(study.under_10us.launches), count_text(study.totals.launches),
      share_text(study.under_10us.share_of(study.totals)));
}

}  // namespace

double most_clock_hz(const KernelStudy& study, std::size_t row) {
  const KernelDevice* device = study.table->device_of(row);
  if (device != nullptr && device->most_clock_hz > 0) return device->most_clock_hz;
  return study.chip ? study.chip->boost_clock_hz : 0;
}

std::vector<std::string> kernel_warnings(const KernelStudy& study) {
  std::vector<std::string> warnings;
  for (const auto rule : {mixed_devices, clock_locked, clocks_differ, clock_low, missing_counters,
                          unknown_chip, many_short}) {
    if (Warning warning = rule(study)) warnings.push_back(*std::move(warning));
  }
  return warnings;
}

namespace {

constexpr std::int64_t kHardlyLongerNs = 20'000;

KernelIdentity identity_of(std::string_view name, std::string_view mangled) {
  KernelIdentity identity;
  identity.full = device::demangled(name);
  identity.mangled = mangled;
  if (mangled.empty() && identity.full != name) identity.mangled = name;
  identity.classic = device::classic_name(identity.full);
  identity.brief = device::short_name(identity.full);
  identity.detail = device::detail_name(identity.full);
  identity.family = device::kernel_family(identity.full);
  return identity;
}

// The number that came first with a text.
class Numbering {
 public:
  std::uint32_t of(std::string_view text, std::uint32_t number) {
    return numbers_.try_emplace(text, number).first->second;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

void identify(KernelStudy& study) {
  const KernelTable& table = *study.table;
  constexpr auto kNone = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> identity_of_name(table.strings.size(), kNone);
  study.launches.resize(table.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::uint32_t& identity = identity_of_name[table.names[row].index()];
    if (identity == kNone) {
      identity = static_cast<std::uint32_t>(study.identities.size());
      const bool has_mangled = row < table.mangled_names.size() && table.mangled_names[row].valid();
      study.identities.push_back(
          identity_of(table.name(row), has_mangled ? table.strings[table.mangled_names[row]] : ""));
    }
    study.launches[row].identity = identity;
  }
  Numbering details;
  for (std::uint32_t i = 0; i < study.identities.size(); ++i) {
    study.identities[i].alike = details.of(study.identities[i].detail, i);
  }
}

std::optional<device::ChipPeaks> chip_of(const KernelTable& table, const StudyOptions& options) {
  if (!options.chip.empty()) return device::chip_peaks(options.chip);
  const KernelDevice* device = table.size() > 0 ? table.device_of(0) : nullptr;
  if (device == nullptr || device->name.empty()) return {};
  return device::chip_peaks(device->name);
}

void judge_launches(KernelStudy& study) {
  const KernelTable& table = *study.table;
  const double l2_roof = study.options.l2_bytes_per_s.value_or(0);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const KernelSample sample = study.sample(row);
    StudiedLaunch& launch = study.launches[row];
    std::optional<double> l2_share;
    if (const std::optional<double> bytes = table.value(KernelMetric::kL2Bytes, row);
        bytes && l2_roof > 0 && sample.latency_ns > 0) {
      l2_share = *bytes / static_cast<double>(sample.latency_ns) * 1e9 / l2_roof;
    }
    launch.bound = kernel_bound(sample, l2_share);
    launch.is_short = sample.latency_ns < kShortNs;
    launch.is_clock_low = is_clock_low(table.value(KernelMetric::kClockHz, row).value_or(0),
                                       most_clock_hz(study, row));
    study.totals.add(sample, study.options.roofs);
    if (launch.is_short) study.under_10us.add(sample, study.options.roofs);
    if (sample.latency_ns < kHardlyLongerNs) study.under_20us.add(sample, study.options.roofs);
  }
}

// Layers are recognised by short names, because longer names may differ between equal layers.
std::vector<LayerRow> layer_rows(const KernelStudy& study) {
  Numbering briefs;
  std::vector<std::uint32_t> number(study.identities.size());
  for (std::uint32_t i = 0; i < number.size(); ++i) {
    number[i] = briefs.of(study.identities[i].brief, i);
  }
  std::vector<LayerRow> rows;
  rows.reserve(study.launches.size());
  for (std::size_t row = 0; row < study.launches.size(); ++row) {
    const std::uint32_t identity = study.launches[row].identity;
    const bool is_norm = study.identities[identity].family == device::KernelFamily::kNorm;
    rows.push_back({number[identity], is_norm, study.sample(row)});
  }
  return rows;
}

FusionPlan fusion_plan(const KernelStudy& study) {
  const KernelTable& table = *study.table;
  std::vector<FusionRow> rows;
  rows.reserve(table.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    const KernelIdentity& identity = study.identity(row);
    FusionRow fusion;
    fusion.name = identity.alike;
    fusion.family = identity.family;
    fusion.stream = table.streams.empty() ? 0 : table.streams[row];
    fusion.device = table.device_indices.empty() ? 0 : table.device_indices[row];
    fusion.sample = study.sample(row);
    const std::optional<double> read = table.value(KernelMetric::kDramReadBytes, row);
    const std::optional<double> written = table.value(KernelMetric::kDramWriteBytes, row);
    if (read && written) fusion.dram_bytes = *read + *written;
    rows.push_back(fusion);
  }
  std::vector<std::string_view> details;
  details.reserve(study.identities.size());
  for (const KernelIdentity& identity : study.identities) details.push_back(identity.detail);
  return plan_fusions(rows, details);
}

// Counted, or from the bytes. Caches between the counters and the memory may pass more than the
// memory can.
std::optional<double> dram_percent(const KernelStudy& study, std::size_t row) {
  const KernelTable& table = *study.table;
  if (const auto counted = table.value(KernelMetric::kDramPercent, row)) return counted;
  const std::optional<double> read = table.value(KernelMetric::kDramReadBytes, row);
  const std::optional<double> written = table.value(KernelMetric::kDramWriteBytes, row);
  const double full_bytes =
      study.bus_bytes_per_s(row) * static_cast<double>(table.durations_ns[row]) / 1e9;
  if (!read || !written || full_bytes <= 0) return {};
  return std::min(100.0, 100 * (*read + *written) / full_bytes);
}

}  // namespace

KernelSample KernelStudy::sample(std::size_t row) const {
  return {table->durations_ns[row], table->value(KernelMetric::kTensorPercent, row),
          dram_percent(*this, row)};
}

double KernelStudy::bus_bytes_per_s(std::size_t row) const {
  const KernelDevice* device = row < table->size() ? table->device_of(row) : nullptr;
  if (device != nullptr && device->dram_bytes_per_s > 0) return device->dram_bytes_per_s;
  return chip ? chip->dram_bytes_per_s : 0;
}

KernelStudy study_kernels(const KernelTable& table, const StudyOptions& options) {
  KernelStudy study;
  study.table = &table;
  study.options = options;
  study.chip = chip_of(table, options);
  identify(study);
  judge_launches(study);
  study.layers = find_layers(layer_rows(study), options.roofs);
  study.fusion = fusion_plan(study);
  study.roofline = draw_roofline(study);
  study.work_units = work_units_of(study);
  study.warnings = kernel_warnings(study);
  for (KernelAdvice& advice : advise(study)) {
    study.findings.push_back(std::move(advice.finding));
    study.bases.push_back(std::move(advice.basis));
  }
  return study;
}

}  // namespace strobe::analysis

#include "strobe/analysis/headroom/kernel_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "strobe/analysis/findings/finding_text.h"

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
      "{} of {} kernels ran below {:.0f} % of the chip's most clock ({} of {} in {}): a chip that "
      "runs free is faster",
      count_text(low), count_text(known), 100 * kLowClockShare,
      clock_text(*study.table->value(KernelMetric::kClockHz, *worst)),
      clock_text(most_clock_hz(study, *worst)), launch_text(study, *worst));
}

Warning clock_locked(const KernelStudy& study) {
  if (study.table->clock_policy != ClockPolicy::kLocked) return {};
  return "the profiler locked the clock: latencies are not those of production, percentages hold";
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
    return fmt::format("kernels of different chips ({}) stand in one list: shares mix them",
                       fmt::join(names, ", "));
  }
  return fmt::format(
      "kernels of {} devices stand in one list: they ran beside each other, so their "
      "times do not add up to a duration",
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
  if (!has_tensor && !has_dram) {
    return "no launch has counters: times only, neither bounds nor headroom";
  }
  if (!has_tensor || !has_dram) {
    return fmt::format(
        "the {} share was not counted: a kernel that the other does not keep busy has neither a "
        "known bound nor headroom",
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

}  // namespace strobe::analysis

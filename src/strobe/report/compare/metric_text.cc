#include "strobe/report/compare/metric_text.h"

#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "strobe/compare/shown_unit.h"
#include "strobe/report/compare/compare_numbers.h"

namespace strobe::report {
namespace {

using compare::ShownUnit;
using device::MetricInfo;
using device::MetricRole;

bool is_bits(const MetricInfo& info) { return info.role == MetricRole::kThrottleReasons; }

std::string reasons_text(double value) {
  constexpr double kTooLarge = 9007199254740992.0;  // a double has no more whole numbers
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "none";
  const bool are_bits = value > 0 && value < kTooLarge && value == std::floor(value);
  if (!are_bits) return "changing";
  return device::clock_limits_text(static_cast<std::uint64_t>(value));
}

}  // namespace

std::string metric_text(double value, const MetricInfo& info) {
  if (is_bits(info)) return reasons_text(value);
  const ShownUnit shown = compare::shown_unit(info);
  return quantity_text(shown.scale * value, shown.unit);
}

std::string metric_change_text(double change, const MetricInfo& info) {
  if (is_bits(info)) return "-";
  const ShownUnit shown = compare::shown_unit(info);
  return quantity_change_text(shown.scale * change, shown.unit);
}

std::string metric_interval_text(const stats::Shift& shift, const MetricInfo& info) {
  if (is_bits(info)) return "-";
  const auto [unit, scale] = compare::shown_unit(info);
  return quantity_interval_text({scale * shift.shift, scale * shift.low, scale * shift.high}, unit);
}

namespace {

// What a percentage of this metric is of; "" where its name or unit says it.
std::string_view meaning_of_percent(MetricRole role) {
  switch (role) {
    case MetricRole::kProcessCpuUse:
      return "100 % is one core";
    case MetricRole::kForeignCpuUse:
    case MetricRole::kOneForeignCpuUse:
      return "by processes outside of the program; 100 % is one core";
    case MetricRole::kForeignDeviceUse:
    case MetricRole::kOneForeignDeviceUse:
      return "by processes outside of the program";
    case MetricRole::kRunQueue:
      return "share of the time in which the process waits for a core; threads add up";
    case MetricRole::kOnCpu:
      return "share of the time in which the process runs; threads add up";
    case MetricRole::kQuotaThrottled:
      return "share of the time in which the process is stopped because it has used up its CPU "
             "quota; cores add up";
    case MetricRole::kCpuPressure:
      return "share of the time in which a thread of the machine waits for a core";
    case MetricRole::kMemoryPressure:
      return "share of the time in which a thread of the machine waits for memory";
    case MetricRole::kIoPressure:
      return "share of the time in which a thread of the machine waits for a disk";
    default:
      return "";
  }
}

}  // namespace

std::string metric_note(std::string_view name, const MetricInfo& info) {
  if (const std::string_view meaning = meaning_of_percent(info.role); !meaning.empty()) {
    return fmt::format("{}: {}.", name, meaning);
  }
  if (info.scale == 1 || info.unit.empty()) return {};
  return fmt::format("{}: converted to {}.", name, info.unit);
}

bool is_in_points(const MetricInfo& info) {
  return !is_bits(info) && compare::shown_unit(info).unit == "%";
}

}  // namespace strobe::report

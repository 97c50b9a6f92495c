#include "strobe/report/compare/metric_text.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/compare/shown_unit.h"
#include "strobe/report/compare/compare_numbers.h"

namespace strobe::report {
namespace {

using compare::ShownUnit;
using device::MetricInfo;
using device::MetricRole;

bool is_bits(const MetricInfo& info) { return info.role == MetricRole::kThrottleReasons; }

// Why a device lowers its clock, as NVML numbers the reasons.
struct ThrottleReason {
  std::uint64_t bit;
  std::string_view word;
};
constexpr ThrottleReason kThrottleReasons[] = {
    {0x1, "idle"},          {0x2, "application clocks"}, {0x4, "power cap"},
    {0x8, "hardware"},      {0x10, "sync boost"},        {0x20, "heat"},
    {0x40, "heat (alarm)"}, {0x80, "power brake"},       {0x100, "display clocks"}};

std::string reasons_text(double value) {
  constexpr double kTooLarge = 9007199254740992.0;  // a double has no more whole numbers
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "none";
  const bool are_bits = value > 0 && value < kTooLarge && value == std::floor(value);
  if (!are_bits) return "changing";
  auto bits = static_cast<std::uint64_t>(value);
  std::vector<std::string> words;
  for (const auto& [bit, word] : kThrottleReasons) {
    if ((bits & bit) != 0) words.emplace_back(word);
    bits &= ~bit;
  }
  if (bits != 0) words.push_back(fmt::format("{:#x}", bits));
  return fmt::format("{}", fmt::join(words, ", "));
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

std::string metric_note(std::string_view name, const MetricInfo& info) {
  switch (info.role) {
    case MetricRole::kProcessCpuUse:
      return fmt::format("{}: 100 % is one core.", name);
    case MetricRole::kRunQueue:
      return fmt::format(
          "{}: share of the time in which the process waits for a core; threads add "
          "up.",
          name);
    case MetricRole::kOnCpu:
      return fmt::format("{}: share of the time in which the process runs; threads add up.", name);
    default:
      break;
  }
  if (info.scale == 1 || info.unit.empty()) return {};
  return fmt::format("{}: converted to {}.", name, info.unit);
}

bool is_in_points(const MetricInfo& info) {
  return !is_bits(info) && compare::shown_unit(info).unit == "%";
}

}  // namespace strobe::report

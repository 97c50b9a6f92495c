#include "strobe/report/compare/compare_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using compare::Change;
using stats::Shift;

struct Scaled {
  double size;
  std::string_view name;
};

constexpr std::array kUnitsOfMs = {Scaled{1e-6, "ns"}, Scaled{1e-3, "us"}, Scaled{1, "ms"},
                                   Scaled{1e3, "s"}};  // of a millisecond

// The decimals that give a number of this size three significant digits.
int decimals_for(double size) {
  if (size < 9.995) return 2;
  return size < 99.95 ? 1 : 0;
}

// Three significant digits, but no more than four decimals.
int small_decimals(double size) {
  if (size >= 0.9995) return decimals_for(size);
  return size >= 0.0995 ? 3 : 4;
}

// Nothing has a sign: "0.00".
std::string number_text(double value, int decimals) {
  const std::string text = with_commas(fmt::format("{:.{}f}", std::abs(value), decimals));
  const bool is_nothing = text.find_first_of("123456789") == std::string::npos;
  return (value < 0 && !is_nothing ? "-" : "") + text;
}

std::string with_sign(double value, int decimals) {
  const std::string text = number_text(value, decimals);
  return value > 0 && text.find_first_of("123456789") != std::string::npos ? "+" + text : text;
}

// Units such as bytes per second get prefixes; a clock or a share keeps its usual unit.
Scaled unit_for(double size, std::string_view unit, std::string& name) {
  constexpr std::array kPrefixes = {Scaled{1e9, "G"}, Scaled{1e6, "M"}, Scaled{1e3, "k"}};
  name = unit;
  if (unit.starts_with("B")) {
    for (const Scaled& prefix : kPrefixes) {
      if (size < prefix.size * 0.9995) continue;
      name = std::string(prefix.name) + name;
      return {prefix.size, name};
    }
  }
  return {1, name};
}

// Differences of percentages are points: a percentage of a percentage would be misleading.
std::string_view unit_of_change(std::string_view unit) { return unit == "%" ? "ppt" : unit; }

std::string spaced(std::string number, std::string_view unit) {
  if (!unit.empty()) number.append(" ").append(unit);
  return number;
}

Scaled time_unit_for(double ms) {
  Scaled unit = kUnitsOfMs[0];
  for (const Scaled& larger : kUnitsOfMs) {
    if (std::abs(ms) >= larger.size * 0.9995) unit = larger;
  }
  return unit;
}

std::string interval(const Shift& shift, const Scaled& unit) {
  if (!has_interval(shift)) return "none";
  const double low = shift.low / unit.size;
  const double high = shift.high / unit.size;
  const int decimals = small_decimals(std::max(std::abs(low), std::abs(high)));
  return spaced(with_sign(low, decimals) + " to " + with_sign(high, decimals), unit.name);
}

double widest(const Shift& shift) { return std::max(std::abs(shift.low), std::abs(shift.high)); }

}  // namespace

std::string time_text(double ms) {
  if (!std::isfinite(ms)) return "-";
  if (ms == 0) return "0";
  const Scaled unit = time_unit_for(ms);
  const double value = ms / unit.size;
  return spaced(number_text(value, decimals_for(std::abs(value))), unit.name);
}

std::string time_change_text(double ms) {
  const std::string text = time_text(ms);
  return ms > 0 && std::isfinite(ms) ? "+" + text : text;
}

bool has_interval(const Shift& shift) {
  return std::isfinite(shift.low) && std::isfinite(shift.high);
}

std::string time_interval_text(const Shift& shift_ms) {
  return interval(shift_ms, time_unit_for(widest(shift_ms)));
}

std::string ms_text(double ms) {
  if (!std::isfinite(ms)) return "-";
  return ms == 0 ? "0" : number_text(ms, small_decimals(std::abs(ms)));
}

std::string ms_change_text(double ms) {
  if (!std::isfinite(ms)) return "-";
  return ms == 0 ? "0" : with_sign(ms, small_decimals(std::abs(ms)));
}

std::string ms_interval_text(const Shift& shift_ms) {
  if (!has_interval(shift_ms)) return "none";
  const int decimals = small_decimals(widest(shift_ms));
  return with_sign(shift_ms.low, decimals) + ", " + with_sign(shift_ms.high, decimals);
}

std::string quantity_text(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "-";
  std::string name;
  const Scaled scaled = unit_for(std::abs(value), unit, name);
  const double number = value / scaled.size;
  const double size = std::abs(number);
  // A metric that is a small whole number is printed as one.
  const int decimals = size == std::floor(size) ? 0 : small_decimals(size);
  return spaced(number_text(number, decimals), name);
}

std::string quantity_change_text(double value, std::string_view unit) {
  const std::string text = quantity_text(value, unit_of_change(unit));
  return value > 0 && std::isfinite(value) ? "+" + text : text;
}

std::string quantity_interval_text(const Shift& shift, std::string_view unit) {
  std::string name;
  return interval(shift, unit_for(widest(shift), unit_of_change(unit), name));
}

std::string percent_change_text(double change, double whole) {
  if (!(whole > 0) || !std::isfinite(change)) return "-";
  const double percent = 100 * change / whole;
  return with_sign(percent, std::abs(percent) < 99.95 ? 1 : 0) + " %";
}

std::string p_text(double p) {
  if (std::isnan(p)) return "-";
  if (p < 0.001) return "<0.001";
  return fmt::format("{:.{}f}", p, p < 0.0995 ? 3 : 2);
}

std::string score_text(double score) {
  if (!std::isfinite(score)) return "-";
  return number_text(score, std::abs(score) < 0.0995 ? 3 : decimals_for(std::abs(score)));
}

std::string_view band_of(double cliffs_delta) {
  const double size = std::abs(cliffs_delta);
  if (std::isnan(size)) return "-";
  if (size < 0.147) return "negligible";
  if (size < 0.33) return "small";
  return size < compare::kLargeDelta ? "medium" : "large";
}

std::string sizes_text(const Change& change) {
  return fmt::format("{} and {}", change.normal.n, change.abnormal.n);
}

std::string time_story(const Change& ms) {
  return fmt::format("{} -> {} ({}, {})", time_text(ms.normal_median),
                     time_text(ms.abnormal_median), time_change_text(ms.shift.shift),
                     has_interval(ms.shift) ? "95 % interval " + time_interval_text(ms.shift)
                                            : "no 95 % interval");
}

}  // namespace strobe::report

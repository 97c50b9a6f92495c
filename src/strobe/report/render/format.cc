#include "strobe/report/render/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace strobe::report {
namespace {

struct Unit {
  double size;
  const char* name;
};

constexpr std::array kTimeUnits = {Unit{1, "ns"}, Unit{1e3, "us"}, Unit{1e6, "ms"}, Unit{1e9, "s"}};
constexpr std::array kByteUnits = {Unit{1, "B"}, Unit{1024.0, "KiB"}, Unit{1048576.0, "MiB"},
                                   Unit{1073741824.0, "GiB"}, Unit{1099511627776.0, "TiB"}};

std::string three_digits(double value) {
  if (value >= 999.5) return count_text(static_cast<std::uint64_t>(std::llround(value)));
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// The largest unit of which there is at least one after rounding, so that 999.6 us is 1.00 ms.
template <std::size_t N>
std::string with_unit(std::int64_t amount, const std::array<Unit, N>& units, double step_at) {
  const double size = std::abs(static_cast<double>(amount));
  const std::string sign = amount < 0 ? "-" : "";
  std::size_t unit = 0;
  while (unit + 1 < N && size / units[unit].size >= step_at) ++unit;
  if (unit == 0) return sign + std::to_string(std::llround(size)) + " " + units[0].name;
  return sign + three_digits(size / units[unit].size) + " " + units[unit].name;
}

struct FixedUnit {
  double size;
  int decimals;
  const char* name;
};

const FixedUnit& fixed_unit(analysis::TimeUnit unit) {
  static constexpr FixedUnit kSeconds = {1e9, 6, "s"};
  static constexpr FixedUnit kMilliseconds = {1e6, 3, "ms"};
  static constexpr FixedUnit kMicroseconds = {1e3, 3, "us"};
  if (unit == analysis::TimeUnit::kSeconds) return kSeconds;
  return unit == analysis::TimeUnit::kMilliseconds ? kMilliseconds : kMicroseconds;
}

}  // namespace

std::string duration_text(std::int64_t duration_ns) {
  return with_unit(duration_ns, kTimeUnits, 999.5);
}

std::string duration_text(std::int64_t duration_ns, std::optional<analysis::TimeUnit> unit) {
  if (!unit) return duration_text(duration_ns);
  if (*unit == analysis::TimeUnit::kNanoseconds) return std::to_string(duration_ns) + " ns";
  const FixedUnit& fixed = fixed_unit(*unit);
  char text[48];
  const double amount = static_cast<double>(duration_ns) / fixed.size;
  const double least = std::pow(10.0, -fixed.decimals);
  const bool is_trace = duration_ns > 0 && amount < least / 2;
  std::snprintf(text, sizeof text, "%s%.*f %s", is_trace ? "<" : "", fixed.decimals,
                is_trace ? least : amount, fixed.name);
  return text;
}

std::string bytes_text(std::int64_t bytes) { return with_unit(bytes, kByteUnits, 1023.5); }

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return count_text(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string percent_text(double share) {
  const auto permille = static_cast<std::int64_t>(std::llround(share * 1000));
  if (permille == 0 && share > 0) return "<0.1 %";
  if (permille == 0 && share < 0) return ">-0.1 %";
  return permille_text(permille);
}

std::string permille_text(std::int64_t permille) {
  const std::string sign = permille < 0 ? "-" : "";
  const auto size = static_cast<std::uint64_t>(permille < 0 ? -permille : permille);
  return sign + count_text(size / 10) + "." + std::to_string(size % 10) + " %";
}

std::vector<std::int64_t> balanced_permille(const std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  auto missing = static_cast<std::int64_t>(std::llround(sum * 1000));
  std::vector<std::int64_t> permille(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    permille[i] = static_cast<std::int64_t>(std::floor(shares[i] * 1000));
    missing -= permille[i];
  }
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto remainder = [&](std::size_t i) {
    return shares[i] * 1000 - static_cast<double>(permille[i]);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder(a) > remainder(b); });
  for (const std::size_t i : order) {
    if (missing-- <= 0) break;
    ++permille[i];
  }
  return permille;
}

}  // namespace strobe::report

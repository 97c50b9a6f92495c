#include "strobe/report/render/format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace strobe::report {
namespace {

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

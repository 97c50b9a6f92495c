#include "strobe/report/kernels/kernel_json_sums.h"

#include <cmath>

#include "strobe/report/kernels/kernel_numbers.h"

namespace strobe::report {
namespace {

constexpr int kPercentDecimals = 4;
constexpr int kNsDecimals = 3;

// A sum of whole numbers as a whole number; null where nothing was counted.
void write_exact(JsonWriter& json, std::string_view key, std::optional<double> counted,
                 double sum) {
  constexpr double kWholeNumbers = 9007199254740992.0;  // 2^53
  json.key(key);
  if (!counted) {
    json.null();
  } else if (sum == std::floor(sum) && std::abs(sum) < kWholeNumbers) {
    json.value(static_cast<std::int64_t>(sum));
  } else {
    json.value(sum);
  }
}

}  // namespace

void write_optional(JsonWriter& json, std::string_view key, std::optional<double> value) {
  json.key(key);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

void write_percent(JsonWriter& json, std::string_view key, std::optional<double> percent) {
  write_optional(json, key,
                 percent ? std::optional(rounded(*percent, kPercentDecimals)) : std::nullopt);
}

void write_sums(JsonWriter& json, const analysis::KernelSums& sums,
                const analysis::KernelSums& whole) {
  const std::optional<double> headroom = sums.headroom_share_of(whole);
  json.member("launches", sums.launches).member("latency_ns", sums.latency_ns);
  write_percent(json, "share_pct", 100 * sums.share_of(whole));
  write_percent(json, "tensor_weighted_pct", sums.tensor_percent());
  write_percent(json, "dram_weighted_pct", sums.dram_percent());
  write_exact(json, "tensor_ns_x100", sums.tensor_percent(), sums.tensor_ns_percent);
  write_exact(json, "dram_ns_x100", sums.dram_percent(), sums.dram_ns_percent);
  write_exact(json, "headroom_ns_x100", sums.headroom_ns(), sums.headroom_ns_percent);
  write_percent(json, "headroom_share_pct",
                headroom ? std::optional(100 * *headroom) : std::nullopt);
  const std::optional<double> achievable = sums.achievable_headroom_ns();
  write_optional(json, "achievable_headroom_ns",
                 achievable ? std::optional(rounded(*achievable, kNsDecimals)) : std::nullopt);
  json.member("min_ns", sums.least_ns).member("max_ns", sums.most_ns);
  json.member("mean_ns", rounded(sums.mean_ns(), kNsDecimals));
}

}  // namespace strobe::report

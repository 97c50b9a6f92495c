#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/comparison_parts.h"
#include "strobe/device/vendor_names.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

// How much two runs of one program differ when nothing was changed: deviations of the logarithm of
// the second run's value divided by the first's. Measured with perf/faults on an H200 with 16
// cores: 19 pairs of runs of eight programs, by two recorders (docs/compare.md has the pairs).
constexpr double kHostSpeed = 0.35;  // of all calls of the host together
constexpr double kHostRest = 0.11;   // of the host's part of a cycle, beside its speed
constexpr double kDevicePart = 0.01;

// The device that works most. Null if there is none.
const DeviceRow* busiest_device(const Comparison& comparison) {
  const DeviceRow* busiest = nullptr;
  for (const DeviceRow& row : comparison.devices) {
    if (row.device == kHostDevice) continue;
    if (busiest == nullptr || row.busy_ms.normal_core.mean > busiest->busy_ms.normal_core.mean) {
      busiest = &row;
    }
  }
  return busiest;
}

// The parts of the cycles, 0 to 1, in which the device has nothing to do.
struct HostShares {
  double normal = 1;
  double abnormal = 1;
};

HostShares host_shares(const Comparison& comparison) {
  const DeviceRow* device = busiest_device(comparison);
  if (device == nullptr) return {};
  double launched[2] = {0, 0};  // idle although the work was launched: not the host's time
  for (const IdleCauseRow& row : comparison.idle) {
    if (row.rank != device->rank || row.cause.kind != analysis::IdleKind::kLaunched) continue;
    launched[0] += row.ms.normal_core.mean;
    launched[1] += row.ms.abnormal_core.mean;
  }
  const Change& cycle = comparison.cycles.front().ms;
  const auto share = [](double idle_ms, double launched_ms, double cycle_ms) {
    return cycle_ms > 0 ? std::clamp((idle_ms - launched_ms) / cycle_ms, 0.0, 1.0) : 0;
  };
  return {share(device->idle_ms.normal_core.mean, launched[0], cycle.normal_core.mean),
          share(device->idle_ms.abnormal_core.mean, launched[1], cycle.abnormal_core.mean)};
}

// Host functions that do work and do not wait: operators, and calls that launch.
bool shows_host_speed(const FunctionRow& row) {
  const bool launches = row.key.kind == FunctionKind::kRuntimeCall &&
                        device::runtime_call(row.key.name) == device::RuntimeCall::kLaunch;
  return (row.is_operator || launches) && calls_are_equal(row) && row.ms.normal_median > 0 &&
         row.ms.abnormal_median > 0;
}

// By which factor such functions typically take longer; none if there are too few to tell. Each has
// one vote, with its median cycle: a cycle in which the host lost its core says nothing.
std::optional<double> host_speed(const Comparison& comparison) {
  constexpr std::size_t kLeastVotes = 2;
  std::vector<double> factors;
  for (const FunctionRow& row : comparison.functions) {
    if (!shows_host_speed(row)) continue;
    factors.push_back(row.ms.abnormal_median / row.ms.normal_median * row.calls_normal /
                      row.calls_abnormal);
  }
  if (factors.size() < kLeastVotes) return std::nullopt;
  return stats::median_of(factors);
}

double in_quadrature(double a, double b) { return std::sqrt(a * a + b * b); }

}  // namespace

RunNoise noise_between(const Comparison& comparison) {
  RunNoise noise;
  if (comparison.cycles.empty()) return noise;
  const HostShares shares = host_shares(comparison);
  noise.host_share = (shares.normal + shares.abnormal) / 2;
  const std::optional<double> speed = host_speed(comparison);
  noise.is_speed_known = speed.has_value();
  noise.host_speed = speed.value_or(1);
  noise.speed_part = shares.normal * (noise.host_speed - 1);
  const double ratio = comparison.cycles.front().ms.core_ratio();
  noise.device_change = (1 - shares.abnormal) * ratio - (1 - shares.normal);
  noise.device_deviation = (1 - noise.host_share) * kDevicePart;
  noise.rest_deviation = in_quadrature(noise.host_share * kHostRest, noise.device_deviation);
  noise.deviation = in_quadrature(noise.host_share * kHostSpeed, noise.rest_deviation);
  return noise;
}

bool RunNoise::covers(const Change& cycle) const {
  constexpr double kDeviations = 2;  // 95 %
  constexpr double kExtreme = 3;     // a host beyond that is not one of the usual ones
  const double change = cycle.core_ratio() - 1;
  if (!std::isfinite(change)) return false;
  const double error = (cycle.core_shift.high - cycle.core_shift.low) / 4 / cycle.normal_core.mean;
  // The device's part differs little from run to run, whatever the host does.
  constexpr double kRealPart = 0.3;  // of the change
  const bool device_changed =
      device_change / change >= kRealPart &&
      std::abs(device_change) > kDeviations * in_quadrature(device_deviation, error);
  if (device_changed) return false;
  if (!is_speed_known) return std::abs(change) <= kDeviations * in_quadrature(deviation, error);
  if (std::abs(std::log(host_speed)) > kExtreme * kHostSpeed) return false;
  // The host's speed may add all that it explains, or less.
  const double rest = kDeviations * in_quadrature(rest_deviation, error);
  return change >= std::min(0.0, speed_part) - rest && change <= std::max(0.0, speed_part) + rest;
}

}  // namespace strobe::compare

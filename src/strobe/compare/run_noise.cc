#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strobe/compare/between_runs.h"
#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/comparison_parts.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/device/vendor_names.h"
#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"

namespace strobe::compare {
namespace {

// What a device does itself, in milliseconds per cycle: in a collective it may wait for others.
struct OwnWork {
  const DeviceRow* device = nullptr;
  double normal_ms = 0;
  double abnormal_ms = 0;

  double most_ms() const { return std::max(normal_ms, abnormal_ms); }
};

bool is_own_work(FunctionKind kind) {
  return is_on_device(kind) && kind != FunctionKind::kCollective;
}

OwnWork own_work_of(const Comparison& comparison, const DeviceRow& device) {
  OwnWork work = {.device = &device};
  for (const FunctionRow& row : comparison.functions) {
    if (!is_own_work(row.key.kind) || row.type != comparison.cycles.front().type) continue;
    if (row.rank != device.rank || row.key.device != device.device) continue;
    work.normal_ms += row.ms.normal_core.mean;
    work.abnormal_ms += row.ms.abnormal_core.mean;
  }
  // Works of several streams overlap.
  work.normal_ms = std::min(work.normal_ms, device.busy_ms.normal_core.mean);
  work.abnormal_ms = std::min(work.abnormal_ms, device.busy_ms.abnormal_core.mean);
  return work;
}

// Of the device that has most to do: the others wait for it. None without one.
OwnWork longest_work(const Comparison& comparison) {
  OwnWork longest;
  for (const DeviceRow& device : comparison.devices) {
    if (device.device == kHostDevice) continue;
    const OwnWork work = own_work_of(comparison, device);
    if (longest.device == nullptr || work.most_ms() > longest.most_ms()) longest = work;
  }
  return longest;
}

// The parts of the cycles, 0 to 1, in which the device has nothing to do, or waits for another one,
// which may wait for its host.
struct HostShares {
  double normal = 1;
  double abnormal = 1;
};

HostShares host_shares(const Comparison& comparison, const OwnWork& work) {
  if (work.device == nullptr) return {};
  double normal_ms = work.normal_ms;
  double abnormal_ms = work.abnormal_ms;
  for (const IdleCauseRow& row : comparison.idle) {
    // Idle although the work was launched: that is not the host's time.
    if (row.rank != work.device->rank || row.cause.kind != analysis::IdleKind::kLaunched) continue;
    normal_ms += row.ms.normal_core.mean;
    abnormal_ms += row.ms.abnormal_core.mean;
  }
  const auto share = [](double device_ms, double cycle_ms) {
    return cycle_ms > 0 ? std::clamp(1 - device_ms / cycle_ms, 0.0, 1.0) : 0;
  };
  const Change& cycle = comparison.cycles.front().ms;
  return {share(normal_ms, cycle.normal_core.mean), share(abnormal_ms, cycle.abnormal_core.mean)};
}

// For the device. Copies to the host's own memory do, whatever their name.
bool may_wait(const FunctionKey& key) {
  if (key.kind != FunctionKind::kRuntimeCall) return false;
  const device::RuntimeCall call = device::runtime_call(key.name);
  return call == device::RuntimeCall::kSynchronize || call == device::RuntimeCall::kCopy;
}

// The part of the normal cycle that a slower host may stretch. If the device does at once what is
// launched, the host sets the pace all the time, also while the device works, except where it waits
// for the device itself.
double stretchable_share(const Comparison& comparison, const DeviceRow* device, double host_share) {
  const auto launches = std::ranges::find_if(comparison.launches, [&](const LaunchRow& row) {
    return device != nullptr && row.device == device->device && row.rank == device->rank;
  });
  if (launches == comparison.launches.end()) return host_share;
  constexpr double kAtOnceUs = 15;  // a launch reaches an idle device in less
  const double at_once = std::min(1.0, kAtOnceUs / launches->delay_us.normal_core.mean);
  double waiting_ms = 0;
  for (const FunctionRow& row : comparison.functions) {
    const bool is_of_rank = device != nullptr && row.rank == device->rank;
    if (is_of_rank && row.type == comparison.cycles.front().type && may_wait(row.key)) {
      waiting_ms += row.ms.normal_core.mean;
    }
  }
  const double waiting = waiting_ms / comparison.cycles.front().ms.normal_core.mean;
  return host_share + at_once * std::max(0.0, 1 - waiting - host_share);
}

// A function of the host in one run.
struct HostTime {
  double ms = 0;  // of the median cycle: one in which the host lost its core says nothing
  double calls = 0;
};

// Host functions that do work and do not wait: operators, and calls that launch.
bool shows_host_speed(const FunctionCycles& function) {
  return function.is_operator ||
         (function.key.kind == FunctionKind::kRuntimeCall &&
          device::runtime_call(function.key.name) == device::RuntimeCall::kLaunch);
}

std::map<FunctionKey, HostTime> host_times(const RankMeasure& measure, analysis::CycleType type) {
  std::map<FunctionKey, HostTime> times;
  const std::vector<std::size_t> usable = usable_cycles(measure, std::string(kHostDevice), type);
  if (usable.empty()) return times;
  std::vector<double> ms;
  for (const FunctionCycles& function : measure.functions) {
    if (!shows_host_speed(function)) continue;
    ms.clear();
    HostTime time;
    for (const std::size_t cycle : usable) {
      ms.push_back(static_cast<double>(function.time_ns[cycle]) * 1e-6);
      time.calls += function.calls[cycle];
    }
    time.ms = stats::median_of(ms);
    time.calls /= static_cast<double>(usable.size());
    if (time.ms > 0) times.emplace(function.key, time);
  }
  return times;
}

// By which factors the same calls take longer than in the reference.
void add_factors(const std::map<FunctionKey, HostTime>& reference,
                 const std::map<FunctionKey, HostTime>& times, std::vector<double>& factors) {
  for (const auto& [key, time] : times) {
    const auto same = reference.find(key);
    if (same == reference.end() || !are_equal_calls(same->second.calls, time.calls)) continue;
    factors.push_back(time.ms / same->second.ms * same->second.calls / time.calls);
  }
}

// One value for each run of a side.
struct SideValues {
  std::vector<double> normal = {};
  std::vector<double> abnormal = {};

  double difference() const {
    return stats::moments_of(abnormal).mean - stats::moments_of(normal).mean;
  }
};

// The logarithm of the factor by which the host's calls typically take longer than in the first
// normal run; each function has one vote. None if there are too few to tell.
std::optional<SideValues> log_host_speeds(const std::vector<PairedRank>& ranks,
                                          analysis::CycleType type) {
  constexpr std::size_t kLeastVotes = 2;
  std::vector<std::map<FunctionKey, HostTime>> references;
  for (const PairedRank& rank : ranks) {
    references.push_back(host_times(*rank.normals.front(), type));
  }
  const auto speeds_of = [&](std::vector<const RankMeasure*> PairedRank::*side) {
    std::vector<double> logs;
    for (std::size_t run = 0; run < (ranks.front().*side).size(); ++run) {
      std::vector<double> factors;
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        const RankMeasure& measure = *(ranks[i].*side)[run];
        add_factors(references[i], host_times(measure, type), factors);
      }
      logs.push_back(factors.size() < kLeastVotes ? std::nan("")
                                                  : std::log(stats::median_of(factors)));
    }
    return logs;
  };
  SideValues speeds = {.normal = speeds_of(&PairedRank::normals),
                       .abnormal = speeds_of(&PairedRank::abnormals)};
  if (!std::isfinite(speeds.difference())) return std::nullopt;
  return speeds;
}

std::vector<double> logs_of(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

// What is left of the runs' cycles when the host's speed is taken out.
SideValues beside_speed(SideValues log_times, const SideValues& log_speeds, double host_share) {
  const auto take_out = [&](std::vector<double>& times, const std::vector<double>& speeds) {
    for (std::size_t i = 0; i < times.size() && i < speeds.size(); ++i) {
      times[i] -= host_share * speeds[i];
    }
  };
  take_out(log_times.normal, log_speeds.normal);
  take_out(log_times.abnormal, log_speeds.abnormal);
  return log_times;
}

double in_quadrature(double a, double b) { return std::sqrt(a * a + b * b); }

BetweenRuns noise_of(const SideValues& values, double prior) {
  return between_runs(values.normal, values.abnormal, prior);
}

// The mean of a run: what a device does itself in a cycle.
double own_work_ms(const RankMeasure& measure, const std::string& device,
                   analysis::CycleType type) {
  const auto found = std::ranges::find(measure.devices, device, &DeviceCycles::device);
  if (found == measure.devices.end()) return std::nan("");
  std::vector<double> ms;
  for (const std::size_t cycle : usable_cycles(measure, device, type)) {
    std::int64_t own_ns = 0;
    for (const FunctionCycles& function : measure.functions) {
      if (!is_own_work(function.key.kind) || function.key.device != device) continue;
      own_ns += function.time_ns[cycle];
    }
    ms.push_back(static_cast<double>(std::min(own_ns, found->busy_ns[cycle])) * 1e-6);
  }
  return ms.empty() ? std::nan("") : core_mean_of(ms);
}

// Of the device's own work. Nothing if a run has none.
std::optional<BetweenRuns> device_noise(const std::vector<PairedRank>& ranks, const OwnWork& work,
                                        analysis::CycleType type) {
  if (work.device == nullptr) return std::nullopt;
  const auto rank = std::ranges::find(ranks, work.device->rank, &PairedRank::rank);
  const auto logs = [&](const std::vector<const RankMeasure*>& runs) {
    std::vector<double> values;
    for (const RankMeasure* run : runs) {
      values.push_back(std::log(own_work_ms(*run, work.device->device, type)));
    }
    return values;
  };
  const BetweenRuns noise =
      noise_of({logs(rank->normals), logs(rank->abnormals)}, kDevicePartDeviation);
  return std::isfinite(noise.deviation) ? std::optional(noise) : std::nullopt;
}

double log_change_of(const CycleRow& cycle) {
  return std::log(stats::moments_of(cycle.run_ms_abnormal).mean /
                  stats::moments_of(cycle.run_ms_normal).mean);
}

double device_change(const HostShares& shares, double log_change) {
  const double normal = 1 - shares.normal;
  const double abnormal = 1 - shares.abnormal;
  if (!(normal > 0 && abnormal > 0)) return 0;
  return (normal + abnormal) / 2 * (log_change + std::log(abnormal / normal));
}

// The standard error of a cycle's change that its cycles give, as a part of a cycle; 0 if there is
// none.
double error_of(const Change& cycle) {
  const double cycle_ms = (cycle.normal_core.mean + cycle.abnormal_core.mean) / 2;
  const double error = (cycle.core_shift.high - cycle.core_shift.low) / 4 / cycle_ms;
  return std::isfinite(error) ? error : 0;
}

}  // namespace

RunNoise noise_between(const Comparison& comparison, const std::vector<PairedRank>& ranks) {
  RunNoise noise;
  if (comparison.cycles.empty()) return noise;
  const CycleRow& cycle = comparison.cycles.front();
  if (cycle.run_ms_normal.empty() || cycle.run_ms_abnormal.empty()) return noise;
  const OwnWork work = longest_work(comparison);
  const HostShares shares = host_shares(comparison, work);
  noise.host_share = (shares.normal + shares.abnormal) / 2;
  const SideValues log_times = {logs_of(cycle.run_ms_normal), logs_of(cycle.run_ms_abnormal)};
  const std::optional<SideValues> known_speeds = log_host_speeds(ranks, cycle.type);
  noise.is_speed_known = known_speeds.has_value();
  // A host whose speed is not known has no differences of it.
  const SideValues log_speeds =
      known_speeds.value_or(SideValues{std::vector<double>(log_times.normal.size()),
                                       std::vector<double>(log_times.abnormal.size())});
  noise.host_speed = std::exp(log_speeds.difference());
  noise.speed_change =
      stretchable_share(comparison, work.device, shares.normal) * log_speeds.difference();
  noise.device_change = device_change(shares, log_change_of(cycle));

  const double device_prior = (1 - noise.host_share) * kDevicePartDeviation;
  const double rest_prior = in_quadrature(noise.host_share * kHostRestDeviation, device_prior);
  const double whole_prior = in_quadrature(noise.host_share * kHostSpeedDeviation, rest_prior);
  const BetweenRuns rest =
      noise_of(beside_speed(log_times, log_speeds, noise.host_share), rest_prior);
  const BetweenRuns raw = noise_of(log_times, rest_prior);
  const BetweenRuns device = device_noise(ranks, work, cycle.type).value_or(raw);
  noise.device_deviation = (1 - noise.host_share) * device.deviation;
  noise.rest_deviation = rest.deviation;
  noise.run_deviation = raw.deviation;
  const BetweenRuns whole = noise_of(log_times, whole_prior);
  noise.deviation = whole.deviation;
  noise.speed_deviation = noise_of(log_speeds, kHostSpeedDeviation).deviation;
  noise.degrees = std::min({rest.degrees, raw.degrees, device.degrees, whole.degrees});
  return noise;
}

namespace {

// What a change may be beside the noise, and how sure that is.
struct Remainder {
  double change = 0;
  double deviation = 0;
};

// It is between these.
struct Remainders {
  Remainder first;
  Remainder second;
};

Remainders beside_noise(const RunNoise& noise, double change, double error,
                        double most_deviations) {
  constexpr double kExtreme = 1.3;   // a host beyond 95 % and that is not one of the usual ones
  constexpr double kRealPart = 0.3;  // of the change
  const auto with_error = [&](double deviation) { return in_quadrature(deviation, error); };
  // The device's part differs little from run to run, whatever the host adds.
  const double device = with_error(noise.device_deviation);
  const double least_change = std::min(std::abs(noise.device_change), std::abs(change));
  const bool device_changed =
      noise.device_change / change >= kRealPart && least_change > most_deviations * device;
  if (device_changed) return {{change, device}, {noise.device_change, device}};
  if (!noise.is_speed_known) {
    const Remainder all = {change, with_error(noise.deviation)};
    return {all, all};
  }
  // The host's speed may add all that it explains, or less.
  const Remainder all = {change, with_error(noise.run_deviation)};
  const double most_speed = kExtreme * most_deviations * noise.speed_deviation;
  const bool is_extreme = std::abs(std::log(noise.host_speed)) > most_speed;
  if (is_extreme) return {all, all};
  return {all, {change - noise.speed_change, with_error(noise.rest_deviation)}};
}

}  // namespace

RunNoise::Judgement RunNoise::judge(double change, double error) const {
  const double most_deviations = stats::student_t(1 - kConfidence, degrees);
  const auto [a, b] = beside_noise(*this, change, error, most_deviations);
  const auto p_of = [&](const Remainder& one) {
    return BetweenRuns{one.deviation, degrees}.p_of(one.change);
  };
  const bool is_zero_between = (a.change > 0) != (b.change > 0);
  const double half_a = most_deviations * a.deviation;
  const double half_b = most_deviations * b.deviation;
  return {.shift = {change, std::min(a.change - half_a, b.change - half_b),
                    std::max(a.change + half_a, b.change + half_b)},
          .p = is_zero_between ? 1 : std::max(p_of(a), p_of(b))};
}

bool RunNoise::covers(const CycleRow& cycle) const {
  if (cycle.run_shift) return cycle.between_runs_p >= kSignificant;
  if (deviation == 0) return false;  // between parts of one run
  const double change = std::log(cycle.ms.core_ratio());
  return std::isfinite(change) && judge(change, error_of(cycle.ms)).p >= kSignificant;
}

namespace {

// Of cycles that are not the most frequent ones: what sets their pace is not known, and how much
// they differ from run to run is.
RunNoise noise_of_other_type(RunNoise noise, const CycleRow& row) {
  const SideValues log_times = {logs_of(row.run_ms_normal), logs_of(row.run_ms_abnormal)};
  const BetweenRuns own = noise_of(log_times, kHostRestDeviation);
  noise.device_change = 0;
  noise.is_speed_known = false;
  noise.deviation = own.deviation;
  noise.degrees = own.degrees;
  return noise;
}

}  // namespace

void use_runs(const RunNoise& noise, std::vector<CycleRow>& rows) {
  const auto is_main = [&](const CycleRow& row) { return &row == &rows.front(); };
  constexpr std::size_t kManyRuns = 4;  // the cycles' errors are in what these differ by
  for (CycleRow& row : rows) {
    if (row.run_ms_normal.empty() || row.run_ms_abnormal.empty()) continue;
    const std::size_t runs = row.run_ms_normal.size() + row.run_ms_abnormal.size();
    if (runs == 2) continue;
    const double error = runs < kManyRuns ? error_of(row.ms) : 0;
    const auto [change, p] =
        (is_main(row) ? noise : noise_of_other_type(noise, row)).judge(log_change_of(row), error);
    const double normal_ms = stats::moments_of(row.run_ms_normal).mean;
    row.run_shift = {normal_ms * std::expm1(change.shift), normal_ms * std::expm1(change.low),
                     normal_ms * std::expm1(change.high)};
    row.between_runs_p = p;
  }
}

}  // namespace strobe::compare

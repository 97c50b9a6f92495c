#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/compare/between_runs.h"
#include "strobe/compare/change.h"
#include "strobe/compare/comparison_parts.h"
#include "strobe/compare/host_share.h"
#include "strobe/compare/host_speed.h"
#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"

namespace strobe::compare {
namespace {

std::vector<double> logs_of(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

// What is left of the runs' cycles when the host's speed is taken out.
SideValues beside_speed(SideValues log_times, const SideValues& log_speeds, double stretchable) {
  const auto take_out = [&](std::vector<double>& times, const std::vector<double>& speeds) {
    for (std::size_t i = 0; i < times.size() && i < speeds.size(); ++i) {
      times[i] -= stretchable * speeds[i];
    }
  };
  take_out(log_times.normal, log_speeds.normal);
  take_out(log_times.abnormal, log_speeds.abnormal);
  return log_times;
}

double in_quadrature(double a, double b) { return std::sqrt(a * a + b * b); }

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
      between_runs({logs(rank->normals), logs(rank->abnormals)}, kDevicePartDeviation);
  return std::isfinite(noise.deviation) ? std::optional(noise) : std::nullopt;
}

HostLeads host_leads(const std::vector<PairedRank>& ranks, const OwnWork& work) {
  if (work.device == nullptr) return {};
  const auto rank = std::ranges::find(ranks, work.device->rank, &PairedRank::rank);
  const auto leads = [](const RankMeasure* run) {
    return run->cycles.clock == analysis::CycleClock::kDevice;
  };
  return {std::ranges::all_of(rank->normals, leads), std::ranges::all_of(rank->abnormals, leads)};
}

double log_change_of(const CycleRow& cycle) {
  return std::log(stats::moments_of(cycle.run_ms_abnormal).mean /
                  stats::moments_of(cycle.run_ms_normal).mean);
}

// Of the device's own work. What waits on a device although it was launched may wait for a slower
// host as well.
double device_change(const Comparison& comparison, const OwnWork& work) {
  const Change& cycle = comparison.cycles.front().ms;
  const double share =
      (work.normal_ms / cycle.normal_core.mean + work.abnormal_ms / cycle.abnormal_core.mean) / 2;
  const double change = share * std::log(work.abnormal_ms / work.normal_ms);
  return std::isfinite(change) ? change : 0;
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
  noise.paced_share = stretchable_share(comparison, work, shares, host_leads(ranks, work));
  noise.speed_change = noise.paced_share * log_speeds.difference();
  noise.device_change = device_change(comparison, work);

  const double device_prior = (1 - noise.host_share) * kDevicePartDeviation;
  const double rest_prior = in_quadrature(noise.paced_share * kHostRestDeviation, device_prior);
  const double whole_prior = in_quadrature(noise.paced_share * kHostSpeedDeviation, rest_prior);
  const BetweenRuns rest =
      between_runs(beside_speed(log_times, log_speeds, noise.paced_share), rest_prior);
  const BetweenRuns device = device_noise(ranks, work, cycle.type).value_or(rest);
  noise.device_deviation = (1 - noise.host_share) * device.deviation;
  noise.rest_deviation = rest.deviation;
  const BetweenRuns whole = between_runs(log_times, whole_prior);
  noise.deviation = whole.deviation;
  noise.speed_deviation = between_runs(log_speeds, kHostSpeedDeviation).deviation;
  noise.degrees = std::min((noise.is_speed_known ? rest : whole).degrees, device.degrees);
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
  // The host's speed may add all that it explains, or less. What it does to the runs of one side is
  // taken out either way.
  const Remainder all = {change, with_error(noise.rest_deviation)};
  const double most_speed = kExtreme * most_deviations * noise.speed_deviation;
  const bool is_extreme = std::abs(std::log(noise.host_speed)) > most_speed;
  if (is_extreme) return {all, all};
  return {all, {change - noise.speed_change, all.deviation}};
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
  const BetweenRuns own =
      between_runs(log_times, in_quadrature(kHostSpeedDeviation, kHostRestDeviation));
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

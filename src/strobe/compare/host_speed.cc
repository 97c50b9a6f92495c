#include "strobe/compare/host_speed.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/device/vendor_names.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

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

}  // namespace

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

}  // namespace strobe::compare

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "strobe/analysis/findings/finding.h"
#include "strobe/compare/causes/cause_rules.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

bool calls_scale(const Symptoms& symptoms) {
  return std::abs(symptoms.common_calls_factor - 1) > 0.02;
}

void find_workload(const Symptoms& symptoms, std::vector<Cause>& causes) {
  double resized = 0;
  for (const DeviceSymptoms& device : symptoms.devices) {
    if (device.changed_ms < 0.02 * device.kernel_ms.normal_core.mean) continue;
    resized = std::max(resized, device.resized_share);
  }
  if (!calls_scale(symptoms) && resized < 0.4) return;
  Cause cause = {.kind = CauseKind::kWorkload,
                 .score = 0.9,
                 .headline = {},
                 .evidence = {},
                 .against = {},
                 .advice =
                     "compare runs of the same work: batch size, sequence length, number of layers "
                     "and requests"};
  if (calls_scale(symptoms)) {
    cause.headline = fmt::format(
        "a cycle does {} work: nearly all functions are called x {:.2f} as "
        "often{}",
        symptoms.common_calls_factor > 1 ? "more" : "less", symptoms.common_calls_factor,
        symptoms.place());
    cause.evidence.push_back(
        evidence(fmt::format("calls of at least 80 % of the functions changed by "
                             "the same factor, x {:.2f}",
                             symptoms.common_calls_factor)));
  } else {
    cause.score = 0.6 + 0.35 * std::min(1.0, resized / 0.8);
    cause.headline = fmt::format("the same kernels run with other sizes{}", symptoms.place());
    cause.evidence.push_back(evidence(fmt::format(
        "{:.0f} % of the kernels that both runs have are launched with another number of blocks",
        100 * resized)));
  }
  causes.push_back(std::move(cause));
}

std::string largest_names(std::vector<const FunctionRow*> rows) {
  std::ranges::sort(rows, [](const FunctionRow* a, const FunctionRow* b) {
    return std::abs(a->own_ms().core_difference()) > std::abs(b->own_ms().core_difference());
  });
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, rows.size()); ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", analysis::short_name(rows[i]->key.name));
  }
  if (rows.size() > 3) names += fmt::format(" and {} more", rows.size() - 3);
  return names;
}

// The kernels of a device that do other work than before.
struct OtherKernels {
  std::vector<const FunctionRow*> appeared;
  std::vector<const FunctionRow*> vanished;
  std::vector<const FunctionRow*> recounted;  // called more or less often
  double added_ms = 0;                        // by all of them
  double replaced_ms = 0;                     // their time in the normal run
};

OtherKernels other_kernels(const DeviceSymptoms& device) {
  OtherKernels others;
  for (const FunctionRow* row : device.kernels) {
    if (row->verdict == Verdict::kNew) {
      others.appeared.push_back(row);
    } else if (row->verdict == Verdict::kVanished) {
      others.vanished.push_back(row);
    } else if (!calls_are_equal(*row)) {
      others.recounted.push_back(row);
    } else {
      continue;
    }
    others.added_ms += row->own_ms().core_difference();
    others.replaced_ms += row->own_ms().normal_core.mean;
  }
  return others;
}

void find_kernel_mix(const Symptoms& symptoms, std::vector<Cause>& causes) {
  if (calls_scale(symptoms)) return;
  for (const DeviceSymptoms& device : symptoms.devices) {
    const double kernel_ms =
        std::max(device.kernel_ms.normal_core.mean, device.kernel_ms.abnormal_core.mean);
    if (!(device.changed_ms > 0) || device.other_work_ms < 0.02 * kernel_ms) continue;
    const double share = device.other_work_ms / device.changed_ms;
    if (share < 0.5) continue;
    const OtherKernels others = other_kernels(device);
    Cause cause = {
        .kind = CauseKind::kKernelMix,
        .score = 0.5 + 0.42 * share * std::min(1.0, device.other_work_ms / (0.1 * kernel_ms)),
        .headline = fmt::format("{} runs other kernels{}", device.name(), symptoms.place()),
        .evidence = {evidence(
            fmt::format("kernels that are new, gone or called more or less often make up {:.0f} "
                        "% of the change on the device",
                        100 * share))},
        .against = {},
        .advice =
            "look for another library version, dtype or shape, or for a fusion that was lost or "
            "gained",
        .explains_ms = others.added_ms,
        .is_other_program = others.replaced_ms > 0.5 * device.kernel_ms.normal_core.mean};
    const auto name = [&](std::string_view what, const std::vector<const FunctionRow*>& rows) {
      if (rows.empty()) return;
      cause.evidence.push_back(evidence(fmt::format("{}: {}", what, largest_names(rows))));
    };
    name("new", others.appeared);
    name("gone", others.vanished);
    name("called more or less often", others.recounted);
    if (cause.evidence.size() > 1) causes.push_back(std::move(cause));
  }
}

// The difference is only in the first cycles.
void find_cold_start(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const std::vector<double>& cycles = symptoms.cycle->ms_abnormal;
  if (cycles.size() < 5) return;
  const std::size_t early = std::max<std::size_t>(1, cycles.size() / 4);
  const std::span<const double> rest = std::span(cycles).subspan(early);
  const double usual = stats::median_of(rest);
  std::size_t cold = 0;
  while (cold < early && cycles[cold] > 1.4 * usual) ++cold;
  const auto late_outliers =
      std::ranges::count_if(rest, [&](double ms) { return ms > 1.4 * usual; });
  const bool normal_is_cold =
      !symptoms.cycle->ms_normal.empty() &&
      symptoms.cycle->ms_normal.front() > 1.4 * stats::median_of(symptoms.cycle->ms_normal);
  if (cold == 0 || late_outliers > 0 || normal_is_cold) return;
  const Change& change = symptoms.cycle->ms;  // its means: the first cycles are its wildest
  if (!(change.difference() > 0.01 * change.normal.mean)) return;
  // One long first cycle may be an ordinary outlier.
  const Change& loading = symptoms.host.load_code_ms;
  const bool loads_code = loading.difference() > 0.01 * change.normal.mean;
  const bool is_sure = cold > 1 || cycles.front() > 2 * usual || loads_code;
  const stats::Moments warm = stats::moments_of(std::span(cycles).subspan(cold));
  const double left = (warm.mean - change.normal.mean) / change.difference();
  if (left > 0.5) return;
  Cause cause = {
      .kind = CauseKind::kColdStart,
      .score = 0.6 + (is_sure ? 0.3 : 0.1) * std::clamp(1 - left, 0.0, 1.0),
      .headline = fmt::format("the run was still warming up{}", symptoms.place()),
      .evidence = {evidence(fmt::format(
                       "the first {} {:.1f} ms, the others typically {:.1f} ms",
                       cold == 1 ? "cycle takes" : fmt::format("{} cycles take up to", cold),
                       *std::max_element(cycles.begin(),
                                         cycles.begin() + static_cast<std::ptrdiff_t>(cold)),
                       usual)),
                   evidence(fmt::format("without {} the mean is {:.1f} ms, normal {:.1f} ms",
                                        cold == 1 ? "it" : "them", warm.mean, change.normal.mean))},
      .against = {},
      .advice = "start recording after a few warm-up cycles"};
  if (loads_code) cause.evidence.push_back(evidence("loading code onto the device", loading));
  causes.push_back(std::move(cause));
}

// The share of a device's cycles that is incomplete, over all ranks.
double partial_share(const std::vector<RankMeasure>& ranks, const std::string& device) {
  double partial = 0;
  double cycles = 0;
  for (const RankMeasure& rank : ranks) {
    for (const DeviceCycles& one : rank.devices) {
      if (one.device != device) continue;
      partial += static_cast<double>(std::ranges::count(one.is_partial, true));
      cycles += static_cast<double>(one.is_partial.size());
    }
  }
  return cycles > 0 ? partial / cycles : 0;
}

void add_partial_cycles(const Symptoms& symptoms, Cause& cause) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    const double normal = partial_share(symptoms.comparison->normal.ranks, device.name());
    const double abnormal = partial_share(symptoms.comparison->abnormal.ranks, device.name());
    const double share = std::max(normal, abnormal);
    if (share <= 0.25) continue;
    cause.score = std::max(cause.score, std::min(0.7, 0.25 + share));
    cause.evidence.push_back(
        evidence(fmt::format("{:.0f} % of the normal and {:.0f} % of the abnormal cycles of {} are "
                             "incomplete",
                             100 * normal, 100 * abnormal, device.name())));
  }
}

void add_overhead(const Symptoms& symptoms, Cause& cause) {
  std::vector<const FunctionRow*> rows;
  for (const FunctionRow& row : symptoms.comparison->functions) {
    if (row.rank == symptoms.rank && row.key.kind == FunctionKind::kOverhead) rows.push_back(&row);
  }
  const Change ms = total_ms(rows);
  const double share =
      std::min(1.0, ms.core_difference() / std::max(1e-9, std::abs(symptoms.cycle_change_ms)));
  if (!rose(ms, 1.5) || share <= 0.3) return;
  cause.evidence.push_back(evidence("the profiler's own work", ms));
  cause.explains_ms = ms.core_difference();
  cause.score = std::max(cause.score, 0.5 + 0.4 * share);
}

void find_measurement(const Symptoms& symptoms, std::vector<Cause>& causes) {
  Cause cause = {.kind = CauseKind::kMeasurement,
                 .score = 0.5,
                 .headline = "the measurement may cause part of the difference",
                 .evidence = {},
                 .against = {},
                 .advice = "record more cycles, and start recording after a few warm-up cycles"};
  add_partial_cycles(symptoms, cause);
  cause.is_fact = !cause.evidence.empty();
  add_overhead(symptoms, cause);
  if (!cause.evidence.empty()) causes.push_back(std::move(cause));
}

constexpr std::array<CauseRule, 4> kWorkRules = {find_workload, find_kernel_mix, find_cold_start,
                                                 find_measurement};

}  // namespace

std::span<const CauseRule> work_cause_rules() { return kWorkRules; }

}  // namespace strobe::compare

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/waits/profiler_overhead.h"
#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/causes/late_host.h"
#include "strobe/compare/causes/scaled_work.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

bool calls_scale(const Symptoms& symptoms) {
  return std::abs(symptoms.common_calls_factor - 1) > 0.02;
}

void find_workload(const Symptoms& symptoms, std::vector<Cause>& causes) {
  double resized = 0;
  double rescaled = 0;
  ScaledWork scaled;
  double changed_ms = 0;
  for (const DeviceSymptoms& device : symptoms.devices) {
    if (device.changed_ms < 0.02 * device.kernel_ms.normal_core.mean) continue;
    if (!device.has_same_kernels) continue;
    changed_ms += device.kernel_ms.core_difference();
    resized = std::max(resized, device.resized_share);
    rescaled = std::max(rescaled, device.rescaled_time_share);
    const ScaledWork one = scaled_work(device);
    if (one.explained_share > scaled.explained_share) scaled = one;
  }
  const double other_sizes = std::max({resized, rescaled, scaled.explained_share});
  if (!calls_scale(symptoms) && other_sizes < 0.4) return;
  Cause cause = {.kind = CauseKind::kWorkload,
                 .score = 0.9,
                 .headline = {},
                 .evidence = {},
                 .against = {},
                 .advice =
                     "compare runs of the same work: batch size, sequence length, number of layers "
                     "and requests"};
  cause.improves = calls_scale(symptoms) ? symptoms.common_calls_factor < 1 : changed_ms < 0;
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
  } else if (scaled.explained_share > std::max(resized, rescaled)) {
    cause.score = 0.6 + 0.35 * std::min(1.0, scaled.explained_share / 0.8);
    cause.headline =
        fmt::format("a cycle does {} work: many kernels have x {:.2f} as much to do{}",
                    scaled.factor > 1 ? "more" : "less", scaled.factor, symptoms.place());
    cause.evidence.push_back(evidence(
        fmt::format("{} kernels are launched more or less often or with another number of blocks, "
                    "about x {:.2f}, and their time changed with it; that factor explains {:.0f} % "
                    "of the change on the device",
                    scaled.kernels, scaled.factor, 100 * scaled.explained_share)));
  } else {
    cause.score = 0.6 + 0.35 * std::min(1.0, other_sizes / 0.8);
    cause.headline = fmt::format("the same kernels run with other sizes{}", symptoms.place());
    cause.evidence.push_back(evidence(
        resized >= rescaled
            ? fmt::format("{:.0f} % of the kernels that both runs have are launched with another "
                          "number of blocks",
                          100 * resized)
            : fmt::format("kernels with {:.0f} % of the kernel time are launched with another "
                          "number of blocks, and their time changed with it",
                          100 * rescaled)));
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

// A run whose calls launch work, and a device without any: that was not recorded, or ran elsewhere.
enum class Unrecorded : std::uint8_t { kNothing, kInNormal, kInAbnormal };

Unrecorded unrecorded_kernels(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const HostSymptoms& host = symptoms.host;
  const double normal_ms = device.kernel_ms.normal.mean;
  const double abnormal_ms = device.kernel_ms.abnormal.mean;
  if (normal_ms == 0 && abnormal_ms > 0 && host.launches_normal > 0) return Unrecorded::kInNormal;
  if (abnormal_ms == 0 && normal_ms > 0 && host.launches_abnormal > 0) {
    return Unrecorded::kInAbnormal;
  }
  return Unrecorded::kNothing;
}

void find_kernel_mix(const Symptoms& symptoms, std::vector<Cause>& causes) {
  if (calls_scale(symptoms)) return;
  for (const DeviceSymptoms& device : symptoms.devices) {
    if (unrecorded_kernels(symptoms, device) != Unrecorded::kNothing) continue;
    const double kernel_ms =
        std::max(device.kernel_ms.normal_core.mean, device.kernel_ms.abnormal_core.mean);
    if (!(device.changed_ms > 0) || device.other_work_ms < 0.02 * kernel_ms) continue;
    const double share = device.other_work_ms / device.changed_ms;
    if (share < 0.5) continue;
    const OtherKernels others = other_kernels(device);
    const double launching_ms = idle_by_launching_ms(symptoms, device);
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
        .explains_ms = others.added_ms + launching_ms,
        .is_other_program = others.replaced_ms > 0.5 * device.kernel_ms.normal_core.mean};
    const auto name = [&](std::string_view what, const std::vector<const FunctionRow*>& rows) {
      if (rows.empty()) return;
      cause.evidence.push_back(evidence(fmt::format("{}: {}", what, largest_names(rows))));
    };
    name("new", others.appeared);
    name("gone", others.vanished);
    name("called more or less often", others.recounted);
    if (cause.evidence.size() == 1) continue;
    if (std::abs(launching_ms) > std::abs(others.added_ms)) {
      cause.evidence.push_back(evidence(fmt::format(
          "the device is idle for {}, because {} calls launch them: {}{} ms per cycle",
          launching_ms > 0 ? "longer" : "less time", launching_ms > 0 ? "more" : "fewer",
          launching_ms > 0 ? "+" : "", number_text(launching_ms))));
    }
    causes.push_back(std::move(cause));
  }
}

// The share of a device's cycles that is incomplete, over all ranks.
double partial_share(const std::vector<RankMeasure>& ranks, const std::string& device) {
  double partial = 0;
  double cycles = 0;
  for (const RankMeasure& rank : ranks) {
    for (const DeviceCycles& one : rank.devices) {
      if (one.device != device) continue;
      for (std::size_t i = 0; i < one.is_partial.size(); ++i) {
        if (rank.cycles.cycles[i].is_warm_up) continue;
        partial += one.is_partial[i] ? 1 : 0;
        cycles += 1;
      }
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

void add_unrecorded_kernels(const Symptoms& symptoms, Cause& cause) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    const Unrecorded missing = unrecorded_kernels(symptoms, device);
    if (missing == Unrecorded::kNothing) continue;
    const bool is_normal = missing == Unrecorded::kInNormal;
    cause.score = std::max(cause.score, 0.7);
    cause.evidence.push_back(evidence(fmt::format(
        "the {} run has {} launching calls per cycle, and no kernels of {}: they were not "
        "recorded, or ran elsewhere",
        is_normal ? "normal" : "abnormal",
        number_text(is_normal ? symptoms.host.launches_normal : symptoms.host.launches_abnormal),
        device.name())));
  }
}

void add_overhead(const Symptoms& symptoms, Cause& cause) {
  std::vector<const FunctionRow*> rows;
  for (const FunctionRow& row : symptoms.comparison->functions) {
    const bool is_own =
        row.key.kind == FunctionKind::kOverhead && analysis::is_own_overhead(row.key.name);
    if (is_own && row.rank == symptoms.rank) rows.push_back(&row);
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
  add_unrecorded_kernels(symptoms, cause);
  cause.is_fact = !cause.evidence.empty();
  add_overhead(symptoms, cause);
  if (!cause.evidence.empty()) causes.push_back(std::move(cause));
}

constexpr std::array<CauseRule, 3> kWorkRules = {find_workload, find_kernel_mix, find_measurement};

}  // namespace

std::span<const CauseRule> work_cause_rules() { return kWorkRules; }

}  // namespace strobe::compare

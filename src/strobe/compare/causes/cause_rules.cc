#include "strobe/compare/causes/cause_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "strobe/base/text.h"
#include "strobe/compare/comparison.h"

namespace strobe::compare {
namespace {

struct Words {
  std::string_view word;
  std::string_view sentence;
};

// In the order of CauseKind.
constexpr std::array kCauseWords = std::to_array<Words>({
    {"clock", "the device's clock changed"},
    {"memory_bandwidth", "the device's memory became slower"},
    {"other_tenant", "another process uses the device"},
    {"pcie", "copies between host and device became slower"},
    {"fabric", "the links between devices became slower"},
    {"straggler", "one rank keeps the others waiting"},
    {"host_contention", "other processes compete for the host's cores"},
    {"host_slow", "the host became slower"},
    {"launch_bound", "the device waits for the host"},
    {"synchronisation", "the host waits for the device more often"},
    {"disk_io", "reading and writing files takes longer"},
    {"input_pipeline", "input data arrives later"},
    {"memory_pressure", "device memory is short, or allocated more often"},
    {"kernel_mix", "the device runs other kernels"},
    {"workload", "the amount of work in a cycle changed"},
    {"communication_wait", "collectives wait longer"},
    {"cold_start", "the run was still warming up"},
    {"measurement", "the measurement may cause part of the difference"},
    {"unattributed", "no recorded data explains the change"},
});
static_assert(kCauseWords.size() == static_cast<std::size_t>(CauseKind::kUnattributed) + 1);

}  // namespace

std::string_view word_of(CauseKind kind) {
  return kCauseWords[static_cast<std::size_t>(kind)].word;
}
std::string_view sentence_of(CauseKind kind) {
  return kCauseWords[static_cast<std::size_t>(kind)].sentence;
}

namespace {

std::string factor_text(const Change& change) {
  const double ratio = change.ratio();
  return std::isfinite(ratio) && ratio > 0 ? fmt::format(" (x {:.2f})", ratio) : "";
}

}  // namespace

std::string number_text(double value) {
  const double size = std::abs(value);
  if (size >= 1e9) return fmt::format("{:.3g} G", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.3g} M", value / 1e6);
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  if (size >= 1 || value == 0) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

Evidence evidence(const std::string& what, const MetricRow& metric, const Change& change) {
  return {
      .text = fmt::format("{}: {} -> {} {}{}", what, number_text(change.normal.mean),
                          number_text(change.abnormal.mean), metric.info.unit, factor_text(change)),
      .function = {},
      .metric = metric.metric};
}

Evidence evidence(const std::string& what, const Change& change_ms) {
  return {
      .text = fmt::format("{}: {} -> {} ms per cycle{}", what, number_text(change_ms.normal.mean),
                          number_text(change_ms.abnormal.mean), factor_text(change_ms)),
      .function = {},
      .metric = {}};
}

Evidence evidence(std::string sentence) {
  return {.text = std::move(sentence), .function = {}, .metric = {}};
}

namespace {

bool contains(std::initializer_list<CauseKind> kinds, CauseKind kind) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

// A consequence of a confident cause is not a cause itself.
struct Consequence {
  CauseKind of;
  std::initializer_list<CauseKind> kinds;
  std::string_view reason;
};

void weaken_consequences(std::vector<Cause>& causes) {
  using enum CauseKind;
  const Consequence known[] = {
      {kFabric, {kStraggler, kCommunicationWait}, "slower links have the same effect"},
      {kStraggler, {kCommunicationWait, kFabric}, "a late rank has the same effect"},
      {kHostContention,
       {kHostSlow, kLaunchBound, kInputPipeline, kDiskIo, kPcie, kColdStart},
       "waiting for a core has the same effect"},
      {kWorkload,
       {kKernelMix, kHostSlow, kLaunchBound, kPcie, kMemoryPressure, kSynchronisation},
       "a changed amount of work has the same effect"},
      {kInputPipeline, {kLaunchBound, kHostSlow, kColdStart}, "late input has the same effect"},
      {kDiskIo, {kLaunchBound, kHostSlow, kInputPipeline}, "slow files have the same effect"},
      {kMemoryPressure,
       {kLaunchBound, kHostSlow, kSynchronisation},
       "allocating has the same effect"},
      {kSynchronisation, {kLaunchBound, kHostSlow}, "waiting for the device has the same effect"},
      {kLaunchBound, {kHostSlow}, "code between operators has the same effect"},
      {kMeasurement, {kLaunchBound, kHostSlow}, "the profiler's own work has the same effect"},
  };
  for (const Consequence& one : known) {
    const bool is_sure = std::ranges::any_of(causes, [&](const Cause& cause) {
      return cause.kind == one.of && cause.score >= kConfidentScore;
    });
    if (!is_sure) continue;
    for (Cause& cause : causes) {
      if (!contains(one.kinds, cause.kind)) continue;
      cause.score *= 0.6;
      cause.against.push_back(evidence(std::string(one.reason)));
    }
  }
}

// The same cause on several ranks becomes one. The most certain rank comes first.
void join_ranks(std::vector<Cause>& causes) {
  std::vector<Cause> joined;
  for (Cause& cause : causes) {
    const auto same = std::ranges::find_if(joined, [&](const Cause& one) {
      return one.kind == cause.kind && one.ranks != cause.ranks;
    });
    if (same == joined.end() || same->ranks.empty() || cause.ranks.empty()) {
      joined.push_back(std::move(cause));
    } else {
      same->ranks.push_back(cause.ranks.front());
    }
  }
  for (Cause& cause : joined) {
    if (cause.ranks.size() < 2) continue;
    const std::span<const std::int32_t> others = std::span(cause.ranks).subspan(1);
    cause.evidence.push_back(evidence(fmt::format(
        "the same on {} {}", plural(others.size(), "rank", "ranks"), fmt::join(others, ", "))));
  }
  causes = std::move(joined);
}

Cause unattributed(const Comparison& comparison) {
  const Change& ms = comparison.cycles.front().ms;
  return {.kind = CauseKind::kUnattributed,
          .score = kListedScore,
          .headline = fmt::format("the cycle became {}, and no recorded data explains why",
                                  ms.rises() ? "slower" : "faster"),
          .evidence = {evidence("cycle", ms)},
          .against = {},
          .advice =
              "record metrics with the trace (clocks, use, run queue), or more normal runs as "
              "baselines"};
}

bool cycle_changed(const Comparison& comparison) {
  const CycleRow& cycle = comparison.cycles.front();
  if (!is_real(cycle.ms)) return false;
  if (std::isfinite(cycle.between_runs_p) && cycle.between_runs_p >= kSignificant) return false;
  return std::abs(cycle.ms.cliffs_delta) >= kLargeDelta &&
         std::abs(cycle.ms.shift.shift) >= 0.02 * cycle.ms.normal.mean;
}

// Functions that changed beyond chance and drift, and together have some weight: by time on a
// device, by number on the host, where functions contain each other.
bool functions_changed(const Comparison& comparison) {
  double device_ms = 0;
  double changed_ms = 0;
  double on_host = 0;
  double other_on_host = 0;
  for (const FunctionRow& row : comparison.functions) {
    const bool is_other = row.verdict == Verdict::kNew || row.verdict == Verdict::kVanished ||
                          row.verdict == Verdict::kCallsChanged;
    if (is_on_device(row.key.kind)) {
      device_ms += row.ms.normal.mean;
      const bool is_slower = row.verdict == Verdict::kChanged && is_real(row.ms);
      if (is_other || is_slower) changed_ms += std::abs(row.ms.difference());
    } else {
      on_host += 1;
      other_on_host += is_other ? 1 : 0;
    }
  }
  return (changed_ms > 0 && changed_ms > 0.02 * device_ms) || other_on_host > 0.1 * on_host;
}

// A rank that one of the runs lacks has no rows.
bool is_compared(const Comparison& comparison, std::int32_t rank) {
  return std::ranges::find(comparison.devices, rank, &DeviceRow::rank) != comparison.devices.end();
}

}  // namespace

std::vector<Cause> find_causes(const Comparison& comparison) {
  std::vector<Cause> causes;
  if (comparison.cycles.empty() || comparison.cycles.front().ms.too_few) return causes;
  std::vector<Symptoms> ranks;
  for (const RankMeasure& rank : comparison.normal.ranks) {
    if (is_compared(comparison, rank.rank)) {
      ranks.push_back(read_symptoms(comparison, rank.rank));
    }
  }
  find_straggler(ranks, causes);
  for (const Symptoms& symptoms : ranks) {
    for (const auto rules :
         {device_cause_rules(), link_cause_rules(), host_cause_rules(), work_cause_rules()}) {
      for (const CauseRule rule : rules) {
        const std::size_t before = causes.size();
        rule(symptoms, causes);
        for (Cause& cause : std::span(causes).subspan(before)) cause.ranks = {symptoms.rank};
      }
    }
  }
  weaken_consequences(causes);
  std::erase_if(causes, [](const Cause& cause) { return cause.score < kListedScore; });
  for (Cause& cause : causes) cause.score = std::min(cause.score, 1.0);
  std::ranges::stable_sort(causes, std::ranges::greater{}, &Cause::score);
  join_ranks(causes);
  const bool explains = std::ranges::any_of(
      causes, [](const Cause& cause) { return cause.kind != CauseKind::kMeasurement; });
  if (!explains && cycle_changed(comparison))
    causes.insert(causes.begin(), unattributed(comparison));
  return causes;
}

Answer answer_of(const Comparison& comparison) {
  if (comparison.cycles.empty() || comparison.cycles.front().ms.too_few) return Answer::kCannotTell;
  if (cycle_changed(comparison)) {
    return comparison.cycles.front().ms.rises() ? Answer::kSlower : Answer::kFaster;
  }
  const bool has_cause = std::ranges::any_of(comparison.causes, [](const Cause& cause) {
    return cause.score >= kConfidentScore && cause.kind != CauseKind::kMeasurement;
  });
  return has_cause || functions_changed(comparison) ? Answer::kShifted : Answer::kNoChange;
}

void judge(Comparison& comparison) {
  comparison.causes = find_causes(comparison);
  comparison.answer = answer_of(comparison);
}

}  // namespace strobe::compare

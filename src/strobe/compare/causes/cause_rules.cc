#include "strobe/compare/causes/cause_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "strobe/base/text.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/shown_unit.h"

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
    {"host_blocks", "the host waits in a call while the device is idle"},
    {"disk_io", "reading and writing files takes longer"},
    {"input_pipeline", "input data arrives later"},
    {"memory_pressure", "device memory is short, or allocated more often"},
    {"slower_kernels", "the same kernels take longer, or less time"},
    {"kernel_mix", "the device runs other kernels"},
    {"workload", "the amount of work in a cycle changed"},
    {"communication_wait", "collectives wait longer"},
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

// What belongs to both numbers: "x 0.85", "on average".
std::vector<std::string> remarks_on(const Change::Typical& shown) {
  std::vector<std::string> remarks;
  const double ratio = shown.normal == 0 ? 0 : shown.abnormal / shown.normal;
  if (std::isfinite(ratio) && ratio > 0) remarks.push_back(fmt::format("x {:.2f}", ratio));
  if (shown.is_mean && shown.normal != shown.abnormal) remarks.emplace_back("on average");
  return remarks;
}

std::string in_brackets(const std::vector<std::string>& remarks) {
  return remarks.empty() ? "" : fmt::format(" ({})", fmt::join(remarks, "; "));
}

std::string signed_text(double ms) {
  return fmt::format("{}{}", ms > 0 ? "+" : "", number_text(ms));
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

Evidence evidence(const std::string& what, const MetricRow& metric, MetricTime time) {
  const Change& change = metric.tested(time);
  const ShownUnit unit = shown_unit(metric.info);
  const Change::Typical shown = change.typical();
  std::vector<std::string> remarks = remarks_on(shown);
  if (metric.shares_samples(time)) {
    remarks.push_back(fmt::format("{} and {} samples", change.normal.n, change.abnormal.n));
  }
  return {.text = fmt::format("{}: {} -> {} {}{}", what, number_text(unit.scale * shown.normal),
                              number_text(unit.scale * shown.abnormal), unit.unit,
                              in_brackets(remarks)),
          .function = {},
          .metric = metric.metric};
}

Evidence evidence(const std::string& what, const Change& change_ms) {
  const Change::Typical shown = change_ms.typical();
  return {.text = fmt::format("{}: {} -> {} ms per cycle{}", what, number_text(shown.normal),
                              number_text(shown.abnormal), in_brackets(remarks_on(shown))),
          .function = {},
          .metric = {}};
}

Evidence waiting_work(std::string_view why, const Change& wait_ms) {
  const Change::Typical shown = wait_ms.typical();
  return evidence(fmt::format(
      "{}: {} -> {} ms per cycle in which launched work waits and none of ours runs ({} ms)", why,
      number_text(shown.normal), number_text(shown.abnormal),
      signed_text(shown.is_mean ? wait_ms.core_difference() : wait_ms.shift.shift)));
}

Evidence evidence(std::string sentence) {
  return {.text = std::move(sentence), .function = {}, .metric = {}};
}

Evidence never_waits() { return evidence("the host waits for the device in neither run"); }

double explained_part(const Symptoms& symptoms, double change_ms) {
  if (symptoms.cycle_change_ms == 0 || std::isnan(change_ms)) return 0;
  return std::clamp(change_ms / symptoms.cycle_change_ms, 0.0, 1.0);
}

void add_equal_kernels(const Symptoms& symptoms, Cause& cause) {
  if (symptoms.devices.empty() || !kernels_are_equal(symptoms)) return;
  cause.evidence.push_back(evidence("the same kernels take as long as before"));
}

std::string idle_text(const IdleCause& cause) {
  using enum analysis::IdleKind;
  switch (cause.kind) {
    case kOverhead:
      return fmt::format("while the profiler itself is at work ({})", cause.name);
    case kRuntimeCall:
      return fmt::format("while the host is in {}{}", cause.name,
                         cause.inside.empty() ? "" : fmt::format(", inside {}", cause.inside));
    case kDataLoading:
      return fmt::format("while the host loads data in {}", cause.name);
    case kOperator:
    case kRange:
    case kScript:
      return fmt::format("while the host is in {}", cause.name);
    case kNothing:
      return "while nothing is recorded on the host";
    case kLaunched:
      return "although the next work was launched already";
  }
  return "";
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
       {kHostSlow, kLaunchBound, kInputPipeline, kDiskIo, kPcie, kHostBlocks},
       "waiting for a core has the same effect"},
      {kWorkload,
       {kKernelMix, kHostSlow, kLaunchBound, kPcie, kMemoryPressure, kSynchronisation, kHostBlocks,
        kSlowerKernels},
       "a changed amount of work has the same effect"},
      {kInputPipeline, {kLaunchBound, kHostSlow, kHostBlocks}, "the input has the same effect"},
      {kDiskIo,
       {kLaunchBound, kHostSlow, kInputPipeline, kHostBlocks},
       "reading files has the same effect"},
      {kMemoryPressure,
       {kLaunchBound, kHostSlow, kSynchronisation, kHostBlocks},
       "allocating has the same effect"},
      {kSynchronisation,
       {kLaunchBound, kHostSlow, kHostBlocks},
       "waiting for the device has the same effect"},
      {kPcie, {kHostBlocks}, "copies have the same effect"},
      {kClockDrop, {kSlowerKernels}, "the clock has the same effect"},
      {kMemoryBandwidth, {kSlowerKernels}, "the memory clock has the same effect"},
      {kOtherTenant, {kSlowerKernels}, "sharing the device has the same effect"},
      {kLaunchBound, {kHostSlow, kHostBlocks}, "code between operators has the same effect"},
      {kMeasurement,
       {kLaunchBound, kHostSlow, kHostBlocks},
       "the profiler's own work has the same effect"},
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

// Where the host waits is a place, and slower kernels are an effect: any rule that has found a
// reason comes before them.
bool is_reason(const Cause& cause) {
  return cause.kind != CauseKind::kHostBlocks && cause.kind != CauseKind::kSlowerKernels;
}

// The profiler has more to do when the device is slow: that it has is no reason beside one that was
// seen.
void put_measurement_last(std::vector<Cause>& causes) {
  const auto is_measurement = [](const Cause& cause) {
    return cause.kind == CauseKind::kMeasurement;
  };
  const bool was_seen = std::ranges::any_of(causes, [&](const Cause& cause) {
    return cause.is_fact && cause.score >= kConfidentScore && !is_measurement(cause);
  });
  if (!was_seen) return;
  for (Cause& cause : causes) {
    if (is_measurement(cause)) cause.score = std::min(cause.score, kListedScore);
  }
}

void put_places_last(std::vector<Cause>& causes) {
  const bool has_reason = std::ranges::any_of(
      causes, [](const Cause& cause) { return is_reason(cause) && cause.score >= kListedScore; });
  if (!has_reason) return;
  for (Cause& cause : causes) {
    if (!is_reason(cause)) cause.score = std::min(cause.score, kListedScore);
  }
  std::stable_partition(causes.begin(), causes.end(), is_reason);
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

// The idle time of a device that explains most of the cycle's change; null if none explains half.
const DeviceSymptoms* explaining_idle(std::span<const Symptoms> ranks) {
  constexpr double kMost = 0.5;
  const DeviceSymptoms* most = nullptr;
  for (const Symptoms& symptoms : ranks) {
    for (const DeviceSymptoms& device : symptoms.devices) {
      const Change& idle = device.row->idle_ms;
      if (!is_real(idle) || explained_part(symptoms, idle.core_difference()) < kMost) continue;
      const bool is_larger = most == nullptr || std::abs(idle.core_difference()) >
                                                    std::abs(most->row->idle_ms.core_difference());
      if (is_larger) most = &device;
    }
  }
  return most;
}

// Of the idle time that one cause has, the largest change in the direction of the device's.
const IdleCauseRow* largest_idle_change(const Comparison& comparison, const DeviceRow& device) {
  const IdleCauseRow* most = nullptr;
  for (const IdleCauseRow& row : comparison.idle) {
    if (row.rank != device.rank || !is_real(row.ms)) continue;
    if (row.ms.rises() != device.idle_ms.rises()) continue;
    const bool is_larger = most == nullptr || std::abs(row.ms.core_difference()) >
                                                  std::abs(most->ms.core_difference());
    if (is_larger) most = &row;
  }
  return most;
}

Cause unattributed(const Comparison& comparison, std::span<const Symptoms> ranks) {
  const CycleRow& cycle = comparison.cycles.front();
  const DeviceSymptoms* idle = explaining_idle(ranks);
  Cause cause = {.kind = CauseKind::kUnattributed,
                 .score = kListedScore,
                 .headline = fmt::format("the cycle became {}, and no recorded data explains why",
                                         cycle.is_slower() ? "slower" : "faster"),
                 .evidence = {evidence("cycle", cycle.ms)},
                 .against = {},
                 .advice =
                     "record metrics with the trace (clocks, use, run queue), or more normal runs "
                     "as baselines"};
  if (idle == nullptr) return cause;
  cause.headline = fmt::format("{} is idle for {}, and no recorded data explains why", idle->name(),
                               cycle.is_slower() ? "longer" : "less time");
  cause.evidence.push_back(evidence("device idle", idle->row->idle_ms));
  cause.explains_ms = idle->row->idle_ms.core_difference();
  if (const IdleCauseRow* row = largest_idle_change(comparison, *idle->row)) {
    cause.evidence.push_back(evidence(fmt::format("of that, {}", idle_text(row->cause)), row->ms));
  }
  return cause;
}

constexpr double kAgainstTheChange = 0.5;

// A cause that is known by what it adds to a cycle is no answer if it adds little. The others are
// known by a counter, by other ranks or by what the program does, and stay true if the cycle
// changed for a second reason too.
double weight_of_part(CauseKind kind, double part) {
  using enum CauseKind;
  const double least = kind == kKernelMix                                    ? 0.6
                       : contains({kSynchronisation, kMemoryPressure}, kind) ? 0.8
                                                                             : 1;
  return least + (1 - least) * std::min(1.0, part / kLittle);
}

// Says which part of the cycle's change a cause explains.
void weigh_by_part(const Symptoms& symptoms, Cause& cause) {
  if (std::isnan(cause.explains_ms) || !symptoms.is_beyond_noise()) return;
  const double part = explained_part(symptoms, cause.explains_ms);
  const std::string amount = fmt::format("{} of {} ms per cycle, {:.0f} % of the change",
                                         signed_text(part * symptoms.cycle_change_ms),
                                         signed_text(symptoms.cycle_change_ms), 100 * part);
  if (part >= kLittle) {
    cause.evidence.push_back(evidence("it explains " + amount));
    return;
  }
  cause.against.push_back(
      evidence(part > 0 ? "it explains only " + amount
                        : fmt::format("it does not explain why the cycle became {}",
                                      symptoms.cycle->is_slower() ? "slower" : "faster")));
  constexpr double kOpposes = -0.1;
  if (cause.explains_ms / symptoms.cycle_change_ms < kOpposes) {
    cause.score *= kAgainstTheChange;
    return;
  }
  // Equal runs differ as much: the rest of a small change needs no second cause.
  constexpr double kUsual = 0.2;
  const double rest_ms = (1 - part) * std::abs(symptoms.cycle_change_ms);
  const bool has_second_cause = rest_ms > kUsual * symptoms.cycle->ms.normal_core.mean;
  if (has_second_cause && !cause.is_other_program) {
    cause.score *= weight_of_part(cause.kind, part);
  }
}

bool cycle_changed(const Comparison& comparison) { return comparison.cycles.front().is_changed(); }

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
      const Change& ms = row.own_ms();
      device_ms += ms.normal_core.mean;
      const bool is_slower = row.verdict == Verdict::kChanged && is_real(ms);
      if (is_other || is_slower) changed_ms += std::abs(ms.core_difference());
    } else {
      on_host += 1;
      other_on_host += is_other ? 1 : 0;
    }
  }
  return (changed_ms > 0 && changed_ms > 0.02 * device_ms) || other_on_host > 0.1 * on_host;
}

// Rules of these kinds look at what other processes do, what counters say, and how often something
// is called; those of the others may.
bool is_known_by_facts(CauseKind kind) {
  using enum CauseKind;
  return contains({kOtherTenant, kHostContention, kClockDrop, kMemoryBandwidth, kSynchronisation,
                   kMemoryPressure, kKernelMix, kWorkload, kDiskIo, kFabric},
                  kind);
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
    for (const auto rules : {device_cause_rules(), link_cause_rules(), host_cause_rules(),
                             work_cause_rules(), improvement_cause_rules()}) {
      for (const CauseRule rule : rules) {
        const std::size_t before = causes.size();
        rule(symptoms, causes);
        for (Cause& cause : std::span(causes).subspan(before)) {
          cause.ranks = {symptoms.rank};
          cause.is_fact |= is_known_by_facts(cause.kind);
          weigh_by_part(symptoms, cause);
        }
      }
    }
  }
  weaken_consequences(causes);
  put_places_last(causes);
  put_measurement_last(causes);
  std::erase_if(causes, [](const Cause& cause) { return cause.score < kListedScore; });
  for (Cause& cause : causes) cause.score = std::min(cause.score, 1.0);
  std::ranges::stable_sort(causes, std::ranges::greater{}, &Cause::score);
  join_ranks(causes);
  const bool explains = std::ranges::any_of(
      causes, [](const Cause& cause) { return cause.kind != CauseKind::kMeasurement; });
  if (!explains && cycle_changed(comparison)) {
    causes.insert(causes.begin(), unattributed(comparison, ranks));
    weigh_by_part(ranks.front(), causes.front());
  }
  return causes;
}

namespace {

// What a fact adds to a cycle is added, whatever else changed: that a slower host adds more makes
// the fact explain less, and makes its score low, but does not take it back.
bool adds_to_cycle(const CycleRow& cycle, const Cause& cause) {
  constexpr double kLikelyScore = 0.6;
  constexpr double kRealPart = 0.05;
  return cause.score >= kLikelyScore && cause.explains_ms / cycle.shown().shift > 0 &&
         std::abs(cause.explains_ms) >= kRealPart * cycle.ms.normal_core.mean;
}

// A recorded reason that adds a real part of a cycle, or explains a real part of the change, or all
// that can be told of it.
bool is_reason_for_change(const Comparison& comparison, const Cause& cause) {
  if (!cause.is_fact || cause.kind == CauseKind::kMeasurement) return false;
  const CycleRow& cycle = comparison.cycles.front();
  if (adds_to_cycle(cycle, cause)) return true;
  if (cause.score < kConfidentScore) return false;
  const double part = cause.explains_ms / cycle.shown().shift;
  return std::isnan(part) ? cause.improves != cycle.rises() : part >= kLittle;
}

}  // namespace

Answer answer_of(const Comparison& comparison) {
  if (comparison.cycles.empty() || comparison.cycles.front().ms.too_few) return Answer::kCannotTell;
  const CycleRow& cycle = comparison.cycles.front();
  if (cycle.is_changed()) {
    const bool has_reason = std::ranges::any_of(comparison.causes, [&](const Cause& cause) {
      return is_reason_for_change(comparison, cause);
    });
    if (comparison.noise.covers(cycle) && !has_reason) return Answer::kUnclear;
    return cycle.is_slower() ? Answer::kSlower : Answer::kFaster;
  }
  if (cycle.differs_much()) return Answer::kUnclear;
  const bool device_changed = std::ranges::any_of(comparison.devices, [](const DeviceRow& device) {
    return device.outlasts_cycles && is_real(device.launched_ms) &&
           std::abs(device.launched_ms.core_ratio() - 1) >= 0.02;
  });
  if (device_changed) return Answer::kShifted;
  const bool has_cause = std::ranges::any_of(comparison.causes, [](const Cause& cause) {
    return cause.is_fact && cause.score >= kConfidentScore && cause.kind != CauseKind::kMeasurement;
  });
  return has_cause || functions_changed(comparison) ? Answer::kShifted : Answer::kNoChange;
}

namespace {

// What is known by times alone explains only a change that is more than noise.
void keep_what_is_known(Comparison& comparison) {
  const Answer answer = comparison.answer;
  if (answer == Answer::kSlower || answer == Answer::kFaster || answer == Answer::kCannotTell) {
    return;
  }
  const CycleRow& cycle = comparison.cycles.front();
  const bool differs = cycle.is_changed() || cycle.differs_much();
  std::erase_if(comparison.causes, [&](const Cause& cause) {
    return !cause.is_fact && !(differs && cause.kind == CauseKind::kMeasurement);
  });
}

}  // namespace

void judge(Comparison& comparison) {
  comparison.causes = find_causes(comparison);
  comparison.answer = answer_of(comparison);
  keep_what_is_known(comparison);
}

}  // namespace strobe::compare

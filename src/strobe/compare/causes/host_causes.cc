#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/compare/causes/call_causes.h"
#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/causes/core_causes.h"
#include "strobe/compare/causes/direct_evidence.h"
#include "strobe/compare/causes/late_host.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/device/vendor_names.h"

namespace strobe::compare {
namespace {

using device::MetricRole;

double slower_host(const Symptoms& symptoms) {
  const RunNoise& noise = symptoms.comparison->noise;
  const double operators = symptoms.host.operator_slowdowns.median();
  return std::max({1.0, operators, noise.is_speed_known ? noise.host_speed : 1.0});
}

// If the whole host is slower, every function is: the part of a change that remains after that
// factor is removed.
double own_difference_ms(const Symptoms& symptoms, const Change& change) {
  return change.abnormal_core.mean - slower_host(symptoms) * change.normal_core.mean;
}

// What a host that is slower in everything adds to the cycle, at most: another run of the same
// program may have such a host.
double added_by_speed_ms(const Symptoms& symptoms) {
  const double cycle_ms = symptoms.cycle->ms.normal_core.mean;
  const double added_ms = cycle_ms * std::expm1(symptoms.comparison->noise.speed_change);
  return std::clamp(added_ms, 0.0, std::max(0.0, symptoms.cycle_change_ms));
}

// Pages of the program that were not in memory: it stands still while they are read.
void find_paging(const Symptoms& symptoms, std::vector<Cause>& causes) {
  constexpr double kEnough = 20;  // per second: at a millisecond each, two percent of the time
  const MetricRow* faults = symptoms.metric(MetricRole::kMajorFaults, kHostDevice);
  if (faults == nullptr || !rose(faults->all, 2) || faults->all.core_difference() < kEnough) return;
  Cause cause = {
      .kind = CauseKind::kDiskIo,
      .score = 0.5,
      .headline = fmt::format("the program's memory is read from the disk{}", symptoms.place()),
      .evidence = {evidence("pages per second that had to be read from a disk", *faults,
                            MetricTime::kCycle)},
      .against = {},
      .advice =
          "see what fills the host's memory (free, vmstat, the container's limit): the program "
          "needs it, and so do the files it has mapped"};
  for (const auto& [role, what] : {std::pair(MetricRole::kMemoryPressure, "memory"),
                                   std::pair(MetricRole::kIoPressure, "a disk")}) {
    const LostTime pressure = lost_time(symptoms, role);
    if (!pressure.grew) continue;
    cause.evidence.push_back(
        evidence(fmt::format("a thread of the machine waits for {}: {:.1f} -> {:.1f} % of the time",
                             what, 100 * pressure.normal, 100 * pressure.abnormal)));
    cause.score += 0.1;
  }
  if (!add_late_host(symptoms, cause)) return;
  cause.score += 0.2;
  causes.push_back(std::move(cause));
}

void find_slow_host(const Symptoms& symptoms, std::vector<Cause>& causes) {
  if (queueing(symptoms).grew) return;
  const MetricRow* clock = symptoms.metric(MetricRole::kCpuClock, kHostDevice);
  // A clock that falls below a tenth was sampled in another unit.
  const bool clock_fell =
      clock != nullptr && fell(clock->all, 0.95) && clock->all.core_ratio() > 0.1;
  const double slowed = symptoms.host.operator_slowdowns.share_between(1.05, 1e9);
  const bool all_slower = slowed > 0.7 && symptoms.is_slower() && kernels_are_equal(symptoms) &&
                          host_takes_longer(symptoms);
  if (!clock_fell && !all_slower) return;
  Cause cause = {
      .kind = CauseKind::kHostSlow,
      .score = clock_fell ? 0.65 + 0.3 * std::min(1.0, slowed / 0.5) : 0.6,
      .headline = clock_fell
                      ? fmt::format("the host's cores run at a lower clock{}", symptoms.place())
                      : fmt::format("everything takes longer on the host{}", symptoms.place()),
      .evidence = {},
      .against = {},
      .advice =
          "check the CPU governor, the host's power and temperature, and whether the run used "
          "other "
          "cores or another socket; identical runs can differ as much: more normal runs as "
          "baselines "
          "measure it"};
  if (clock_fell) {
    constexpr double kUnusual = 0.8;  // clocks of equal runs differ by less than that
    cause.is_fact = fell(clock->all, kUnusual);
    cause.evidence.push_back(evidence("clock of the host's cores", *clock, MetricTime::kCycle));
  }
  if (slowed > 0) {
    cause.evidence.push_back(evidence(fmt::format(
        "{:.0f} % of the operators take longer on the host (typically x {:.2f}) with the same "
        "number of calls",
        100 * slowed, symptoms.host.operator_slowdowns.median())));
  }
  add_equal_kernels(symptoms, cause);
  const Change* delay = host_delay(symptoms);
  if (delay != nullptr) {
    const bool is_known = symptoms.comparison->noise.is_speed_known;
    cause.explains_ms = is_known ? std::min(delay->core_difference(), added_by_speed_ms(symptoms))
                                 : delay->core_difference();
  }
  if (delay != nullptr && cycle_is_host_time(symptoms)) {
    cause.evidence.push_back(evidence("host time in operators and calls", *delay));
    cause.evidence.push_back(never_waits());
  }
  causes.push_back(std::move(cause));
}

// What the host was in while the device waited longer, by name: the largest first. Calls are left
// out: this is about the time between them.
std::vector<const IdleCauseRow*> grown_ranges(const Symptoms& symptoms) {
  std::vector<const IdleCauseRow*> rows;
  for (const IdleCauseRow* row : symptoms.idle) {
    using enum analysis::IdleKind;
    const bool is_named = row->cause.kind == kRange || row->cause.kind == kScript;
    if (is_named && rose(row->ms, 1.1)) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const IdleCauseRow* row) { return row->ms.core_difference(); });
  return rows;
}

std::string names_of_largest(std::span<const IdleCauseRow* const> rows) {
  constexpr std::size_t kNames = 3;
  std::vector<std::string_view> names;
  for (const IdleCauseRow* row : rows.first(std::min(kNames, rows.size()))) {
    names.push_back(row->cause.name);
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (rows.size() > kNames) text += fmt::format(" and {} more", rows.size() - kNames);
  return text;
}

// Names the ranges and frames that the time is in, if the traces have them.
void name_host_code(const Symptoms& symptoms, Cause& cause) {
  constexpr double kRealPart = 0.2;
  const std::vector<const IdleCauseRow*> ranges = grown_ranges(symptoms);
  const Change ms = ranges.empty() ? Change() : total_ms(ranges);
  if (!ranges.empty() && explained_share(symptoms, ms) >= kRealPart) {
    cause.evidence.push_back(
        evidence(fmt::format("device idle while the host is in {}", names_of_largest(ranges)), ms));
    cause.advice = fmt::format(
        "look at {} in the timeline: the time is spent in its own code, or sleeping or waiting "
        "there",
        ranges.front()->cause.name);
  }
  if (!symptoms.has_frames) return;
  cause.advice += "; the frames of the script are recorded: sort them by their own time";
}

bool is_called_more(const Symptoms& symptoms, std::string_view operator_name) {
  const auto& operators = symptoms.host.operators;
  const auto row = std::ranges::find_if(
      operators, [&](const FunctionRow* one) { return one->key.name == operator_name; });
  return row != operators.end() && (*row)->calls_abnormal > 1.2 * (*row)->calls_normal + 1;
}

// Idle time of the devices while the host does work of its own that it did not do before: operators
// that are called more often, and the code around them.
std::vector<const IdleCauseRow*> added_host_work(const Symptoms& symptoms) {
  std::vector<const IdleCauseRow*> rows;
  for (const IdleCauseRow* row : symptoms.idle) {
    using enum analysis::IdleKind;
    const bool is_added = row->cause.kind == kOperator
                              ? is_called_more(symptoms, row->cause.name)
                              : row->cause.kind == kNothing || row->cause.kind == kRange ||
                                    row->cause.kind == kScript;
    if (is_added && row->ms.rises()) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const IdleCauseRow* row) { return row->ms.core_difference(); });
  return rows;
}

// The kernels are the same, and the device waits while the host computes by itself: preprocessing
// in operators, for example.
void find_host_work(const Symptoms& symptoms, std::vector<Cause>& causes) {
  constexpr double kMost = 0.5;
  if (queueing(symptoms).grew || !symptoms.is_slower() || symptoms.devices.empty()) return;
  if (!kernels_are_no_reason(symptoms)) return;
  const std::vector<const IdleCauseRow*> rows = added_host_work(symptoms);
  std::vector<const IdleCauseRow*> operators = rows;
  std::erase_if(operators, [](const IdleCauseRow* row) {
    return row->cause.kind != analysis::IdleKind::kOperator;
  });
  if (operators.empty()) return;
  const Change ms = total_ms(rows);
  const double share = explained_share(symptoms, ms);
  if (share < kMost || !rose(ms, 1.1)) return;
  Cause cause = {
      .kind = CauseKind::kLaunchBound,
      .score = 0.55 + 0.3 * share,
      .headline = fmt::format("the host does more work of its own ({}), and the device waits{}",
                              names_of_largest(operators), symptoms.place()),
      .evidence = {evidence("device idle while the host is in such operators and between them",
                            ms)},
      .against = {},
      .advice =
          "these operators compute on the host: prepare the data beside the loop (workers of "
          "the data loader), or on the device",
      .explains_ms = ms.core_difference(),
      .is_fact = true};
  add_equal_kernels(symptoms, cause);
  causes.push_back(std::move(cause));
}

// By how much longer the host waits for other ranks. Libraries do that on threads of their own,
// while the script's thread is in no operator.
double longer_exchange_ms(const Symptoms& symptoms) {
  std::vector<const FunctionRow*> exchanges;
  for (const FunctionRow* row : symptoms.host.operators) {
    if (device::is_host_exchange(row->key.name)) exchanges.push_back(row);
  }
  return exchanges.empty() ? 0 : std::max(0.0, total_ms(exchanges).core_difference());
}

// Beside the host's speed, the time outside of operators and calls differs little between equal
// runs: by 9 % (standard deviation of 364 pairs), and by a factor of 1.32 at most.
bool is_new_code(const Symptoms& symptoms, const DeviceRow& host) {
  constexpr double kNewCode = 1.4;
  const RunNoise& noise = symptoms.comparison->noise;
  return noise.is_speed_known && host.idle_ms.core_ratio() > kNewCode * noise.host_speed;
}

void find_host_code(const Symptoms& symptoms, std::vector<Cause>& causes) {
  if (queueing(symptoms).grew || !symptoms.is_slower()) return;
  if (!(symptoms.cycle_change_ms > 0)) return;
  const DeviceRow* host = host_row(symptoms);
  if (host == nullptr || !rose(host->idle_ms, 1.1) || !kernels_are_no_reason(symptoms)) return;
  const bool has_device = !symptoms.devices.empty();
  const bool is_host_time = !has_device || cycle_is_host_time(symptoms);
  const Change& gap = is_host_time ? host->idle_ms : *longest_gap(symptoms);
  if (explained_share(symptoms, gap) < 0.7) return;
  const double slowed = symptoms.host.operator_slowdowns.share_between(1.05, 1e9);
  const double added_ms = own_difference_ms(symptoms, host->idle_ms) - longer_exchange_ms(symptoms);
  // The rest is how much faster or slower the host was: at most what its speed explains, and
  // nothing that new code explains.
  const bool is_new = is_new_code(symptoms, *host);
  const double by_speed_ms = is_new ? std::min(added_by_speed_ms(symptoms),
                                               std::max(0.0, symptoms.cycle_change_ms - added_ms))
                                    : added_by_speed_ms(symptoms);
  const double beside_speed_ms = symptoms.cycle_change_ms - by_speed_ms;
  if (std::min(beside_speed_ms, added_ms) < kLittle * symptoms.cycle_change_ms) return;
  const double outside = std::clamp(added_ms / beside_speed_ms, 0.0, 1.0);
  if (outside < 0.6) return;
  Cause cause = {
      .kind = CauseKind::kLaunchBound,
      .score = 0.55 + 0.3 * outside,
      .headline = fmt::format("the host spends longer between operators{}{}",
                              is_host_time ? "" : ", and the device waits", symptoms.place()),
      .evidence = {evidence("host time outside of every operator and call", host->idle_ms)},
      .against = {},
      .advice = symptoms.has_frames
                    ? "the time is spent in the script's own code, or sleeping or waiting there"
                    : "profile the script itself (with_stack=True, py-spy): the time is spent in "
                      "its own code, or sleeping or waiting there"};
  if (!is_host_time) {
    add_idle_evidence(symptoms, cause);
  } else if (has_device) {
    cause.evidence.push_back(never_waits());
  }
  name_host_code(symptoms, cause);
  cause.explains_ms = std::min(gap.core_difference(), added_ms);
  add_equal_kernels(symptoms, cause);
  if (slowed > 0.5) {
    cause.against.push_back(evidence("operators take longer as well"));
    if (added_ms < 0.6 * symptoms.cycle_change_ms) cause.score -= 0.05;
  }
  cause.is_fact = is_new;
  causes.push_back(std::move(cause));
}

void add_disk_pressure(const Symptoms& symptoms, Cause& cause) {
  const LostTime pressure = lost_time(symptoms, MetricRole::kIoPressure);
  if (!pressure.is_known) return;
  const std::string shares =
      fmt::format("{:.1f} -> {:.1f} % of the time", 100 * pressure.normal, 100 * pressure.abnormal);
  if (pressure.grew) {
    cause.evidence.push_back(evidence("a thread of the machine waits for a disk: " + shares));
    cause.score += 0.1;
  } else {
    cause.against.push_back(
        evidence("no thread of the machine waits longer for a disk: " + shares));
    cause.score -= 0.1;
  }
}

void find_slow_input(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const HostSymptoms& host = symptoms.host;
  const MetricRow* disk = symptoms.metric(MetricRole::kDisk, kHostDevice);
  const bool disk_moved = disk != nullptr && (rose(disk->all, 1.2) || fell(disk->all, 0.8));
  const bool reads_longer =
      rose(host.disk_ms, 1.2) &&
      host.disk_ms.core_difference() > 0.02 * symptoms.cycle->ms.normal_core.mean;
  const double input_share = explained_share(symptoms, host.input_ms);
  const bool loads_longer =
      rose(host.input_ms, 1.3) && input_share > 0.3 &&
      own_difference_ms(symptoms, host.input_ms) > 0.01 * symptoms.cycle->ms.normal_core.mean;
  if (!reads_longer && !loads_longer) return;
  const bool is_disk = reads_longer;
  Cause cause = {.kind = is_disk ? CauseKind::kDiskIo : CauseKind::kInputPipeline,
                 .score = 0.6,
                 .headline = is_disk ? fmt::format("reading and writing files takes longer{}",
                                                   symptoms.place())
                                     : fmt::format("input data arrives later{}", symptoms.place()),
                 .evidence = {},
                 .against = {},
                 .advice = is_disk ? "check the disk or network file system, and what else "
                                     "uses it (iostat, nfsstat)"
                                   : "check the data loader: its workers, its storage and its "
                                     "decoding"};
  if (loads_longer) {
    cause.evidence.push_back(evidence("loading the input", host.input_ms));
    cause.explains_ms = host.input_ms.core_difference();
    cause.score += 0.3 * input_share;
  }
  if (reads_longer) {
    cause.evidence.push_back(evidence("reads and writes", host.disk_ms));
    cause.explains_ms = host.disk_ms.core_difference();
    cause.score += 0.1 + 0.15 * explained_share(symptoms, host.disk_ms);
  }
  if (disk_moved) {
    cause.evidence.push_back(evidence("disk use", *disk, MetricTime::kCycle));
    cause.score += 0.1;
  }
  if (is_disk) add_disk_pressure(symptoms, cause);
  const MetricRow* on_cpu = symptoms.metric(MetricRole::kOnCpu, kHostDevice);
  if (loads_longer && on_cpu != nullptr && fell(on_cpu->all, 0.9)) {
    cause.evidence.push_back(evidence("the process waits instead of computing: time on a core",
                                      *on_cpu, MetricTime::kCycle));
  }
  cause.score = std::min(cause.score, 0.95);
  causes.push_back(std::move(cause));
}

constexpr std::array<CauseRule, 11> kHostRules = {
    find_host_contention, find_quota,           find_host_work,       find_slow_host,
    find_host_code,       find_synchronisation, find_memory_pressure, find_slow_input,
    find_paging,          find_more_launches,   find_host_blocks};

}  // namespace

std::span<const CauseRule> host_cause_rules() { return kHostRules; }

}  // namespace strobe::compare

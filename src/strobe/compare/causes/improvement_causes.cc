#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/causes/device_users.h"
#include "strobe/compare/causes/direct_evidence.h"
#include "strobe/compare/measure/function_index.h"
#include "strobe/device/vendor_names.h"

// The rules of a run that became faster. They need the same evidence as those of a slower run, in
// the other direction; a cause keeps its word, its headline says that something got better.
namespace strobe::compare {
namespace {

using device::MetricRole;

// The share of the saved time that `change` alone would explain.
double saved_share(const Symptoms& symptoms, const Change& change) {
  if (!(symptoms.cycle_change_ms < 0)) return 0;
  return std::clamp(change.core_difference() / symptoms.cycle_change_ms, 0.0, 1.0);
}

// If the whole host is faster, every function is: the milliseconds that a change saved beyond that.
double own_saving_ms(const Symptoms& symptoms, const Change& change) {
  const double faster = std::min(1.0, symptoms.host.operator_slowdowns.median());
  return faster * change.normal_core.mean - change.abnormal_core.mean;
}

Cause improvement(CauseKind kind, double score, std::string headline, std::string advice) {
  Cause cause;
  cause.kind = kind;
  cause.score = score;
  cause.headline = std::move(headline);
  cause.advice = std::move(advice);
  cause.improves = true;
  return cause;
}

// Idle milliseconds per cycle of the device whose idle time fell most; null without devices.
const Change* shortest_gap(const Symptoms& symptoms) {
  const Change* gap = nullptr;
  for (const DeviceSymptoms& device : symptoms.devices) {
    const Change& idle = device.row->idle_ms;
    if (gap == nullptr || idle.core_difference() < gap->core_difference()) gap = &idle;
  }
  return gap;
}

bool gaps_shrank(const Symptoms& symptoms) {
  const Change* gap = shortest_gap(symptoms);
  return gap == nullptr ? symptoms.is_faster() : fell(*gap, 1 / 1.03);
}

void add_shorter_idle(const Symptoms& symptoms, Cause& cause) {
  if (const Change* gap = shortest_gap(symptoms)) {
    cause.evidence.push_back(evidence("device idle", *gap));
  }
}

// Where a quicker host shows: the device waits less for it. If it never waits for the device, the
// cycle is its own time, and it spends less of that in operators and calls.
struct HostSaving {
  const Change* ms = nullptr;  // null if it cannot be told
  std::string_view what;
};

HostSaving host_saving(const Symptoms& symptoms) {
  if (!cycle_is_host_time(symptoms)) return {shortest_gap(symptoms), "device idle"};
  const DeviceRow* host = host_row(symptoms);
  return {host == nullptr ? nullptr : &host->busy_ms, "host time in operators and calls"};
}

bool host_saves(const Symptoms& symptoms) {
  const HostSaving saving = host_saving(symptoms);
  return saving.ms == nullptr ? gaps_shrank(symptoms) : fell(*saving.ms, 1 / 1.03);
}

void find_quicker_input(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const Change& input_ms = symptoms.host.input_ms;
  const Change& disk_ms = symptoms.host.disk_ms;
  const double cycle_ms = symptoms.cycle->ms.normal_core.mean;
  const double share = saved_share(symptoms, input_ms);
  const bool loads_less =
      fell(input_ms, 1 / 1.3) && share > 0.3 && own_saving_ms(symptoms, input_ms) > 0.01 * cycle_ms;
  const bool reads_less = fell(disk_ms, 1 / 1.2) && -disk_ms.core_difference() > 0.02 * cycle_ms;
  if (!loads_less && !reads_less) return;
  Cause cause =
      reads_less
          ? improvement(
                CauseKind::kDiskIo, 0.6,
                fmt::format("reading and writing files takes less time{}", symptoms.place()),
                "the disk or file system was slower in the normal run")
          : improvement(CauseKind::kInputPipeline, 0.6,
                        fmt::format("loading the input takes less time{}", symptoms.place()),
                        "the data loader was the limit of the normal run: its workers, its storage "
                        "or its decoding");
  if (loads_less) {
    cause.evidence.push_back(evidence("loading the input", input_ms));
    cause.explains_ms = input_ms.core_difference();
    cause.score += 0.3 * share;
  }
  if (reads_less) {
    cause.evidence.push_back(evidence("reads and writes", disk_ms));
    cause.explains_ms = disk_ms.core_difference();
    cause.score += 0.1 + 0.15 * saved_share(symptoms, disk_ms);
  }
  cause.score = std::min(cause.score, 0.95);
  causes.push_back(std::move(cause));
}

void find_fewer_synchronizations(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const HostSymptoms& host = symptoms.host;
  const double expected = host.synchronizations_normal * symptoms.common_calls_factor;
  const double removed = expected - host.synchronizations_abnormal;
  if (removed < 1 || expected < 1.2 * host.synchronizations_abnormal) return;
  Cause cause = improvement(
      CauseKind::kSynchronisation, 0.7,
      fmt::format("the host waits for the device less often{}", symptoms.place()),
      "the normal run waited in its loop: .item(), .cpu(), print or an explicit synchronize");
  cause.evidence.push_back(evidence(fmt::format("waits for the device: {} -> {} per cycle",
                                                number_text(host.synchronizations_normal),
                                                number_text(host.synchronizations_abnormal))));
  if (fell(host.synchronize_ms, 1 / 1.1)) {
    cause.evidence.push_back(evidence("waiting in those calls", host.synchronize_ms));
    cause.score += 0.1;
  }
  if (gaps_shrank(symptoms)) {
    add_shorter_idle(symptoms, cause);
    cause.score += 0.05;
  } else {
    cause.against.push_back(evidence("the device waits for the host as long as before"));
  }
  const Change* gap = shortest_gap(symptoms);
  cause.explains_ms =
      std::min(host.synchronize_ms.core_difference(), gap == nullptr ? 0 : gap->core_difference());
  causes.push_back(std::move(cause));
}

void find_fewer_allocations(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const HostSymptoms& host = symptoms.host;
  const double expected = host.allocations_normal * symptoms.common_calls_factor;
  const double removed = expected - host.allocations_abnormal;
  if (removed < 2 || expected < 1.5 * host.allocations_abnormal) return;
  Cause cause = improvement(
      CauseKind::kMemoryPressure, 0.7 + 0.2 * saved_share(symptoms, host.allocate_ms),
      fmt::format("device memory is allocated and freed less often{}", symptoms.place()),
      "the normal run allocated in its loop: empty_cache(), changing shapes, or an allocator "
      "without a cache");
  cause.evidence.push_back(evidence(
      fmt::format("calls that allocate or free device memory: {} -> {} per cycle",
                  number_text(host.allocations_normal), number_text(host.allocations_abnormal))));
  cause.evidence.push_back(evidence("time in them", host.allocate_ms));
  cause.explains_ms = host.allocate_ms.core_difference();
  causes.push_back(std::move(cause));
}

void find_less_host_code(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const DeviceRow* host = host_row(symptoms);
  if (host == nullptr || queueing(symptoms).shrank) return;
  if (!fell(host->idle_ms, 1 / 1.1) || !kernels_are_no_reason(symptoms)) return;
  const Change* gap = cycle_is_host_time(symptoms) ? &host->idle_ms : shortest_gap(symptoms);
  if (gap == nullptr || saved_share(symptoms, *gap) < 0.7) return;
  const double outside =
      std::clamp(own_saving_ms(symptoms, host->idle_ms) / -symptoms.cycle_change_ms, 0.0, 1.0);
  if (outside < 0.6) return;
  Cause cause =
      improvement(CauseKind::kLaunchBound, 0.55 + 0.25 * outside,
                  fmt::format("the host spends less time between operators{}", symptoms.place()),
                  "the script's own code, or what it waited for there, was the limit of the normal "
                  "run");
  cause.evidence = {evidence("host time outside of every operator and call", host->idle_ms)};
  if (gap == &host->idle_ms) {
    cause.evidence.push_back(never_waits());
  } else {
    cause.evidence.push_back(evidence("device idle", *gap));
  }
  add_equal_kernels(symptoms, cause);
  cause.explains_ms = gap->core_difference();
  causes.push_back(std::move(cause));
}

// The work of a cycle is launched by fewer calls: by a graph, or by fused operators.
void find_fewer_launches(const Symptoms& symptoms, std::vector<Cause>& causes) {
  constexpr double kMost = 0.5;
  const HostSymptoms& host = symptoms.host;
  const double expected = host.launches_normal * symptoms.common_calls_factor;
  const HostSaving saving = host_saving(symptoms);
  if (saving.ms == nullptr || !fell(*saving.ms, 1 / 1.1) || host.launches_abnormal <= 0) return;
  if (expected - host.launches_abnormal < 10 || expected < 1.5 * host.launches_abnormal) return;
  const double share = saved_share(symptoms, *saving.ms);
  if (share < kMost) return;
  Cause cause =
      improvement(CauseKind::kLaunchBound, 0.55 + 0.3 * share,
                  fmt::format("fewer calls launch the work of a cycle ({:.4g} -> {:.4g}), and {}{}",
                              host.launches_normal, host.launches_abnormal,
                              cycle_is_host_time(symptoms) ? "the host needs less time for them"
                                                           : "the device waits less",
                              symptoms.place()),
                  "launching was the limit of the normal run");
  cause.evidence.push_back(evidence(std::string(saving.what), *saving.ms));
  cause.explains_ms = saving.ms->core_difference();
  causes.push_back(std::move(cause));
}

void find_faster_host(const Symptoms& symptoms, std::vector<Cause>& causes) {
  if (queueing(symptoms).shrank) return;
  const MetricRow* clock = symptoms.metric(MetricRole::kCpuClock, kHostDevice);
  // A clock that rises above ten times was sampled in another unit.
  const bool clock_rose =
      clock != nullptr && rose(clock->all, 1 / 0.95) && clock->all.core_ratio() < 10;
  const double quicker = symptoms.host.operator_slowdowns.share_between(0, 1 / 1.05);
  const bool all_quicker = quicker > 0.7 && kernels_are_equal(symptoms) && host_saves(symptoms);
  if (!clock_rose && !all_quicker) return;
  Cause cause = improvement(
      CauseKind::kHostSlow, clock_rose ? 0.65 + 0.3 * std::min(1.0, quicker / 0.5) : 0.6,
      clock_rose ? fmt::format("the host's cores run at a higher clock{}", symptoms.place())
                 : fmt::format("everything takes less time on the host{}", symptoms.place()),
      "identical runs can differ as much: more normal runs as baselines measure it");
  if (clock_rose) {
    cause.evidence.push_back(evidence("clock of the host's cores", *clock, MetricTime::kCycle));
  }
  if (quicker > 0) {
    cause.evidence.push_back(evidence(fmt::format(
        "{:.0f} % of the operators take less time on the host (typically x {:.2f}) with the same "
        "number of calls",
        100 * quicker, symptoms.host.operator_slowdowns.median())));
  }
  const HostSaving saving = host_saving(symptoms);
  if (saving.ms != nullptr) cause.explains_ms = saving.ms->core_difference();
  if (saving.ms != nullptr && cycle_is_host_time(symptoms)) {
    cause.evidence.push_back(evidence(std::string(saving.what), *saving.ms));
    cause.evidence.push_back(never_waits());
  }
  causes.push_back(std::move(cause));
}

void find_less_contention(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const Queueing queue = queueing(symptoms);
  if (!queue.shrank) return;
  const double share = queue.normal_share - queue.abnormal_share;
  Cause cause =
      improvement(CauseKind::kHostContention, 0.6 + 0.1 * std::min(1.0, share / 0.2),
                  fmt::format("the process waits less for the host's cores{}", symptoms.place()),
                  "other processes competed for the cores during the normal run");
  const Outsiders outsiders = outsiders_on_cores(symptoms);
  if (outsiders.left()) cause.evidence.push_back(use_by_outsiders(outsiders));
  cause.evidence.push_back(
      evidence(fmt::format("waiting for a core: {:.1f} -> {:.1f} % of the time",
                           100 * queue.shown_normal_share, 100 * queue.shown_abnormal_share)));
  if (cycle_is_host_time(symptoms)) {
    cause.evidence.push_back(never_waits());
    cause.score += 0.15;
  } else if (gaps_shrank(symptoms)) {
    add_shorter_idle(symptoms, cause);
    if (const Change* gap = shortest_gap(symptoms)) cause.explains_ms = gap->core_difference();
    cause.score += 0.15;
  } else {
    cause.against.push_back(evidence("the device waits for the host as long as before"));
    cause.score -= 0.2;
  }
  causes.push_back(std::move(cause));
}

void find_shorter_collectives(const Symptoms& symptoms, std::vector<Cause>& causes) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    const Change collective_ms = total_ms(device.collectives);
    const double share = saved_share(symptoms, collective_ms);
    if (!fell(collective_ms, 1 / 1.1) || share < 0.3) continue;
    if (!std::ranges::all_of(device.collectives,
                             [](const FunctionRow* row) { return calls_are_equal(*row); })) {
      continue;
    }
    Cause cause = improvement(
        CauseKind::kCommunicationWait, share > 0.5 ? 0.7 : 0.6,
        fmt::format("{} waits less in collectives{}", device.name(), symptoms.place()),
        "a rank was late in the normal run, or its links were slower: compare the ranks of that "
        "run with each other (strobe compare RUN)");
    cause.evidence = {evidence("collectives", collective_ms)};
    cause.explains_ms = collective_ms.core_difference();
    causes.push_back(std::move(cause));
  }
}

bool was_tenant_felt(const Symptoms& symptoms, const DeviceSymptoms& device) {
  return fell(device.kernel_ms, 1 / 1.03) || shorter_wait_of_work(symptoms) != nullptr;
}

// The evidence that another process used the device in the normal run only: seen in the list of its
// processes, or guessed from its counter and its effect. Nothing if none did.
std::vector<Evidence> evidence_of_tenant_gone(const Symptoms& symptoms,
                                              const DeviceSymptoms& device) {
  const Outsiders outsiders = outsiders_on(symptoms, device);
  if (outsiders.is_known) {
    if (!outsiders.left()) return {};
    return {use_by_outsiders(outsiders)};
  }
  const ForeignUse use = foreign_use(symptoms, device);
  const MetricRow* metric = symptoms.metric(MetricRole::kDeviceUse, device.name());
  if (!use.is_known || -use.rise() < kTenantPoints) return {};
  if (!use.crowds && !is_real(metric->all)) return {};
  if (!was_tenant_felt(symptoms, device)) return {};
  return {evidence("device use, by its own counter", *metric, MetricTime::kCycle),
          evidence(fmt::format("another process uses {:.0f} -> {:.0f} % of the time",
                               use.shown_normal, use.shown_abnormal))};
}

double score_of_tenant_gone(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const Outsiders outsiders = outsiders_on(symptoms, device);
  if (outsiders.is_known) {
    return was_tenant_felt(symptoms, device) ? 0.8 + 0.15 * std::min(1.0, -outsiders.rise() / 50)
                                             : kListedScore;
  }
  const ForeignUse use = foreign_use(symptoms, device);
  return std::min(0.9, 0.6 + 0.5 * (-use.rise() - kTenantPoints) / 60);
}

void find_tenant_gone(const Symptoms& symptoms, std::vector<Cause>& causes) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    std::vector<Evidence> found = evidence_of_tenant_gone(symptoms, device);
    if (found.empty()) continue;
    Cause cause = improvement(
        CauseKind::kOtherTenant, score_of_tenant_gone(symptoms, device),
        fmt::format("no other process uses {} any more{}", device.name(), symptoms.place()),
        "the normal run shared its device");
    cause.evidence = std::move(found);
    cause.explains_ms = device.kernel_ms.core_difference();
    if (const Change* wait_ms = shorter_wait_of_work(symptoms)) {
      cause.evidence.push_back(waiting_work("its work delayed the start of ours", *wait_ms));
      const double saved_idle_ms = std::min(0.0, device.row->idle_ms.core_difference());
      cause.explains_ms += std::max(wait_ms->core_difference(), saved_idle_ms);
    }
    causes.push_back(std::move(cause));
  }
}

void find_faster_memory(const Symptoms& symptoms, std::vector<Cause>& causes) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    const MetricRow* clock = symptoms.metric(MetricRole::kMemoryClock, device.name());
    if (clock == nullptr || !rose(clock->busy, 1 / 0.97)) continue;
    const double quicker = device.slowdowns.share_between(0, 1 / 1.02);
    const Change::Typical shown = clock->tested(MetricTime::kBusy).typical();
    Cause cause = improvement(
        CauseKind::kMemoryBandwidth, 0.6 + 0.35 * std::min(1.0, quicker / 0.5),
        fmt::format("the memory clock of {} rose from {} to {} MHz{}", device.name(),
                    number_text(shown.normal), number_text(shown.abnormal), symptoms.place()),
        "check the memory clock of the normal run");
    cause.evidence = {evidence("memory clock while the device works", *clock, MetricTime::kBusy),
                      evidence(fmt::format("{:.0f} % of kernel time is in kernels that became "
                                           "faster",
                                           100 * quicker))};
    cause.explains_ms = device.kernel_ms.core_difference();
    causes.push_back(std::move(cause));
  }
}

// The host waited in one call, and no longer does: the counterpart of the cause `host_blocks`.
void find_shorter_calls(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const IdleCauseRow* most = nullptr;
  for (const IdleCauseRow* row : symptoms.idle) {
    if (row->cause.kind != analysis::IdleKind::kRuntimeCall || !fell(row->ms, 1 / 1.1)) continue;
    if (device::runtime_call(row->cause.name) == device::RuntimeCall::kLaunch) continue;
    if (most == nullptr || row->ms.core_difference() < most->ms.core_difference()) most = row;
  }
  if (most == nullptr) return;
  const double share = saved_share(symptoms, most->ms);
  if (share < 0.5 || -most->ms.core_difference() < 0.02 * symptoms.cycle->ms.normal_core.mean)
    return;
  Cause cause =
      improvement(CauseKind::kHostBlocks, 0.5 + 0.3 * share,
                  fmt::format("the host waits less in {}{}", most->cause.name, symptoms.place()),
                  "look at the call in the timeline of the normal run");
  cause.evidence = {evidence(fmt::format("device idle {}", idle_text(most->cause)), most->ms)};
  cause.explains_ms = most->ms.core_difference();
  causes.push_back(std::move(cause));
}

template <CauseRule kRule>
void if_faster(const Symptoms& symptoms, std::vector<Cause>& causes) {
  if (symptoms.is_faster()) kRule(symptoms, causes);
}

constexpr std::array<CauseRule, 11> kImprovementRules = {
    if_faster<find_quicker_input>,       if_faster<find_fewer_synchronizations>,
    if_faster<find_fewer_allocations>,   if_faster<find_less_host_code>,
    if_faster<find_faster_host>,         if_faster<find_less_contention>,
    if_faster<find_shorter_collectives>, if_faster<find_tenant_gone>,
    if_faster<find_faster_memory>,       if_faster<find_shorter_calls>,
    if_faster<find_fewer_launches>};

}  // namespace

std::span<const CauseRule> improvement_cause_rules() { return kImprovementRules; }

}  // namespace strobe::compare

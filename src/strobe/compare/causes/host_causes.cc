#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/measure/function_index.h"

namespace strobe::compare {
namespace {

using device::MetricRole;

// The share of the cycle's change that `change` alone would explain; 0 if the cycle is not slower.
double explained_share(const Symptoms& symptoms, const Change& change) {
  if (!symptoms.is_slower() || !(symptoms.cycle_change_ms > 0)) return 0;
  return std::clamp(change.difference() / symptoms.cycle_change_ms, 0.0, 1.0);
}

// If the whole host is slower, every function is: the part of a change that remains after that
// factor is removed.
double own_difference_ms(const Symptoms& symptoms, const Change& change) {
  const double slower = std::max(1.0, symptoms.host.operator_slowdowns.median());
  return change.abnormal.mean - slower * change.normal.mean;
}

bool kernels_are_equal(const Symptoms& symptoms) {
  return std::ranges::all_of(symptoms.devices, [](const DeviceSymptoms& device) {
    return device.kernels.empty() || std::abs(device.kernel_ms.ratio() - 1) < 0.05 ||
           !is_real(device.kernel_ms);
  });
}

// Idle milliseconds per cycle of the device whose idle time rose most.
const Change* longest_gap(const Symptoms& symptoms) {
  const Change* gap = nullptr;
  for (const DeviceSymptoms& device : symptoms.devices) {
    const Change& idle = device.row->idle_ms;
    if (gap == nullptr || idle.difference() > gap->difference()) gap = &idle;
  }
  return gap;
}

bool gaps_grew(const Symptoms& symptoms) {
  const Change* gap = longest_gap(symptoms);
  return gap == nullptr ? symptoms.is_slower() : rose(*gap, 1.03);
}

struct Queueing {
  bool is_known = false;
  bool grew = false;
  double normal_share = 0;  // share of time spent waiting for a core
  double abnormal_share = 0;
};

Queueing queueing(const Symptoms& symptoms) {
  Queueing queue;
  if (const MetricRow* row = symptoms.metric(MetricRole::kRunQueue, kHostDevice);
      row != nullptr && row->all.normal.n > 0 && row->all.abnormal.n > 0) {
    queue = {.is_known = true,
             .grew = rose(row->all, 1.5),
             .normal_share = row->all.normal.mean / 1000,
             .abnormal_share = row->all.abnormal.mean / 1000};
  }
  if (const Change& ms = symptoms.host.queue_ms; ms.normal.mean + ms.abnormal.mean > 0) {
    const double cycle_ms = std::max(1e-9, symptoms.cycle->ms.normal.mean);
    if (!queue.is_known || rose(ms, 1.3)) {
      queue = {.is_known = true,
               .grew = rose(ms, 1.3),
               .normal_share = ms.normal.mean / cycle_ms,
               .abnormal_share = ms.abnormal.mean / cycle_ms};
    }
  }
  queue.grew = queue.grew && queue.abnormal_share - queue.normal_share > 0.03;
  return queue;
}

void find_host_contention(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const Queueing queue = queueing(symptoms);
  const MetricRow* host = symptoms.metric(MetricRole::kHostCpuUse, kHostDevice);
  const MetricRow* on_cpu = symptoms.metric(MetricRole::kOnCpu, kHostDevice);
  const MetricRow* process = symptoms.metric(MetricRole::kProcessCpuUse, kHostDevice);
  const bool is_full = host != nullptr && rose(host->all, 1.2) && host->all.abnormal.mean > 90;
  const bool runs_less = (on_cpu != nullptr && fell(on_cpu->all, 0.9)) ||
                         (process != nullptr && fell(process->all, 0.9));
  const bool is_busier = host != nullptr && rose(host->all, 1.2);
  if (!queue.grew && (queue.is_known || !is_full || !runs_less)) return;
  Cause cause = {
      .kind = CauseKind::kHostContention,
      .score = 0.5,
      .headline = fmt::format("other processes compete for the host's cores{}", symptoms.place()),
      .evidence = {},
      .against = {},
      .advice =
          "see what else runs on the host (top, container limits), or give the process its own "
          "cores "
          "(taskset, cpusets)"};
  if (queue.grew) {
    cause.evidence.push_back(
        evidence(fmt::format("waiting for a core: {:.1f} -> {:.1f} % of the time",
                             100 * queue.normal_share, 100 * queue.abnormal_share)));
    cause.score += 0.1 * std::min(1.0, (queue.abnormal_share - queue.normal_share) / 0.2);
  }
  if (runs_less || is_busier) cause.score += 0.2;
  if (runs_less) {
    const MetricRow& row = on_cpu != nullptr && fell(on_cpu->all, 0.9) ? *on_cpu : *process;
    cause.evidence.push_back(evidence("time of the process on a core", row, row.all));
  }
  if (is_busier) cause.evidence.push_back(evidence("the host's cores in use", *host, host->all));
  if (gaps_grew(symptoms)) {
    cause.score += 0.15;
    if (const Change* gap = longest_gap(symptoms)) {
      cause.evidence.push_back(evidence("device idle", *gap));
    }
  } else {
    cause.against.push_back(evidence("the device does not wait longer for the host"));
    cause.score -= 0.2;
  }
  if (!kernels_are_equal(symptoms)) {
    cause.against.push_back(evidence("kernels changed as well"));
    cause.score -= 0.1;
  }
  causes.push_back(std::move(cause));
}

void find_slow_host(const Symptoms& symptoms, std::vector<Cause>& causes) {
  if (queueing(symptoms).grew) return;
  const MetricRow* clock = symptoms.metric(MetricRole::kCpuClock, kHostDevice);
  // A clock that falls below a tenth was sampled in another unit.
  const bool clock_fell = clock != nullptr && fell(clock->all, 0.95) && clock->all.ratio() > 0.1;
  const double slowed = symptoms.host.operator_slowdowns.share_between(1.05, 1e9);
  const bool all_slower =
      slowed > 0.7 && symptoms.is_slower() && kernels_are_equal(symptoms) && gaps_grew(symptoms);
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
  if (clock_fell)
    cause.evidence.push_back(evidence("clock of the host's cores", *clock, clock->all));
  if (slowed > 0) {
    cause.evidence.push_back(evidence(fmt::format(
        "{:.0f} % of the operators take longer on the host (typically x {:.2f}) with the same "
        "number of calls",
        100 * slowed, symptoms.host.operator_slowdowns.median())));
  }
  if (kernels_are_equal(symptoms) && !symptoms.devices.empty()) {
    cause.evidence.push_back(evidence("the same kernels take as long as before"));
  }
  causes.push_back(std::move(cause));
}

void find_host_code(const Symptoms& symptoms, std::vector<Cause>& causes) {
  if (queueing(symptoms).grew || !symptoms.is_slower() || symptoms.devices.empty()) return;
  if (!(symptoms.cycle_change_ms > 0)) return;
  const Change* gap = longest_gap(symptoms);
  const double share = explained_share(symptoms, *gap);
  const double slowed = symptoms.host.operator_slowdowns.share_between(1.05, 1e9);
  const DeviceRow* host = nullptr;
  for (const DeviceRow& row : symptoms.comparison->devices) {
    if (row.device == kHostDevice && row.rank == symptoms.rank) host = &row;
  }
  if (host == nullptr || !rose(host->idle_ms, 1.1) || !kernels_are_equal(symptoms) || share < 0.7) {
    return;
  }
  const double added_ms = own_difference_ms(symptoms, host->idle_ms);
  const double outside = std::clamp(added_ms / symptoms.cycle_change_ms, 0.0, 1.0);
  if (outside < 0.6) return;
  Cause cause = {
      .kind = CauseKind::kLaunchBound,
      .score = 0.55 + 0.3 * outside,
      .headline = fmt::format("the host spends longer between operators, and the device "
                              "waits{}",
                              symptoms.place()),
      .evidence = {evidence("host time outside of every operator and call", host->idle_ms),
                   evidence("device idle", *gap),
                   evidence("the same kernels take as long as before")},
      .against = {},
      .advice =
          "profile the script itself (with_stack=True, py-spy): the time is spent in "
          "its own code, or sleeping or waiting there"};
  if (slowed > 0.5) {
    cause.against.push_back(evidence("operators take longer as well"));
    cause.score -= 0.2;
  }
  causes.push_back(std::move(cause));
}

void find_synchronisation(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const HostSymptoms& host = symptoms.host;
  const double expected = host.synchronizations_normal * symptoms.common_calls_factor;
  const double added = host.synchronizations_abnormal - expected;
  if (added < 1 || host.synchronizations_abnormal < 1.2 * expected) return;
  Cause cause = {
      .kind = CauseKind::kSynchronisation,
      .score = 0.75,
      .headline = fmt::format("the host waits for the device more often{}", symptoms.place()),
      .evidence = {evidence(fmt::format("waits for the device: {} -> {} per cycle",
                                        number_text(host.synchronizations_normal),
                                        number_text(host.synchronizations_abnormal)))},
      .against = {},
      .advice =
          "look for .item(), .cpu(), print or an explicit synchronize in the "
          "loop"};
  if (rose(host.synchronize_ms, 1.1)) {
    cause.evidence.push_back(evidence("waiting in those calls", host.synchronize_ms));
    cause.score += 0.1;
  }
  if (gaps_grew(symptoms)) {
    cause.score += 0.05;
    if (const Change* gap = longest_gap(symptoms)) {
      cause.evidence.push_back(evidence("device idle", *gap));
    }
  } else {
    cause.against.push_back(evidence("the device does not wait longer for the host"));
  }
  causes.push_back(std::move(cause));
}

void find_memory_pressure(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const HostSymptoms& host = symptoms.host;
  const double expected = host.allocations_normal * symptoms.common_calls_factor;
  const double added = host.allocations_abnormal - expected;
  const bool churns = added >= 2 && host.allocations_abnormal >= 1.5 * expected;
  const MetricRow* used = nullptr;
  for (const DeviceSymptoms& device : symptoms.devices) {
    const MetricRow* row = symptoms.metric(MetricRole::kMemoryUsed, device.name());
    if (row != nullptr && row->all.abnormal.mean > 95 && rose(row->all, 1.01)) used = row;
  }
  if (!churns && used == nullptr) return;
  Cause cause = {
      .kind = CauseKind::kMemoryPressure,
      .score = churns ? 0.75 : 0.5,
      .headline = used != nullptr ? fmt::format("device memory is nearly full{}", symptoms.place())
                                  : fmt::format("device memory is allocated and freed more often{}",
                                                symptoms.place()),
      .evidence = {},
      .against = {},
      .advice =
          "look for empty_cache() in the loop, for shapes that change from cycle to cycle, "
          "and for an allocator that no longer caches; leave more memory free"};
  if (churns) {
    cause.evidence.push_back(evidence(
        fmt::format("calls that allocate or free device memory: {} -> {} per cycle",
                    number_text(host.allocations_normal), number_text(host.allocations_abnormal))));
    cause.evidence.push_back(evidence("time in them", host.allocate_ms));
    cause.score += 0.2 * explained_share(symptoms, host.allocate_ms);
  }
  if (used != nullptr) {
    cause.evidence.push_back(evidence("device memory in use", *used, used->all));
    cause.score += 0.05;
  }
  causes.push_back(std::move(cause));
}

void find_slow_input(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const HostSymptoms& host = symptoms.host;
  const MetricRow* disk = symptoms.metric(MetricRole::kDisk, kHostDevice);
  const bool disk_moved = disk != nullptr && (rose(disk->all, 1.2) || fell(disk->all, 0.8));
  const bool reads_longer =
      rose(host.disk_ms, 1.2) && host.disk_ms.difference() > 0.02 * symptoms.cycle->ms.normal.mean;
  const double input_share = explained_share(symptoms, host.input_ms);
  const bool loads_longer =
      rose(host.input_ms, 1.3) && input_share > 0.3 &&
      own_difference_ms(symptoms, host.input_ms) > 0.01 * symptoms.cycle->ms.normal.mean;
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
    cause.evidence.push_back(
        evidence(fmt::format("this explains {:.0f} % of the longer cycle", 100 * input_share)));
    cause.score += 0.3 * input_share;
  }
  if (reads_longer) {
    cause.evidence.push_back(evidence("reads and writes", host.disk_ms));
    cause.score += 0.1 + 0.15 * explained_share(symptoms, host.disk_ms);
  }
  if (disk_moved) {
    cause.evidence.push_back(evidence("disk use", *disk, disk->all));
    cause.score += 0.1;
  }
  const MetricRow* on_cpu = symptoms.metric(MetricRole::kOnCpu, kHostDevice);
  if (loads_longer && on_cpu != nullptr && fell(on_cpu->all, 0.9)) {
    cause.evidence.push_back(
        evidence("the process waits instead of computing: time on a core", *on_cpu, on_cpu->all));
  }
  cause.score = std::min(cause.score, 0.95);
  causes.push_back(std::move(cause));
}

constexpr std::array<CauseRule, 6> kHostRules = {find_host_contention, find_slow_host,
                                                 find_host_code,       find_synchronisation,
                                                 find_memory_pressure, find_slow_input};

}  // namespace

std::span<const CauseRule> host_cause_rules() { return kHostRules; }

}  // namespace strobe::compare

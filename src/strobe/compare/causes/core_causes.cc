#include "strobe/compare/causes/core_causes.h"

#include <fmt/format.h>

#include <algorithm>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/causes/direct_evidence.h"
#include "strobe/compare/causes/late_host.h"

namespace strobe::compare {
namespace {

using device::MetricRole;

// How much of the host's cores is in use, and how much of it the process got.
struct CoreUse {
  const MetricRow* host = nullptr;       // if all cores together are busier
  const MetricRow* runs_less = nullptr;  // if the process runs less
  bool is_full = false;
};

CoreUse core_use(const Symptoms& symptoms) {
  CoreUse use;
  const MetricRow* host = symptoms.metric(MetricRole::kHostCpuUse, kHostDevice);
  if (host != nullptr && rose(host->all, 1.2)) {
    use.host = host;
    use.is_full = host->all.abnormal_core.mean > 90;
  }
  for (const MetricRole role : {MetricRole::kOnCpu, MetricRole::kProcessCpuUse}) {
    const MetricRow* row = symptoms.metric(role, kHostDevice);
    if (use.runs_less == nullptr && row != nullptr && fell(row->all, 0.9)) use.runs_less = row;
  }
  return use;
}

// The processes that took the cores, where they were recorded.
void add_outsiders(const Outsiders& outsiders, Cause& cause) {
  if (outsiders.came()) {
    cause.evidence.insert(cause.evidence.begin(), use_by_outsiders(outsiders));
    const std::vector<Outsider> named = newcomers(outsiders);
    if (!named.empty()) cause.headline += ": " + names_of(named);
  } else if (outsiders.is_known) {
    cause.against.push_back(
        evidence(fmt::format("processes outside of the program use no more of the cores than "
                             "before: {:.1f} -> {:.1f}",
                             outsiders.normal / 100, outsiders.abnormal / 100)));
    cause.advice =
        "the program's own threads may compete: see how many there are, and which cores they may "
        "use (taskset, cpusets)";
    cause.score -= 0.15;
  }
}

void add_lost_cores(const Symptoms& symptoms, Cause& cause) {
  if (const MetricRow* forced = symptoms.metric(MetricRole::kForcedSwitches, kHostDevice);
      forced != nullptr && rose(forced->all, 1.5)) {
    cause.evidence.push_back(
        evidence("times per second that the process lost its core", *forced, MetricTime::kCycle));
    cause.score += 0.03;
  }
  if (const LostTime pressure = lost_time(symptoms, MetricRole::kCpuPressure); pressure.grew) {
    cause.evidence.push_back(evidence(
        fmt::format("a thread of the machine waits for a core: {:.1f} -> {:.1f} % of the time",
                    100 * pressure.normal, 100 * pressure.abnormal)));
    cause.score += 0.03;
  }
}

// Time in which a quota stops the process also counts as waiting for a core.
bool quota_explains(const Symptoms& symptoms, const Queueing& queue) {
  const LostTime quota = lost_time(symptoms, MetricRole::kQuotaThrottled);
  return quota.grew &&
         quota.abnormal - quota.normal >= 0.5 * (queue.abnormal_share - queue.normal_share);
}

}  // namespace

void find_host_contention(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const Queueing queue = queueing(symptoms);
  const CoreUse use = core_use(symptoms);
  // A queue that is known to be as short as before speaks against full cores; one that only cannot
  // be told does not.
  const bool stayed_short =
      queue.is_known && !queue.grew && queue.abnormal_share - queue.normal_share <= 0.03;
  if (!queue.grew && (stayed_short || !use.is_full || use.runs_less == nullptr)) return;
  if (quota_explains(symptoms, queue)) return;
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
                             100 * queue.shown_normal_share, 100 * queue.shown_abnormal_share)));
    cause.score += 0.1 * std::min(1.0, (queue.abnormal_share - queue.normal_share) / 0.2);
  }
  if (use.runs_less != nullptr || use.host != nullptr) cause.score += 0.2;
  if (use.runs_less != nullptr) {
    cause.evidence.push_back(
        evidence("time of the process on a core", *use.runs_less, MetricTime::kCycle));
  }
  if (use.host != nullptr) {
    cause.evidence.push_back(evidence("the host's cores in use", *use.host, MetricTime::kCycle));
  }
  add_lost_cores(symptoms, cause);
  const Outsiders outsiders = outsiders_on_cores(symptoms);
  const bool is_quota_known = lost_time(symptoms, MetricRole::kQuotaThrottled).is_known;
  if (use.host == nullptr && !outsiders.is_known && !is_quota_known) {
    cause.headline = fmt::format(
        "the process waits for a core: others use it, or a quota stops it{}", symptoms.place());
  }
  add_outsiders(outsiders, cause);
  const bool is_late = add_late_host(symptoms, cause);
  cause.score += is_late ? 0.15 : -0.2;
  // Who took the cores was seen, and what that does to the program as well.
  if (is_late && queue.grew && outsiders.came()) cause.score = std::max(cause.score, 0.85);
  if (!kernels_are_equal(symptoms)) {
    cause.against.push_back(evidence("kernels changed as well"));
    cause.score -= 0.1;
  }
  causes.push_back(std::move(cause));
}

namespace {

// "a CPU quota of 2.0 cores"
std::string quota_text(const Symptoms& symptoms) {
  const MetricRow* quota = symptoms.metric(MetricRole::kCpuQuota, kHostDevice);
  if (quota == nullptr || !(quota->all.abnormal_core.mean > 0)) return "a CPU quota";
  return fmt::format("a CPU quota of {:.1f} cores", quota->all.abnormal_core.mean);
}

}  // namespace

void find_quota(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const LostTime stopped = lost_time(symptoms, MetricRole::kQuotaThrottled);
  if (!stopped.grew) return;
  Cause cause = {
      .kind = CauseKind::kHostContention,
      .score = 0.65 + 0.1 * std::min(1.0, (stopped.abnormal - stopped.normal) / 0.2),
      .headline = fmt::format("{} stops the process{}", quota_text(symptoms), symptoms.place()),
      .evidence = {evidence(fmt::format(
          "stopped because the quota was used up: {:.1f} -> {:.1f} % of the time, cores added up",
          100 * stopped.normal, 100 * stopped.abnormal))},
      .against = {},
      .advice =
          "raise the quota (cpu.max of the container or service), or let the process use fewer "
          "threads"};
  if (const MetricRow* quota = symptoms.metric(MetricRole::kCpuQuota, kHostDevice);
      quota != nullptr && fell(quota->all, 0.98)) {
    cause.evidence.push_back(evidence("the quota was lowered", *quota, MetricTime::kCycle));
  }
  if (const Queueing queue = queueing(symptoms); queue.grew) {
    cause.evidence.push_back(
        evidence(fmt::format("waiting for a core, stopped times included: {:.1f} -> {:.1f} % of "
                             "the time",
                             100 * queue.shown_normal_share, 100 * queue.shown_abnormal_share)));
  }
  // A process that is stopped and is not late has time to spare.
  if (!add_late_host(symptoms, cause)) return;
  cause.score += 0.2;
  causes.push_back(std::move(cause));
}

}  // namespace strobe::compare

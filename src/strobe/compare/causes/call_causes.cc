#include "strobe/compare/causes/call_causes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/causes/late_host.h"
#include "strobe/device/vendor_names.h"

namespace strobe::compare {

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
    add_idle_evidence(symptoms, cause);
  } else {
    cause.against.push_back(evidence("the device does not wait longer for the host"));
  }
  // Added waits show as time in the calls, or as idle time of the device after them.
  const Change* gap = longest_gap(symptoms);
  cause.explains_ms =
      std::max(host.synchronize_ms.core_difference(), gap == nullptr ? 0 : gap->core_difference());
  causes.push_back(std::move(cause));
}

void find_memory_pressure(const Symptoms& symptoms, std::vector<Cause>& causes) {
  const HostSymptoms& host = symptoms.host;
  const double expected = host.allocations_normal * symptoms.common_calls_factor;
  const double added = host.allocations_abnormal - expected;
  const bool churns = added >= 2 && host.allocations_abnormal >= 1.5 * expected;
  const MetricRow* used = nullptr;
  for (const DeviceSymptoms& device : symptoms.devices) {
    const MetricRow* row = symptoms.metric(device::MetricRole::kMemoryUsed, device.name());
    if (row != nullptr && row->all.abnormal_core.mean > 95 && rose(row->all, 1.01)) used = row;
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
    cause.explains_ms = host.allocate_ms.core_difference();
  }
  if (used != nullptr) {
    cause.evidence.push_back(evidence("device memory in use", *used, MetricTime::kCycle));
    cause.score += 0.05;
  }
  causes.push_back(std::move(cause));
}

namespace {

std::string names_with(const HostSymptoms& host, Verdict verdict) {
  std::vector<std::string_view> names;
  for (const FunctionRow* row : host.runtime_calls) {
    const bool launches = device::runtime_call(row->key.name) == device::RuntimeCall::kLaunch;
    if (launches && row->verdict == verdict) names.push_back(row->key.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void find_more_launches(const Symptoms& symptoms, std::vector<Cause>& causes) {
  constexpr double kMost = 0.5;
  const HostSymptoms& host = symptoms.host;
  const double expected = host.launches_normal * symptoms.common_calls_factor;
  const double added = host.launches_abnormal - expected;
  const Change* delay = host_delay(symptoms);
  if (delay == nullptr || !rose(*delay, 1.1) || expected <= 0) return;
  if (added < 10 || host.launches_abnormal < 1.25 * expected) return;
  const double share = explained_share(symptoms, *delay);
  const bool is_host_time = cycle_is_host_time(symptoms);
  if (share < kMost) return;
  Cause cause = {
      .kind = CauseKind::kLaunchBound,
      .score = 0.55 + 0.3 * share,
      .headline =
          fmt::format("more calls launch the work of a cycle ({:.4g} -> {:.4g}), and {}{}",
                      host.launches_normal, host.launches_abnormal,
                      is_host_time ? "the host needs longer for them" : "the device waits for them",
                      symptoms.place()),
      .evidence = {},
      .against = {},
      .advice =
          "launch the work by fewer calls: a graph, fused operators, or the variants that "
          "handle many tensors at once"};
  if (const std::string gone = names_with(host, Verdict::kVanished); !gone.empty()) {
    cause.evidence.push_back(evidence("gone: " + gone));
  }
  if (const std::string added_calls = names_with(host, Verdict::kNew); !added_calls.empty()) {
    cause.evidence.push_back(evidence("new: " + added_calls));
  }
  if (is_host_time) {
    cause.evidence.push_back(evidence("host time in operators and calls", *delay));
  } else {
    add_idle_evidence(symptoms, cause);
  }
  cause.explains_ms = delay->core_difference();
  cause.is_fact = true;
  causes.push_back(std::move(cause));
}

namespace {

// One call of the host, wherever it is made.
struct BlockingCall {
  std::string name;
  Change idle_ms;                      // per cycle, while the host was in it and no device worked
  const IdleCauseRow* most = nullptr;  // the place where that rose most
};

// The call in which the idle time of the devices rose most. Launches are left out: a slow host
// spends its time in them, and they do not wait for anything.
std::optional<BlockingCall> blocking_call(const Symptoms& symptoms) {
  std::map<std::string, std::vector<const IdleCauseRow*>> by_name;
  for (const IdleCauseRow* row : symptoms.idle) {
    if (row->cause.kind != analysis::IdleKind::kRuntimeCall) continue;
    if (device::runtime_call(row->cause.name) == device::RuntimeCall::kLaunch) continue;
    by_name[row->cause.name].push_back(row);
  }
  std::optional<BlockingCall> most;
  for (const auto& [name, rows] : by_name) {
    BlockingCall call = {.name = name, .idle_ms = total_ms(rows), .most = rows.front()};
    for (const IdleCauseRow* row : rows) {
      if (row->ms.core_difference() > call.most->ms.core_difference()) call.most = row;
    }
    if (!most || call.idle_ms.core_difference() > most->idle_ms.core_difference())
      most = std::move(call);
  }
  return most;
}

}  // namespace

void find_host_blocks(const Symptoms& symptoms, std::vector<Cause>& causes) {
  constexpr double kMost = 0.5;
  const std::optional<BlockingCall> call = blocking_call(symptoms);
  if (!call || !rose(call->idle_ms, 1.1)) return;
  const double share = explained_share(symptoms, call->idle_ms);
  const double cycle_ms = symptoms.cycle->ms.normal_core.mean;
  if (share < kMost || call->idle_ms.core_difference() < 0.02 * cycle_ms) return;
  Cause cause = {
      .kind = CauseKind::kHostBlocks,
      .score = 0.5 + 0.3 * share,
      .headline = fmt::format("the host waits in {} while the device is idle{}", call->name,
                              symptoms.place()),
      .evidence = {evidence(fmt::format("device idle while the host is in {}", call->name),
                            call->idle_ms)},
      .against = {},
      .advice =
          "look at the call in the timeline: a copy from memory that is not pinned waits for the "
          "device, and so does reading a result; make it asynchronous, or do it less often",
      .explains_ms = call->idle_ms.core_difference()};
  if (!call->most->cause.inside.empty()) {
    cause.evidence.push_back(evidence("mostly inside " + call->most->cause.inside, call->most->ms));
  }
  causes.push_back(std::move(cause));
}

}  // namespace strobe::compare

#include "strobe/compare/causes/late_host.h"

#include <fmt/format.h>

#include <algorithm>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/device/vendor_names.h"

namespace strobe::compare {

double explained_share(const Symptoms& symptoms, const Change& change) {
  if (!symptoms.is_slower() || !(symptoms.cycle_change_ms > 0)) return 0;
  return std::clamp(change.core_difference() / symptoms.cycle_change_ms, 0.0, 1.0);
}

namespace {
constexpr double kMost = 0.5;  // of the cycle's change
}

const Change* longest_gap(const Symptoms& symptoms) {
  const Change* gap = nullptr;
  for (const DeviceSymptoms& device : symptoms.devices) {
    const Change& idle = device.row->idle_ms;
    if (gap == nullptr || idle.core_difference() > gap->core_difference()) gap = &idle;
  }
  return gap;
}

bool gaps_grew(const Symptoms& symptoms) {
  const Change* gap = longest_gap(symptoms);
  if (gap == nullptr) return symptoms.is_slower();
  return rose(*gap, 1.03) || explained_share(symptoms, *gap) >= kMost;
}

const Change* host_delay(const Symptoms& symptoms) {
  if (!cycle_is_host_time(symptoms)) return longest_gap(symptoms);
  const DeviceRow* host = host_row(symptoms);
  return host == nullptr ? nullptr : &host->busy_ms;
}

bool host_takes_longer(const Symptoms& symptoms) {
  const Change* delay = host_delay(symptoms);
  return delay == nullptr ? gaps_grew(symptoms) : rose(*delay, 1.03);
}

namespace {

// The idle time of the devices that rose most for one reason, if it is a real part of the change:
// it says where the host is while the device waits.
const IdleCauseRow* grown_idle(const Symptoms& symptoms) {
  constexpr double kRealPart = 0.2;
  const IdleCauseRow* most = nullptr;
  for (const IdleCauseRow* row : symptoms.idle) {
    if (!rose(row->ms, 1.1) || explained_share(symptoms, row->ms) < kRealPart) continue;
    if (most == nullptr || row->ms.core_difference() > most->ms.core_difference()) most = row;
  }
  return most;
}

}  // namespace

void add_idle_evidence(const Symptoms& symptoms, Cause& cause) {
  if (const Change* gap = longest_gap(symptoms)) {
    cause.evidence.push_back(evidence("device idle", *gap));
  }
  if (const IdleCauseRow* row = grown_idle(symptoms)) {
    cause.evidence.push_back(evidence(fmt::format("of that, {}", idle_text(row->cause)), row->ms));
  }
}

bool add_late_host(const Symptoms& symptoms, Cause& cause) {
  if (cycle_is_host_time(symptoms) && symptoms.is_slower()) {
    cause.evidence.push_back(never_waits());
    return true;
  }
  if (gaps_grew(symptoms)) {
    add_idle_evidence(symptoms, cause);
    if (const Change* gap = longest_gap(symptoms)) cause.explains_ms = gap->core_difference();
    return true;
  }
  cause.against.push_back(evidence("the device does not wait longer for the host"));
  return false;
}

namespace {

// The calls that only one run has take as long as they do there.
double ms_of_added_calls(const FunctionRow& row) {
  const bool was_there = row.calls_normal > 0;
  const double ms = was_there ? row.ms.normal_core.mean : row.ms.abnormal_core.mean;
  const double calls = was_there ? row.calls_normal : row.calls_abnormal;
  return calls > 0 ? (row.calls_abnormal - row.calls_normal) * ms / calls : 0;
}

}  // namespace

double idle_by_launching_ms(const Symptoms& symptoms, const DeviceSymptoms& device) {
  double added_ms = 0;
  for (const FunctionRow* row : symptoms.host.runtime_calls) {
    const bool launches = device::runtime_call(row->key.name) == device::RuntimeCall::kLaunch;
    if (launches && !calls_are_equal(*row)) added_ms += ms_of_added_calls(*row);
  }
  const double idle_ms = device.row->idle_ms.core_difference();
  return added_ms > 0 ? std::clamp(idle_ms, 0.0, added_ms) : std::clamp(idle_ms, added_ms, 0.0);
}

}  // namespace strobe::compare

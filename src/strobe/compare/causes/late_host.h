#pragma once

#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/comparison.h"

// How a host that became slower shows, for the rules that say why it did.
namespace strobe::compare {

// The share of the cycle's change that `change` alone would explain; 0 if the cycle is not slower.
double explained_share(const Symptoms& symptoms, const Change& change);

// Idle milliseconds per cycle of the device whose idle time rose most; null without devices.
const Change* longest_gap(const Symptoms& symptoms);
bool gaps_grew(const Symptoms& symptoms);  // without devices: the cycle did

// A slower host shows in the idle time of the device that waits for it. If it never waits for the
// device, the cycle is its own time, and it spends more of that in operators and calls.
const Change* host_delay(const Symptoms& symptoms);
bool host_takes_longer(const Symptoms& symptoms);

// Adds how much longer the device is idle, and what the host does meanwhile.
void add_idle_evidence(const Symptoms& symptoms, Cause& cause);

// A host that is late is a cause only if the device waits for it, or if the cycle is its own time.
// Adds that, and returns whether it is so.
bool add_late_host(const Symptoms& symptoms, Cause& cause);

// By how much longer a device is idle because the host launches more work: calls that were added,
// each as long as it takes in the normal run. Negative if there are fewer. A host that is ahead
// launches while the device works, so it is no more than the change of the idle time.
double idle_by_launching_ms(const Symptoms& symptoms, const DeviceSymptoms& device);

}  // namespace strobe::compare

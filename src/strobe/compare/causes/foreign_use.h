#pragma once

#include "strobe/compare/causes/symptoms.h"

// Who else works on a device: what its own counters see beyond what the trace shows.
namespace strobe::compare {

// Percent of the time.
struct ForeignUse {
  bool is_known = false;
  double normal = 0;
  double abnormal = 0;
  bool crowds = false;  // counted without what own kernels lose to it

  double rise() const { return abnormal - normal; }
};
// A smaller rise may be the counter's coarseness.
inline constexpr double kTenantPoints = 20;

ForeignUse foreign_use(const Symptoms& symptoms, const DeviceSymptoms& device);
bool has_tenant(const Symptoms& symptoms, const DeviceSymptoms& device);

// Bytes per second over the bus, and what the trace's own copies make of them.
struct BusTraffic {
  bool is_known = false;
  double normal = 0;
  double abnormal = 0;
  bool is_real = false;  // the change
  double own_abnormal = 0;
};
BusTraffic bus_traffic(const Symptoms& symptoms, const DeviceSymptoms& device);
// The bus is full of somebody else's copies, and that is all he does.
bool has_copying_tenant(const Symptoms& symptoms, const DeviceSymptoms& device);

}  // namespace strobe::compare

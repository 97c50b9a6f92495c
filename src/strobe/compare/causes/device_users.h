#pragma once

#include "strobe/compare/causes/symptoms.h"

// Other users of a device: what its counters show beyond the trace.
namespace strobe::compare {

// Percent of the time.
struct ForeignUse {
  bool is_known = false;
  double normal = 0;
  double abnormal = 0;
  bool crowds = false;  // without the time that own kernels lose to it
  // As the tables print them.
  double shown_normal = 0;
  double shown_abnormal = 0;

  double rise() const { return abnormal - normal; }
};
// A smaller rise may come from the counter's low resolution.
inline constexpr double kTenantPoints = 20;

ForeignUse foreign_use(const Symptoms& symptoms, const DeviceSymptoms& device);
bool counter_shows_tenant(const Symptoms& symptoms, const DeviceSymptoms& device);
// A process came with its memory, and the same kernels take longer at the same clocks. The counter
// of the device's use lags: in a short recording this shows more.
bool kernels_show_tenant(const Symptoms& symptoms, const DeviceSymptoms& device);
// By the list of the device's processes, where it was recorded; else by its counter and the
// kernels.
bool has_tenant(const Symptoms& symptoms, const DeviceSymptoms& device);

// Bytes per second over the bus, and the part of the trace's own copies.
struct BusTraffic {
  bool is_known = false;
  double normal = 0;
  double abnormal = 0;
  bool is_real = false;  // the change
  double own_abnormal = 0;
  // As the tables print them.
  double shown_normal = 0;
  double shown_abnormal = 0;

  void count_kilobytes() {
    for (double* value : {&normal, &abnormal, &shown_normal, &shown_abnormal}) *value *= 1000;
  }
};
BusTraffic bus_traffic(const Symptoms& symptoms, const DeviceSymptoms& device);
// Another process fills the bus with copies and does nothing else.
bool has_copying_tenant(const Symptoms& symptoms, const DeviceSymptoms& device);

}  // namespace strobe::compare

#include "strobe/compare/causes/foreign_use.h"

#include <algorithm>

namespace strobe::compare {
namespace {

using device::MetricRole;

constexpr double kBusyBus = 5e9;  // bytes per second

// The same kernels, of the same size, at the same clocks, take longer: they get only part of the
// device.
bool kernels_are_crowded(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const bool is_same_work = symptoms.common_calls_factor == 1 && device.resized_share < 0.1 &&
                            device.other_work_ms < 0.05 * device.kernel_ms.normal.mean;
  const MetricRow* core = symptoms.metric(MetricRole::kCoreClock, device.name());
  const MetricRow* memory = symptoms.metric(MetricRole::kMemoryClock, device.name());
  const bool clocks_are_equal = core != nullptr && !fell(core->busy, 0.97) &&
                                (memory == nullptr || !fell(memory->busy, 0.97));
  return is_same_work && clocks_are_equal && device.slowdowns.share_between(1.05, 1e9) >= 0.7;
}

}  // namespace

ForeignUse foreign_use(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const MetricRow* use = symptoms.metric(MetricRole::kDeviceUse, device.name());
  if (use == nullptr || use->all.normal.n == 0 || use->all.abnormal.n == 0) return {};
  const MetricRow* process = symptoms.metric(MetricRole::kProcessDeviceUse, device.name());
  const bool has_process =
      process != nullptr && process->all.normal.n > 0 && process->all.abnormal.n > 0;
  double own_normal = device.row->busy_share.normal.mean;
  double own_abnormal = device.row->busy_share.abnormal.mean;
  bool crowds = false;
  if (has_process) {
    own_normal = process->all.normal.mean;
    own_abnormal = process->all.abnormal.mean;
  } else if (const MetricRow* used = symptoms.metric(MetricRole::kMemoryUsed, device.name());
             used != nullptr && rose(used->all, 1.01) && kernels_are_crowded(symptoms, device)) {
    // Somebody moved in, and a device that two share is busy for one while it is for the other.
    const double alone = 100 * device.row->busy_ms.normal.mean / symptoms.cycle->ms.abnormal.mean;
    crowds = alone < own_abnormal;
    own_abnormal = std::min(own_abnormal, alone);
  }
  return {.is_known = true,
          .normal = std::max(0.0, use->all.normal.mean - own_normal),
          .abnormal = std::max(0.0, use->all.abnormal.mean - own_abnormal),
          .crowds = crowds};
}

bool has_tenant(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const ForeignUse use = foreign_use(symptoms, device);
  const MetricRow* metric = symptoms.metric(MetricRole::kDeviceUse, device.name());
  return use.is_known && use.rise() >= kTenantPoints && (use.crowds || is_real(metric->all));
}

BusTraffic bus_traffic(const Symptoms& symptoms, const DeviceSymptoms& device) {
  BusTraffic traffic;
  for (const MetricRow& row : symptoms.comparison->metrics) {
    if (row.info.role != MetricRole::kPcieTraffic || row.device != device.name() ||
        row.rank != symptoms.rank || row.all.normal.n == 0 || row.all.abnormal.n == 0) {
      continue;
    }
    traffic.is_known = true;
    traffic.normal = std::max(traffic.normal, row.all.normal.mean);
    if (row.all.abnormal.mean < traffic.abnormal) continue;
    traffic.abnormal = row.all.abnormal.mean;
    traffic.is_real = is_real(row.all);
  }
  double own_bytes = 0;
  for (const FunctionRow* copy : device.copies) own_bytes += copy->bytes_abnormal;
  traffic.own_abnormal = own_bytes / (1e-3 * symptoms.cycle->ms.abnormal.mean);
  return traffic;
}

bool has_copying_tenant(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const BusTraffic traffic = bus_traffic(symptoms, device);
  const MetricRow* power = symptoms.metric(MetricRole::kPower, device.name());
  const bool is_foreign = traffic.own_abnormal > 0 || has_tenant(symptoms, device);
  return traffic.is_known && traffic.is_real && is_foreign &&
         traffic.abnormal - traffic.own_abnormal > kBusyBus &&
         traffic.abnormal > 5 * traffic.normal && (power == nullptr || power->all.ratio() < 1.3);
}

}  // namespace strobe::compare

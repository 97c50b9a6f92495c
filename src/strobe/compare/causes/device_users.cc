#include "strobe/compare/causes/device_users.h"

#include <algorithm>
#include <optional>

#include "strobe/compare/causes/direct_evidence.h"
#include "strobe/device/vendor_names.h"

namespace strobe::compare {
namespace {

using device::MetricRole;

constexpr double kBusyBus = 5e9;        // bytes per second
constexpr double kFastestBus = 1.3e11;  // PCIe 6 with 16 lanes, one way

// The run that may have shared the device: another process came, or it was there and left.
enum class Crowded { kAbnormal, kNormal };

bool is_more(const Change& change, double least_ratio, Crowded run) {
  return run == Crowded::kAbnormal ? rose(change, least_ratio) : fell(change, 1 / least_ratio);
}

// The same kernels, of the same size and as often, the same copies, no memory taken or given back
// more often: the program does what it did.
bool is_same_work(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const HostSymptoms& host = symptoms.host;
  return symptoms.common_calls_factor == 1 && device.resized_share < 0.1 &&
         device.rescaled_time_share < 0.1 &&
         device.other_work_ms < 0.05 * device.kernel_ms.normal_core.mean &&
         std::ranges::all_of(device.copies,
                             [](const FunctionRow* row) { return calls_are_equal(*row); }) &&
         (host.allocations_normal == host.allocations_abnormal ||
          are_equal_calls(host.allocations_normal, host.allocations_abnormal));
}

// Who takes turns with us takes time from the long kernels, or keeps launched work waiting. At
// lower clocks kernels take longer without anybody else.
bool kernels_are_crowded(const Symptoms& symptoms, const DeviceSymptoms& device, Crowded run) {
  const bool is_abnormal = run == Crowded::kAbnormal;
  const auto is_lower = [&](const MetricRow* clock) {
    return is_abnormal ? fell(clock->busy, 0.97) : rose(clock->busy, 1 / 0.97);
  };
  const MetricRow* core = symptoms.metric(MetricRole::kCoreClock, device.name());
  const MetricRow* memory = symptoms.metric(MetricRole::kMemoryClock, device.name());
  const bool has_its_clocks =
      core != nullptr && !is_lower(core) && (memory == nullptr || !is_lower(memory));
  const bool is_waiting =
      (is_abnormal ? longer_wait_of_work(symptoms) : shorter_wait_of_work(symptoms)) != nullptr;
  return is_same_work(symptoms, device) && has_its_clocks &&
         (is_more(device.kernel_ms, 1.03, run) || is_waiting);
}

// The run that shared the device, if a process came or left with its memory.
std::optional<Crowded> crowded_run(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const MetricRow* used = symptoms.metric(MetricRole::kMemoryUsed, device.name());
  if (used == nullptr) return std::nullopt;
  for (const Crowded run : {Crowded::kAbnormal, Crowded::kNormal}) {
    const bool has_another = is_more(used->all, 1.01, run);
    if (has_another && kernels_are_crowded(symptoms, device, run)) return run;
  }
  return std::nullopt;
}

}  // namespace

ForeignUse foreign_use(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const MetricRow* use = symptoms.metric(MetricRole::kDeviceUse, device.name());
  if (use == nullptr || use->all.normal.n == 0 || use->all.abnormal.n == 0) return {};
  const MetricRow* process = symptoms.metric(MetricRole::kProcessDeviceUse, device.name());
  const bool has_process =
      process != nullptr && process->all.normal.n > 0 && process->all.abnormal.n > 0;
  double own_normal = device.row->busy_share.normal_core.mean;
  double own_abnormal = device.row->busy_share.abnormal_core.mean;
  Change::Typical own_shown = device.row->busy_share.typical();
  bool crowds = false;
  if (has_process) {
    own_shown = process->tested(MetricTime::kCycle).typical();
    own_normal = process->all.normal_core.mean;
    own_abnormal = process->all.abnormal_core.mean;
  } else if (const std::optional<Crowded> run = crowded_run(symptoms, device)) {
    // Counters show a shared device as busy for both: the own share is what the work needs alone.
    const Change& busy_ms = device.row->busy_ms;
    const Change& cycle_ms = symptoms.cycle->ms;
    const bool is_abnormal = *run == Crowded::kAbnormal;
    const double alone =
        100 * (is_abnormal ? busy_ms.normal_core.mean / cycle_ms.abnormal_core.mean
                           : busy_ms.abnormal_core.mean / cycle_ms.normal_core.mean);
    double& own = is_abnormal ? own_abnormal : own_normal;
    double& shown = is_abnormal ? own_shown.abnormal : own_shown.normal;
    crowds = alone < own;
    own = std::min(own, alone);
    shown = std::min(shown, alone);
  }
  const Change::Typical use_shown = use->tested(MetricTime::kCycle).typical();
  return {.is_known = true,
          .normal = std::max(0.0, use->all.normal_core.mean - own_normal),
          .abnormal = std::max(0.0, use->all.abnormal_core.mean - own_abnormal),
          .crowds = crowds,
          .shown_normal = std::max(0.0, use_shown.normal - own_shown.normal),
          .shown_abnormal = std::max(0.0, use_shown.abnormal - own_shown.abnormal)};
}

bool counter_shows_tenant(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const ForeignUse use = foreign_use(symptoms, device);
  const MetricRow* metric = symptoms.metric(MetricRole::kDeviceUse, device.name());
  return use.is_known && use.rise() >= kTenantPoints && (use.crowds || is_real(metric->all));
}

bool kernels_show_tenant(const Symptoms& symptoms, const DeviceSymptoms& device) {
  return crowded_run(symptoms, device) == Crowded::kAbnormal;
}

bool has_tenant(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const Outsiders outsiders = outsiders_on(symptoms, device);
  if (outsiders.is_known) return outsiders.came() && outsiders.rise() >= kTenantPoints;
  return counter_shows_tenant(symptoms, device) || kernels_show_tenant(symptoms, device);
}

BusTraffic bus_traffic(const Symptoms& symptoms, const DeviceSymptoms& device) {
  BusTraffic traffic;
  for (const MetricRow& row : symptoms.comparison->metrics) {
    if (row.info.role != MetricRole::kPcieTraffic || row.device != device.name() ||
        row.rank != symptoms.rank || row.all.normal.n == 0 || row.all.abnormal.n == 0) {
      continue;
    }
    traffic.is_known = true;
    const Change::Typical shown = row.tested(MetricTime::kCycle).typical();
    traffic.shown_normal = std::max(traffic.shown_normal, shown.normal);
    traffic.shown_abnormal = std::max(traffic.shown_abnormal, shown.abnormal);
    traffic.normal = std::max(traffic.normal, row.all.normal_core.mean);
    if (row.all.abnormal_core.mean < traffic.abnormal) continue;
    traffic.abnormal = row.all.abnormal_core.mean;
    traffic.is_real = is_real(row.all);
  }
  double own_bytes[2] = {0, 0};
  for (const FunctionRow* copy : device.copies) {
    const bool stays_on_devices =
        device::copy_direction(copy->key.name) == device::CopyDirection::kBetweenDevices;
    if (stays_on_devices) continue;
    own_bytes[0] += copy->bytes_normal;
    own_bytes[1] += copy->bytes_abnormal;
  }
  const double own_normal = own_bytes[0] / (1e-3 * symptoms.cycle->ms.normal_core.mean);
  traffic.own_abnormal = own_bytes[1] / (1e-3 * symptoms.cycle->ms.abnormal_core.mean);
  // A bus carries at least the program's own copies. NVML counts kilobytes, and some samplers write
  // its numbers as they are; ours does not. A run may also have been sampled between its copies.
  const bool is_own_recording =
      symptoms.metric(MetricRole::kForeignDeviceUse, device.name()) != nullptr;
  const bool counts_kilobytes = own_normal > 10 * traffic.normal &&
                                1000 * traffic.abnormal < kFastestBus && !is_own_recording;
  if (traffic.is_known && counts_kilobytes) traffic.count_kilobytes();
  return traffic;
}

bool has_copying_tenant(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const BusTraffic traffic = bus_traffic(symptoms, device);
  const MetricRow* power = symptoms.metric(MetricRole::kPower, device.name());
  // Who only copies computes nothing, and the list of processes shows what they compute.
  const bool is_foreign = traffic.own_abnormal > 0 || counter_shows_tenant(symptoms, device);
  return traffic.is_known && traffic.is_real && is_foreign &&
         traffic.abnormal - traffic.own_abnormal > kBusyBus &&
         traffic.abnormal > 5 * traffic.normal &&
         (power == nullptr || power->all.core_ratio() < 1.3);
}

}  // namespace strobe::compare

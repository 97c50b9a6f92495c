#include "strobe/compare/host_share.h"

#include <algorithm>

#include "strobe/compare/measure/function_index.h"
#include "strobe/device/vendor_names.h"

namespace strobe::compare {
namespace {

OwnWork own_work_of(const Comparison& comparison, const DeviceRow& device) {
  OwnWork work = {.device = &device};
  for (const FunctionRow& row : comparison.functions) {
    if (!is_own_work(row.key.kind) || row.type != comparison.cycles.front().type) continue;
    if (row.rank != device.rank || row.key.device != device.device) continue;
    work.normal_ms += row.ms.normal_core.mean;
    work.abnormal_ms += row.ms.abnormal_core.mean;
  }
  // Works of several streams overlap.
  work.normal_ms = std::min(work.normal_ms, device.busy_ms.normal_core.mean);
  work.abnormal_ms = std::min(work.abnormal_ms, device.busy_ms.abnormal_core.mean);
  return work;
}

}  // namespace

OwnWork longest_work(const Comparison& comparison) {
  OwnWork longest;
  for (const DeviceRow& device : comparison.devices) {
    if (device.device == kHostDevice) continue;
    const OwnWork work = own_work_of(comparison, device);
    if (longest.device == nullptr || work.most_ms() > longest.most_ms()) longest = work;
  }
  return longest;
}

HostShares host_shares(const Comparison& comparison, const OwnWork& work) {
  if (work.device == nullptr) return {};
  double normal_ms = work.normal_ms;
  double abnormal_ms = work.abnormal_ms;
  for (const IdleCauseRow& row : comparison.idle) {
    // Idle although the work was launched: that is not the host's time.
    if (row.rank != work.device->rank || row.cause.kind != analysis::IdleKind::kLaunched) continue;
    normal_ms += row.ms.normal_core.mean;
    abnormal_ms += row.ms.abnormal_core.mean;
  }
  const auto share = [](double device_ms, double cycle_ms) {
    return cycle_ms > 0 ? std::clamp(1 - device_ms / cycle_ms, 0.0, 1.0) : 0;
  };
  const Change& cycle = comparison.cycles.front().ms;
  return {share(normal_ms, cycle.normal_core.mean), share(abnormal_ms, cycle.abnormal_core.mean)};
}

namespace {

// For the device. Copies to the host's own memory do, whatever their name.
bool may_wait(const FunctionKey& key) {
  if (key.kind != FunctionKind::kRuntimeCall) return false;
  const device::RuntimeCall call = device::runtime_call(key.name);
  return call == device::RuntimeCall::kSynchronize || call == device::RuntimeCall::kCopy;
}

double waiting_share(const Comparison& comparison, std::int32_t rank,
                     stats::Moments Change::*core) {
  const CycleRow& cycle = comparison.cycles.front();
  double waiting_ms = 0;
  for (const FunctionRow& row : comparison.functions) {
    if (row.rank == rank && row.type == cycle.type && may_wait(row.key)) {
      waiting_ms += (row.ms.*core).mean;
    }
  }
  return waiting_ms / (cycle.ms.*core).mean;
}

}  // namespace

double stretchable_share(const Comparison& comparison, const OwnWork& work,
                         const HostShares& shares, HostLeads leads) {
  if (work.device == nullptr) return std::max(shares.normal, shares.abnormal);
  const auto share_of = [&](bool leads_here, double host_share, stats::Moments Change::*core) {
    // A device that hardly ever waits has work in reserve, little as it may be.
    constexpr double kHardly = 0.05;
    if (leads_here || host_share < kHardly) return host_share;
    return std::max(host_share, 1 - waiting_share(comparison, work.device->rank, core));
  };
  return std::max(share_of(leads.normal, shares.normal, &Change::normal_core),
                  share_of(leads.abnormal, shares.abnormal, &Change::abnormal_core));
}

}  // namespace strobe::compare

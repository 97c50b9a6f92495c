#pragma once

#include <algorithm>

#include "strobe/compare/comparison.h"

// Who sets the pace of a cycle: the host, or the device's own work.
namespace strobe::compare {

// What a device does itself, in milliseconds per cycle: in a collective it may wait for others.
struct OwnWork {
  const DeviceRow* device = nullptr;
  double normal_ms = 0;
  double abnormal_ms = 0;

  double most_ms() const { return std::max(normal_ms, abnormal_ms); }
};

constexpr bool is_own_work(FunctionKind kind) {
  return is_on_device(kind) && kind != FunctionKind::kCollective;
}

// Of the device that has most to do: the others wait for it. None without one.
OwnWork longest_work(const Comparison& comparison);

// The parts of the cycles, 0 to 1, in which the device has nothing to do, or waits for another one,
// which may wait for its host.
struct HostShares {
  double normal = 1;
  double abnormal = 1;
};
HostShares host_shares(const Comparison& comparison, const OwnWork& work);

// Whether the host is so far ahead of the device that the cycles are taken there.
struct HostLeads {
  bool normal = false;
  bool abnormal = false;
};

// The part of a cycle that a slower host may stretch, in the run where it is larger: where the host
// hardly sets the pace, a slower one does. A host that is not ahead sets the pace all the time,
// also while the device works, except where it waits for the device itself.
double stretchable_share(const Comparison& comparison, const OwnWork& work,
                         const HostShares& shares, HostLeads leads);

}  // namespace strobe::compare

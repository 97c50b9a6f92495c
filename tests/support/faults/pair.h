#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "strobe/trace/run.h"

// Simulated runs: one loop played twice on a simulated machine, the second time with a known kind
// of fault. Everything depends only on the seed.
namespace strobe {

enum class Fault : std::uint8_t {
  kNone,
  kPowerCap,
  kHeat,
  kLockedClock,
  kMemoryClock,
  kComputeTenant,
  kBusTenant,
  kSlowBus,
  kSlowLinks,
  kLateRank,
  kCoreContention,
  kSlowCores,
  kHostCode,
  kSynchronizations,
  kSlowDisk,
  kLateInput,
  kAllocations,
  kOtherKernels,
  kMoreLayers,
  kLargerBatch,
  kColdStart,
  kLostCycles,
  kProfilerOverhead,
  kQuota,
  kPaging,
};
std::span<const Fault> all_faults();  // without kNone
std::string_view sentence_of(Fault fault);

enum class Strength : std::uint8_t { kWeak, kMedium, kStrong };

struct FaultPair {
  Run normal;
  Run abnormal;
};

FaultPair make_fault_pair(Fault fault, Strength strength, std::uint64_t seed);

}  // namespace strobe

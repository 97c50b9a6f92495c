#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strobe::compare {

enum class CauseKind : std::uint8_t {
  kClockDrop,
  kMemoryBandwidth,
  kOtherTenant,
  kPcie,
  kFabric,
  kStraggler,
  kHostContention,
  kHostSlow,
  kLaunchBound,
  kSynchronisation,
  kDiskIo,
  kInputPipeline,
  kMemoryPressure,
  kKernelMix,
  kWorkload,
  kCommunicationWait,
  kColdStart,
  kMeasurement,
  kUnattributed,
};
std::string_view word_of(CauseKind kind);      // "clock", "other_tenant": for --fail-on and JSON
std::string_view sentence_of(CauseKind kind);  // "the device's clock dropped"

// One thing that was seen, with its numbers.
struct Evidence {
  std::string text;      // "SM clock while busy 1980 -> 1685 MHz (x0.85, q < 0.001)"
  std::string function;  // the row it comes from; "" if none
  std::string metric;
};

struct Cause {
  CauseKind kind = CauseKind::kUnattributed;
  double score = 0;                // 0..1; 0.5 is worth a line, 0.75 is confident
  std::string headline;            // "another process computes on GPU 0"
  std::vector<Evidence> evidence;  // for
  std::vector<Evidence> against;
  std::string advice;  // what to look at or do next
  // Where it was found, the surest first; empty if it is about the run as a whole.
  std::vector<std::int32_t> ranks = {};
};

inline constexpr double kListedScore = 0.5;
inline constexpr double kConfidentScore = 0.75;

}  // namespace strobe::compare

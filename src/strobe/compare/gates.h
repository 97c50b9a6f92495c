#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/compare/comparison.h"

// Conditions that two runs must not meet: `cycle>3%`, `beta>1`, `cause=clock`, `any`. A gate fails
// only on evidence: a change that the tests do not confirm never fails one, however large.
namespace strobe::compare {

enum class GateKind : std::uint8_t {
  kCyclePercent,  // cycles slower by more than `limit` percent
  kCycleMs,       // ... by more than `limit` milliseconds
  kBeta,          // a function's share of the cycle up by more than `limit` points
  kCause,         // this cause is listed
  kAny            // anything changed, for better or worse
};

struct Gate {
  std::string text;  // as typed
  GateKind kind = GateKind::kAny;
  double limit = 0;
  CauseKind cause = CauseKind::kUnattributed;
};

Result<std::vector<Gate>> parse_gates(const std::vector<std::string>& texts);

struct GateFailure {
  std::string gate;
  std::string why;  // a clause: "cycle time rose by 4.66 % ..."
};
std::vector<GateFailure> failed_gates(const Comparison& comparison, std::span<const Gate> gates);

}  // namespace strobe::compare

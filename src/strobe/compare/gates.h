#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/one_run.h"

// Conditions that two runs must not meet: `cycle>3%`, `beta>1`, `cause=clock`, `any`. A gate fails
// only on evidence: a change that the tests do not confirm never fails one, however large.
namespace strobe::compare {

enum class GateKind : std::uint8_t {
  kCyclePercent,  // cycles slower by more than `limit` percent
  kCycleMs,       // ... by more than `limit` milliseconds
  kBeta,          // a function's share of the cycle up by more than `limit` points
  kCause,         // this cause is listed, and does not explain an improvement
  kAny            // anything changed, for better or worse
};

struct Gate {
  std::string text;  // as typed
  GateKind kind = GateKind::kAny;
  double limit = 0;
  CauseKind cause = CauseKind::kUnattributed;
  bool is_strict = false;  // `cycle` also fails if the answer is unclear
};

Result<std::vector<Gate>> parse_gates(const std::vector<std::string>& texts);

struct GateFailure {
  std::string gate;
  std::string why;  // a clause: "cycle time rose by 4.66 % ..."
};
std::vector<GateFailure> failed_gates(const Comparison& comparison, std::span<const Gate> gates);
// The ranks of one run. `cycle` is about the own time of a slow rank against that of its peers,
// `any` and `cause=straggler` about any slow or late rank; `beta` and other causes about what
// differs between the slowest rank and a typical one.
std::vector<GateFailure> failed_gates(const Stragglers& stragglers, std::span<const Gate> gates);

}  // namespace strobe::compare

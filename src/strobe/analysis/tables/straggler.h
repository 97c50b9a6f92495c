#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/tables/summary.h"

namespace strobe::analysis {

// One rank of a run.
struct RankSummary {
  std::string name;
  const Summary* summary = nullptr;
};

// What a rank does by itself in an average step: the step without the communication that nothing
// hides, much of which is waiting for other ranks. Without steps, of the whole trace.
std::int64_t own_step_ns(const Summary& summary);

// The rank that keeps the others waiting, if one has clearly more work of its own than they have:
// ranks that meet in collectives have equal steps however unequal their work is.
std::optional<Finding> find_straggler(const std::vector<RankSummary>& ranks);

}  // namespace strobe::analysis

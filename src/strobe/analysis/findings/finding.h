#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/analysis/tables/summary.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

enum class FindingWeight : std::uint8_t { kNote, kWorthALook, kMatters };

// One sentence worth a person's time: what was seen with its numbers, why it matters, what to do.
struct Finding {
  std::string code;  // stable, for tools: "device_idle_host_bound"
  FindingWeight weight = FindingWeight::kNote;
  double share = 0;      // of the time it explains, 0..1: findings are ranked by weight, then share
  std::string headline;  // "GPU busy 9.6 % of 942 ms: the host launches slower than the GPU works"
  std::string advice;  // "capture the step in a graph, or compile the model, to launch less often"
};

// The findings of one summary, most important first.
std::vector<Finding> find_in(const Trace& trace, const Summary& summary);

}  // namespace strobe::analysis

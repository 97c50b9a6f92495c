#include "strobe/analysis/cycles/found_steps.h"

#include <cstddef>
#include <cstdint>

#include "strobe/analysis/cycles/cycles.h"

namespace strobe::analysis {
namespace {

constexpr std::size_t kFewestCycles = 3;

// A cycle that the trace cuts off would look like a short step.
std::vector<Step> steps_of(const CycleList& list) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < list.cycles.size(); ++i) {
    if (list.cycles[i].has_inferred_border) continue;
    Step step;
    step.number = static_cast<std::int64_t>(i) + 1;
    step.interval = list.cycles[i].interval;
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

std::vector<Step> steps_or_cycles(const Trace& trace, std::optional<FoundCycles>& found) {
  found.reset();
  std::vector<Step> steps = list_steps(trace);
  if (!steps.empty()) return steps;
  const std::optional<CycleList> cycles = find_sure_cycles(trace);
  if (!cycles) return {};
  steps = steps_of(*cycles);
  if (steps.size() < kFewestCycles) return {};
  found = FoundCycles{std::string(word_of(cycles->method)), cycles->marker};
  return steps;
}

Result<StepSelection> find_steps(const Trace& trace, NumberRange range, std::string_view where) {
  std::optional<FoundCycles> found;
  return choose_steps(steps_or_cycles(trace, found), range, where);
}

}  // namespace strobe::analysis

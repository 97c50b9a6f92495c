#include "strobe/compare/measure/partial_cycles.h"

#include <map>

#include "strobe/stats/moments.h"

namespace strobe::compare {

std::vector<bool> partial_cycles(const std::vector<analysis::Cycle>& cycles,
                                 const std::vector<std::uint64_t>& slices) {
  constexpr double kWholeShare = 0.8;
  std::map<analysis::CycleType, std::vector<double>> counts;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    counts[cycles[i].type].push_back(static_cast<double>(slices[i]));
  }
  std::map<analysis::CycleType, double> least;
  for (const auto& [type, sample] : counts) least[type] = kWholeShare * stats::median_of(sample);
  std::vector<bool> is_partial(cycles.size());
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    is_partial[i] =
        cycles[i].has_inferred_border || static_cast<double>(slices[i]) < least[cycles[i].type];
  }
  return is_partial;
}

}  // namespace strobe::compare

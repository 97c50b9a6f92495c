#include "strobe/compare/measure/usable_cycles.h"

namespace strobe::compare {

std::vector<std::size_t> usable_cycles(const RankMeasure& measure, const std::string& device,
                                       std::optional<analysis::CycleType> type) {
  std::vector<std::size_t> usable;
  const auto& cycles = measure.cycles.cycles;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (type && cycles[i].type != *type) continue;
    if (cycles[i].interval.length_ns() > 0 && measure.is_usable(device, i)) usable.push_back(i);
  }
  return usable;
}

}  // namespace strobe::compare

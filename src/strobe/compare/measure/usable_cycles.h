#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strobe/compare/measure/measure.h"

namespace strobe::compare {

// The cycles that count for a device: whole there, of some length, of one type if one is asked for.
std::vector<std::size_t> usable_cycles(const RankMeasure& measure, const std::string& device,
                                       std::optional<analysis::CycleType> type = {});

}  // namespace strobe::compare

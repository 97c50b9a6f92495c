#pragma once

#include <vector>

#include "strobe/compare/comparison.h"
#include "strobe/compare/pairing.h"

namespace strobe::compare {

// Series and devices by themselves, in cycles of one type; each kind of row is a family of tests.
std::vector<MetricRow> compare_series(const std::vector<PairedRank>& ranks,
                                      analysis::CycleType type);
std::vector<DeviceRow> compare_devices(const std::vector<PairedRank>& ranks,
                                       analysis::CycleType type);

}  // namespace strobe::compare

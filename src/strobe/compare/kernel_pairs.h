#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/analysis/headroom/kernel_study.h"

namespace strobe::compare {

// Launches of one name that do the same work on both sides, as far as can be told.
struct KernelStratum {
  std::vector<double> before_ns;  // in order of launch
  std::vector<double> after_ns;
};

struct KernelPair {
  std::string name;
  std::string family;
  analysis::KernelSums before;
  analysis::KernelSums after;
  std::vector<KernelStratum> strata;  // by shape, else by position, else one for all
};

// One per name of either side, in order of first appearance: before, then what only `after` has.
std::vector<KernelPair> pair_kernels(const analysis::KernelStudy& before,
                                     const analysis::KernelStudy& after);

}  // namespace strobe::compare

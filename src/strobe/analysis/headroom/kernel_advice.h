#pragma once

#include <vector>

#include "strobe/analysis/headroom/kernel_study.h"

namespace strobe::analysis {

struct KernelAdvice {
  Finding finding;
  FindingBasis basis;
};

// What to change first, from everything else a study knows. The share of an advice is the time at
// stake: of chains that could be one kernel all of their time, of products that could run faster
// their headroom. No launch's headroom is claimed twice.
std::vector<KernelAdvice> advise(const KernelStudy& study);

}  // namespace strobe::analysis

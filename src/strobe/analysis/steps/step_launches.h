#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/launches/attributed_trace.h"
#include "strobe/analysis/steps/steps.h"

namespace strobe::analysis {

// Device time launched in a step, streams added up.
struct StepLaunches {
  std::int64_t kernel_ns = 0;
  std::int64_t device_ns = 0;  // with copies and memsets
};

// Per step. A step owns what was launched below its own slices or, with `cover_all_threads`, every
// launch of its process that starts in its time. The latter is the truth wherever a framework runs
// backward on a thread of its own.
std::vector<StepLaunches> add_up_step_launches(const AttributedTrace& input,
                                               const std::vector<Step>& steps,
                                               bool cover_all_threads);

// Everything launched, for traces without steps.
StepLaunches add_up_all_launches(const AttributedTrace& input);

}  // namespace strobe::analysis

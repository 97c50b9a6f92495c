#pragma once

#include <string>

#include "strobe/bench/providers/cuda/device_clock.h"
#include "strobe/bench/providers/cuda/library_step.h"

// Which of a step's ways is the fastest here: all are tried briefly, the best ones longer.
namespace strobe::bench {

struct TunedStep {
  std::size_t choice = 0;
  double us = 0;            // its median with a cold cache; 0: not timed
  std::size_t tried = 0;    // that ran
  std::size_t refused = 0;  // that the library proposed and then did not run
};

// On the first set of buffers, which hold what the steps before left. Without `may_tune` the first
// way that runs. An error if none does, if memory runs out or the GPU is lost.
Result<TunedStep> tune_step(DeviceClock& clock, LibraryStep& step, bool may_tune);

}  // namespace strobe::bench

#pragma once

#include <span>
#include <string>
#include <vector>

#include "strobe/bench/providers/codegen/program_timer.h"

// The fastest of several programs, in rounds: a few samples for all, more for the better half.
namespace strobe::bench {

struct ProgramChoice {
  std::size_t index = 0;
  double median_us = 0;
  std::vector<std::string> failures;  // candidates that could not run: label and why
};

// Fails if none could run, if there is no room, or if the device was lost on the way.
Result<ProgramChoice> choose_program(ProgramTimer& timer, std::span<const KernelProgram> programs);

}  // namespace strobe::bench

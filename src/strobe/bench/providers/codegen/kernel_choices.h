#pragma once

#include <vector>

#include "strobe/bench/providers/codegen/kernel_frame.h"

// All schedules asked for one task.
namespace strobe::bench {

struct KernelChoice {
  std::string label;
  GeneratedKernel kernel;
  double moved_bytes = 0;
};
// The likeliest first; empty where no schedule can do it.
std::vector<KernelChoice> kernel_choices(const KernelTask& task, const ChipFacts& chip,
                                         std::size_t most);

}  // namespace strobe::bench

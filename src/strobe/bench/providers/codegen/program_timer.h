#pragma once

#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/providers/codegen/kernel_program.h"

// Whoever can say how long a program takes: a GPU, or a script in a test of the tuner.
namespace strobe::bench {

class ProgramTimer {
 public:
  virtual ~ProgramTimer() = default;
  // Device times of so many calls in microseconds. After an error of one program
  // the others may be tried, unless is_lost().
  virtual Result<std::vector<double>> time(const KernelProgram& program, int samples) = 0;
  virtual bool is_lost() const { return false; }  // nothing can be timed any more
};

}  // namespace strobe::bench

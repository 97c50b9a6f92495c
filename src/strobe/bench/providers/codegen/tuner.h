#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/providers/codegen/kernel_program.h"

// Finds the fastest of several programs. A ProgramTimer times them: a GPU, or a script in a test.
namespace strobe::bench {

class ProgramTimer {
 public:
  virtual ~ProgramTimer() = default;
  // Device times of `samples` calls in microseconds. After an error of one program the others may
  // be tried, unless is_lost().
  virtual Result<std::vector<double>> time(const KernelProgram& program, int samples) = 0;
  virtual bool is_lost() const { return false; }  // nothing can be timed any more
};

struct TuneRound {
  int samples = 5;
  std::size_t survivors = 1;
};

struct TuneOptions {
  // Survivors of each round; the last one leaves the winner.
  std::vector<TuneRound> rounds = {{5, 8}, {20, 3}, {60, 1}};
  // Calls this short differ from the next best by less than the clock's step: they are timed this
  // many times as often.
  double short_us = 50;
  int short_factor = 4;
  // A candidate this much slower than the best of its round is dropped, however few are left.
  double hopeless = 1.25;
  // Limit of the tuning time. Candidates beyond it are not timed (the most promising come first),
  // and later rounds take as many samples as the rest of it allows, at least kFewest.
  double budget_ms = 1500;
  static constexpr int kFewest = 3;
  std::function<double()> elapsed_ms;  // empty: the host's clock, from the start of tune()
};

struct Tuned {
  std::size_t index = 0;              // of the winner
  double typical_us = 0;              // mean of the middle half of its samples
  int timed = 0;                      // candidates that ran
  int skipped = 0;                    // candidates without time left
  std::vector<std::string> failures;  // "<label>: <why>"
};

// The fastest of some programs by successive halving: few samples of all, more of the better half,
// many of the last ones. Samples of all rounds count together, so one noisy round does not decide.
// Fails if every candidate fails (with the first one's error), if the device is lost, or if memory
// is too small: then it is too small for the other candidates, too.
Result<Tuned> tune(ProgramTimer& timer, std::span<const KernelProgram> candidates,
                   const TuneOptions& options = {});

}  // namespace strobe::bench

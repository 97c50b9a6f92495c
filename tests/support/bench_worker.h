#pragma once

#include <string>
#include <vector>

// A worker that does as it is told: tests/support/bench_worker.py.
namespace strobe::testing {

inline std::vector<std::string> scripted_worker(const std::vector<std::string>& words = {}) {
  std::vector<std::string> command = {"python3", "-S", "-E",
                                      STROBE_SOURCE_DIR "/tests/support/bench_worker.py"};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

}  // namespace strobe::testing

#pragma once

#include <string>
#include <vector>

#include "strobe/bench/workers/runner.h"

// A worker that does as it is told: tests/support/bench_worker.py.
namespace strobe::testing {

inline std::vector<std::string> scripted_worker(const std::vector<std::string>& words = {}) {
  std::vector<std::string> command = {"python3", "-S", "-E",
                                      STROBE_SOURCE_DIR "/tests/support/bench_worker.py"};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

// Two shapes of a case whose right values the script knows; few samples, no waiting. Nobody who
// runs them yet.
inline bench::RunRequest brief_run(int samples) {
  bench::RunRequest request;
  request.cases = {"bias_dropout_add"};
  request.shapes = {bench::Shape{{4, 8}}, bench::Shape{{16, 8}}};
  request.modes = {bench::TimeMode::kDevice};
  request.measure.stop = {.kind = bench::StopRule::Kind::kSamples,
                          .value = static_cast<double>(samples),
                          .least_samples = static_cast<std::size_t>(samples),
                          .least_ms = 0,
                          .most_samples = static_cast<std::size_t>(samples),
                          .most_ms = 1000};
  request.measure.warm_up = {.least_calls = 1, .least_ms = 0, .most_ms = 1};
  return request;
}

}  // namespace strobe::testing

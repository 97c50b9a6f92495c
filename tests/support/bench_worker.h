#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/bench/workers/runner.h"

// A scripted worker: tests/support/bench_worker.py.
namespace strobe::testing {

using Words = std::vector<std::string>;

inline std::vector<std::string> scripted_worker(const Words& words = {}) {
  std::vector<std::string> command = {"python3", "-S", "-E",
                                      STROBE_SOURCE_DIR "/tests/support/bench_worker.py"};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

// Two shapes of a case whose correct values the script knows; few samples, no waiting. No providers
// yet.
inline bench::RunRequest brief_run(int samples) {
  bench::RunRequest request;
  request.cells.cases = {"bias_dropout_add"};
  request.cells.shapes = {bench::Shape{{4, 8}}, bench::Shape{{16, 8}}};
  request.timing.modes = {bench::TimeMode::kDevice};
  request.timing.measure.stop = {.kind = bench::StopRule::Kind::kSamples,
                                 .value = static_cast<double>(samples),
                                 .least_samples = static_cast<std::size_t>(samples),
                                 .least_ms = 0,
                                 .most_samples = static_cast<std::size_t>(samples),
                                 .most_ms = 1000};
  request.timing.measure.warm_up = {.least_calls = 1, .least_ms = 0, .most_ms = 1};
  return request;
}

// Runs of scripted workers, and their cells.

// Each provider with the arguments of its script.
inline bench::RunRequest a_request(const std::map<std::string, std::vector<std::string>>& workers) {
  bench::RunRequest request = brief_run(20);
  for (const auto& [name, words] : workers) {
    request.providers.push_back(name);
    request.workers.commands[name] = scripted_worker(words);
  }
  return request;
}

inline bench::BenchOutcome ran(const bench::RunRequest& request) {
  Result<bench::BenchOutcome> outcome = bench::run_bench(request, [](const bench::RunProgress&) {});
  EXPECT_TRUE(outcome) << outcome.error().what;
  return outcome ? std::move(*outcome) : bench::BenchOutcome{};
}

inline const bench::CellRecord& cell(const bench::BenchOutcome& outcome, std::string_view provider,
                                     std::size_t nth = 0) {
  for (const bench::CellRecord& record : outcome.run.cells) {
    if (record.cell.provider == provider && nth-- == 0) return record;
  }
  static const bench::CellRecord kNone;
  ADD_FAILURE() << "no cell of " << provider;
  return kNone;
}

}  // namespace strobe::testing

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/bench_worker.h"

// Runs of scripted workers, and their cells.
namespace strobe::testing {

// Each provider with the words of its script.
inline bench::RunRequest a_request(const std::map<std::string, std::vector<std::string>>& workers) {
  bench::RunRequest request = brief_run(20);
  for (const auto& [name, words] : workers) {
    request.providers.push_back(name);
    request.workers[name] = scripted_worker(words);
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

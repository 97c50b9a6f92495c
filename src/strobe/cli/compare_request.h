#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/cli/command.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/gates.h"
#include "strobe/readers/trace_cache.h"

namespace strobe::cli {

enum class CompareFormat : std::uint8_t { kText, kMarkdown, kJson, kCsv, kHtml };

enum class CompareMode : std::uint8_t {
  kTwoRuns,    // NORMAL ABNORMAL
  kHalves,     // --halves RUN: the first half of its cycles with the second
  kStragglers  // RUN: its ranks with each other
};

// What `strobe compare` was asked for.
struct CompareRequest {
  CompareMode mode = CompareMode::kTwoRuns;
  std::filesystem::path normal;  // or the only run
  std::filesystem::path abnormal;
  std::vector<std::filesystem::path> baselines;
  bool compat = false;
  compare::CompareOptions options;
  std::vector<compare::Gate> gates;
  std::size_t top = 0;  // rows a table, 0: all
  CompareFormat format = CompareFormat::kText;
  unsigned threads = 0;  // 0: one per core
  std::string output;    // "": stdout
  readers::CacheOptions cache;
};

Result<CompareRequest> read_compare_request(const Arguments& arguments);

}  // namespace strobe::cli

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/cli/command.h"
#include "strobe/cli/loading.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/gates.h"

namespace strobe::cli {

enum class CompareMode : std::uint8_t {
  kTwoRuns,     // NORMAL ABNORMAL
  kHalves,      // --halves RUN: the first half of its cycles with the second
  kStragglers,  // RUN: its ranks with each other
  kDigest       // --digest FILE RUN: nothing is compared
};

// The request of `strobe compare`.
struct CompareRequest {
  CompareMode mode = CompareMode::kTwoRuns;
  std::string normal;  // or the only run
  std::string abnormal;
  std::vector<std::string> baselines;  // more normal runs
  std::vector<std::string> repeats;    // more abnormal ones
  bool halves = false;
  bool compat = false;
  std::string digest;  // where to write that of the only run; "": nowhere
  compare::CompareOptions options;
  std::vector<compare::Gate> gates;
  bool strict = false;                    // gates on the cycle time fail on an unclear answer too
  std::optional<compare::RankKey> order;  // by --sort
  std::optional<std::size_t> typed_top;
  std::size_t top = 0;  // rows per table, 0: all
  Format format = Format::kText;
  LoadChoice load;
  std::string output;  // "": stdout
};

std::vector<Flag> compare_flags(CompareRequest& request);
Result<void> complete_compare(CompareRequest& request, const Arguments& arguments);

}  // namespace strobe::cli

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/judge/run_diff.h"
#include "strobe/cli/command.h"

namespace strobe::cli {

// The request of `strobe bench compare`.
struct BenchCompareRequest {
  std::string before;
  std::string after;
  bench::RunDiffOptions options;
  std::vector<bench::SpeedGate> gates;
  Format format = Format::kText;
  std::optional<std::size_t> typed_top;
  std::size_t top = 0;  // rows, 0: all
  std::string output;
};

// --mode, here and in `bench show`.
Flag time_mode_flag(std::optional<bench::TimeMode>& mode, std::string_view help);

std::vector<Flag> bench_compare_flags(BenchCompareRequest& request);
Result<void> complete_bench_compare(BenchCompareRequest& request, const Arguments& arguments);

}  // namespace strobe::cli

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/judge/run_diff.h"
#include "strobe/cli/command.h"
#include "strobe/cli/kernels_request.h"

namespace strobe::cli {

// What `strobe bench compare` was asked for.
struct BenchCompareRequest {
  std::filesystem::path before;
  std::filesystem::path after;
  bench::RunDiffOptions options;
  std::vector<bench::SpeedGate> gates;
  KernelFormat format = KernelFormat::kText;
  std::size_t top = 0;  // rows, 0: all
  std::string output;
};
Result<BenchCompareRequest> read_bench_compare_request(const Arguments& arguments);

}  // namespace strobe::cli

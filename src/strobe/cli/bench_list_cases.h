#pragma once

#include <string>

namespace strobe::cli {

// A line for each case: its name, what fusion alone can win, kernels without it, what it computes.
std::string bench_case_lines();

}  // namespace strobe::cli

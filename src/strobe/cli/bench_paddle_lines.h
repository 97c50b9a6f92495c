#pragma once

#include <string>

#include "strobe/bench/results/cell_record.h"

namespace strobe::cli {

// The two lines that Paddle's attention benchmark prints: "Equality ratio: 100.00%" and
// "FlashAttention | 16 | 32 | 1024 |  Time costs: 116.100 ms / time" (batch, head dimension,
// sequence), for each attention that ran.
std::string bench_paddle_lines(const bench::BenchRun& run);

}  // namespace strobe::cli

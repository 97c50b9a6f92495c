#pragma once

#include <string>

#include "strobe/bench/results/cell_record.h"

namespace strobe::cli {

// The two lines that Paddle's attention benchmark prints, for each cell that ran: "Equality ratio:
// 100.00%" and "FlashAttention | 16 | 32 | 1024 |  Time costs: 116.100 ms / time" (batch, head
// dimension, sequence). Of other cases the second is in the same style: "softmax | cpu | f32 |
// 128x128 |  Time costs: 0.003 ms / time".
std::string bench_paddle_lines(const bench::BenchRun& run);

}  // namespace strobe::cli

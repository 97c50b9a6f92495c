#pragma once

#include <string>

#include "strobe/bench/results/cell_record.h"
#include "strobe/cli/command.h"

// The actions of `strobe bench`, one file each; bench_command.cc lists them.
namespace strobe::cli {

Command bench_list_action();
Command bench_run_action();
Command bench_show_action();
Command bench_compare_action();
Command bench_roof_action();

// A line per case: its name, the most that fusion can gain, kernels without it, what it computes.
std::string bench_case_lines(int columns);

// The two lines that Paddle's attention benchmark prints, for each cell that ran: "Equality ratio:
// 100.00%" and "FlashAttention | 16 | 32 | 1024 |  Time costs: 116.100 ms / time" (batch, head
// dimension, sequence). For other cases the second line has the same style: "softmax | cpu | f32 |
// 128x128 |  Time costs: 0.003 ms / time".
std::string bench_paddle_lines(const bench::BenchRun& run);

}  // namespace strobe::cli

#pragma once

#include <string>
#include <vector>

#include "strobe/bench/providers/codegen/helper_text.h"
#include "strobe/bench/providers/codegen/kernel_frame.h"

// Element by element where some inputs are stored the other way round than the outputs. A block
// turns its tile of these in shared memory, so that every access to memory is along what is
// contiguous; or each thread turns a square of 4 x 4 in its registers, without a barrier: then 8
// neighbours are side by side along one axis and 4 along the other.
namespace strobe::bench {

struct PointwiseTile {
  int along = 64;   // values of the tile along the outputs' contiguous axis
  int across = 32;  // and along the other
  int threads = 128;
  int values = 4;  // of a packet; 1 where the shape is not a multiple of 4
  CacheHint hint = CacheHint::kPlain;
  bool in_registers = false;  // `values` is 4, `along` a multiple of 32, `across` of 16
};

bool can_run_tile(const KernelTask& task);
std::vector<PointwiseTile> pointwise_tile_schedules(const KernelTask& task, const ChipFacts& chip);
GeneratedKernel emit_pointwise_tile(const KernelTask& task, const PointwiseTile& schedule);
std::string label_of(const PointwiseTile& schedule);

}  // namespace strobe::bench

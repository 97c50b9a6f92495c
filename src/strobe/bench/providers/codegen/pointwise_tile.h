#pragma once

#include <string>
#include <vector>

#include "strobe/bench/providers/codegen/helper_text.h"
#include "strobe/bench/providers/codegen/kernel_frame.h"

// Element by element where some inputs are stored the other way round than the outputs: a block
// turns its tile of these, so that every access to memory is along what is contiguous.
namespace strobe::bench {

enum class Turn {
  kWords,      // through shared memory, value by value; a thread has a packet or few, soon loaded
  kSquares,    // through shared memory, 4 x 4 values of a thread turned before they go there
  kRegisters,  // 4 x 4 values of a thread, no barrier; 8 threads along one axis, 4 along the other
};

struct PointwiseTile {
  int along = 64;   // values of the tile along the outputs' contiguous axis
  int across = 32;  // and along the other
  int threads = 128;
  int values = 4;  // of a packet; 1 where the shape is not a multiple of 4
  CacheHint hint = CacheHint::kPlain;
  Turn turn = Turn::kSquares;  // else than by words: `values` is 4; and in registers: `along` a
                               // multiple of 32, `across` of 16
};

bool can_run_tile(const KernelTask& task);
std::vector<PointwiseTile> pointwise_tile_schedules(const KernelTask& task, const ChipFacts& chip);
GeneratedKernel emit_pointwise_tile(const KernelTask& task, const PointwiseTile& schedule);
std::string label_of(const PointwiseTile& schedule);

}  // namespace strobe::bench

#pragma once

#include <string>
#include <vector>

#include "strobe/bench/providers/codegen/helper_text.h"
#include "strobe/bench/providers/codegen/kernel_task.h"

// Element by element, all tensors in one layout: packets in a row, whatever the rows are. Operands
// of one value a column or a row are found by the place in the row.
namespace strobe::bench {

struct PointwiseFlat {
  int threads = 256;
  int unroll = 4;  // independent packets of a thread
  int packet_bytes = 16;
  int blocks_per_sm = 0;  // 0: a tile per block; else blocks that stay and stride
  CacheHint hint = CacheHint::kPlain;
};

bool can_run_flat(const KernelTask& task);
GeneratedKernel emit_pointwise_flat(const KernelTask& task, const PointwiseFlat& schedule,
                                    const ChipFacts& chip);
std::string label_of(const PointwiseFlat& schedule);

// Element by element where some inputs are stored the other way round than the outputs: a block
// turns its tile of these, so that every access to memory is along what is contiguous.

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

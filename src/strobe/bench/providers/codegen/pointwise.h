#pragma once

#include <string>
#include <vector>

#include "strobe/bench/providers/codegen/helper_text.h"
#include "strobe/bench/providers/codegen/kernel_task.h"

// Elementwise kernels whose tensors have one layout: packets in a row, regardless of row borders.
// Operands with one value per column or row are found by the position in the row.
namespace strobe::bench {

struct PointwiseFlat {
  int threads = 256;
  int unroll = 4;  // independent packets per thread
  int packet_bytes = 16;
  int blocks_per_sm = 0;  // 0: a tile per block; else persistent blocks that stride
  CacheHint hint = CacheHint::kPlain;
};

bool can_run_flat(const KernelTask& task);
GeneratedKernel emit_pointwise_flat(const KernelTask& task, const PointwiseFlat& schedule,
                                    const ChipFacts& chip);
std::string label_of(const PointwiseFlat& schedule);

// Elementwise kernels in which some inputs have the transposed layout of the outputs: a block
// transposes its tile of these, so that every memory access is contiguous.
enum class Turn {
  kWords,      // through shared memory, value by value; each thread loads a few packets at once
  kSquares,    // through shared memory, after 4 x 4 values were transposed in a thread
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

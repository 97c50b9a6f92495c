#pragma once

#include <string>

#include "strobe/bench/providers/codegen/helper_text.h"
#include "strobe/bench/providers/codegen/kernel_frame.h"

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

}  // namespace strobe::bench

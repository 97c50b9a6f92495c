#pragma once

#include <string>
#include <vector>

#include "strobe/bench/providers/codegen/helper_text.h"
#include "strobe/bench/providers/codegen/kernel_task.h"

// A block walks over its row once per dependent reduction and keeps nothing: for rows that no
// memory on the chip holds, and for reductions that need only one walk. Maximum and sum of a
// softmax, and sum and squares of a normalisation, are computed in one walk.
namespace strobe::bench {

struct RowStream {
  int threads = 512;
  int unroll = 4;  // packets in flight per thread
  int packet_bytes = 16;
  int blocks_per_sm = 1;
  CacheHint hint = CacheHint::kPlain;
};

std::vector<RowStream> row_stream_schedules(const KernelTask& task, const ChipFacts& chip);
GeneratedKernel emit_row_stream(const KernelTask& task, const RowStream& schedule);
// Memory traffic, with every walk counted.
double streamed_bytes(const KernelTask& task);
std::string label_of(const RowStream& schedule);

}  // namespace strobe::bench

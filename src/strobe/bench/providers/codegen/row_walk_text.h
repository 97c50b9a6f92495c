#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "strobe/bench/cases/expression.h"
#include "strobe/bench/providers/codegen/kernel_task.h"
#include "strobe/bench/providers/codegen/row_plan.h"
#include "strobe/bench/providers/codegen/source_text.h"

// The inside of a walk over a row; it does not depend on where the row is held.
namespace strobe::bench {

// "n3", or the number itself.
std::string value_name(const Expression& expression, NodeIndex node);

// The row values known before a walk: lines of `const float n4 = ...`.
void emit_row_values(SourceText& text, const KernelTask& task, const RowWalk& walk);
// Lines by which one thread writes the outputs with one value per row.
void emit_row_outputs(SourceText& text, const KernelTask& task, const RowWalk& walk,
                      const std::string& is_writer);
// Accumulators of a walk's reductions, at their neutral values. Moments are relative to the row's
// first value: a large mean then costs no digits, and one walk is enough. A row has `packets`.
void emit_accumulators(SourceText& text, const KernelTask& task, const RowWalk& walk,
                       std::int64_t packets);
// After the threads' sums are joined: moments about zero and about the mean.
void emit_moments(SourceText& text, const KernelTask& task, const Moments& moments);

struct PacketNames {
  std::function<std::string(NodeIndex)> read;    // of an element: "held0[k][v]"
  std::function<std::string(NodeIndex)> column;  // "gamma_value[v]"
  std::function<std::string(int)> kept;          // by slot
  std::string packet;                            // "base + t + k * 256": where outputs go
};
// The loop over the values of one packet and the stores after it.
void emit_packet(SourceText& text, const KernelTask& task, const RowWalk& walk, int values,
                 const PacketNames& names);

// Sums and maxima over lanes of a warp, as far as the expression needs them.
std::string join_helpers(const Expression& expression);
// "sum" or "max"
std::string join_name(const Node& reduction);

// Combines one partial result per thread into the row's result in every thread: over lanes by
// shuffles, over warps through shared memory, over the blocks of a cluster through their shared
// memory. One barrier.
struct JoinLayout {
  int group = 32;  // threads per row in a block
  int cluster = 1;
  int rows_per_block = 1;
  int reductions = 1;       // in the kernel: each has its own place, so no second barrier
  bool alternates = false;  // rows in a loop: separate places for even and odd rows

  int warps() const { return group > 32 ? group / 32 : 1; }
  int parts() const { return warps() * cluster; }
};
// Bytes of shared memory for partial results.
inline int partial_bytes(const JoinLayout& layout) {
  return layout.parts() > 1 ? 8 * layout.reductions * layout.rows_per_block * layout.parts() : 0;
}

// `joined` are variables n<index>. For a softmax: {maximum, sum}; the sum is rescaled when the
// maximum grows.
void emit_join(SourceText& text, const Expression& expression, const std::vector<NodeIndex>& joined,
               const JoinLayout& layout, int first_reduction, bool is_softmax);

}  // namespace strobe::bench

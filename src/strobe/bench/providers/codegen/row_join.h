#pragma once

#include <vector>

#include "strobe/bench/cases/expression.h"
#include "strobe/bench/providers/codegen/source_text.h"

// From one partial result a thread to one result of the row in every thread: over lanes by
// shuffles, over warps through shared memory, over the blocks of a cluster through theirs. One
// barrier.
namespace strobe::bench {

struct JoinLayout {
  int group = 32;  // threads of a row in a block
  int cluster = 1;
  int rows_per_block = 1;
  int reductions = 1;       // of the kernel: each has a place of its own, so no second barrier
  bool alternates = false;  // rows in a loop: places of even and odd rows

  int warps() const { return group > 32 ? group / 32 : 1; }
  int parts() const { return warps() * cluster; }
};
// Bytes of shared memory that partial results take.
inline int partial_bytes(const JoinLayout& layout) {
  return layout.parts() > 1 ? 8 * layout.reductions * layout.rows_per_block * layout.parts() : 0;
}

// `joined` are variables n<index>. Of a softmax: {maximum, sum}; the sum is scaled as the maximum
// grows.
void emit_join(SourceText& text, const Expression& expression, const std::vector<NodeIndex>& joined,
               const JoinLayout& layout, int first_reduction, bool is_softmax);

}  // namespace strobe::bench

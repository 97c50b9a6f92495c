#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "strobe/bench/cases/expression.h"

// The order in which a kernel walks over its row: one walk for every reduction that depends on
// another.
namespace strobe::bench {

enum class KeepPolicy : std::uint8_t {
  kAll,     // values that a later walk needs are held: registers
  kCostly,  // only values that are expensive to recompute: shared memory
  kNone,    // nothing, not even the inputs: every walk reads memory
};

// A sum of an input and, in the next walk, the sum of squares about its mean: one walk can compute
// both.
struct Moments {
  NodeIndex input = kNoNode;
  NodeIndex sum = kNoNode;
  NodeIndex squares = kNoNode;
};

struct RowWalk {
  struct Read {  // an input's element, or a value that an earlier walk kept
    NodeIndex node = kNoNode;
    int slot = -1;  // kNone: -1, from memory
  };
  struct Keep {
    NodeIndex node = kNoNode;
    int slot = -1;
  };
  std::vector<Read> reads;
  std::vector<NodeIndex> columns;  // inputs with one value per column
  std::vector<NodeIndex> compute;  // one value per element, in order
  std::vector<NodeIndex> reduce;   // reductions that end with this walk
  std::vector<Keep> keeps;
  std::vector<std::size_t> outputs;      // written in this walk, one value per element
  std::vector<NodeIndex> row_values;     // known before this walk: one value per row
  std::vector<std::size_t> row_outputs;  // known before this walk
  bool is_joined_later =
      false;                   // its maximum stays in the thread until the next walk's sum is known
  bool joins_softmax = false;  // that next walk: maximum and sum are exchanged together
  std::optional<Moments> moments;  // then `reduce` is its sum and its squares
};

// The last walk may have no elements: then it only computes values that are known at the end.
struct RowPlan {
  std::vector<RowWalk> walks;
  int slots = 0;                  // the first ones are the element inputs, in order
  std::vector<NodeIndex> inputs;  // nodes of the element inputs, by slot
  std::vector<NodeIndex> column_inputs;
  int reductions() const;
  bool keeps_over_input() const;  // some value reuses the slot of an input
};

RowPlan plan_rows(const Expression& expression, KeepPolicy policy);

// Joins walks of a plan whose results can be exchanged together: half as many barriers. If a
// maximum is only subtracted before an exponential that is summed, every thread subtracts its own
// maximum, and both results are exchanged together. A kept exponential then refers to the thread's
// own maximum. False: nothing to join.
bool join_softmaxes(RowPlan& plan, const Expression& expression);
// If the squares about a mean are summed, the walk that sums the values does both. The walk of the
// squares then has no elements. False: nothing to join.
bool join_moments(RowPlan& plan, const Expression& expression);
// Both.
bool join_walks(RowPlan& plan, const Expression& expression);

}  // namespace strobe::bench

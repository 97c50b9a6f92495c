#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "strobe/bench/cases/expression.h"

// The order in which a kernel walks over its row: one walk for every reduction that depends on
// another.
namespace strobe::bench {

enum class KeepPolicy : std::uint8_t {
  kAll,     // what a later walk needs again is held: registers
  kCostly,  // only what is expensive to compute again: shared memory
  kNone,    // nothing, not even the inputs: every walk reads memory
};

// A sum of an input and, in the next walk, the sum of squares about its mean: one walk can have
// both.
struct Moments {
  NodeIndex input = kNoNode;
  NodeIndex sum = kNoNode;
  NodeIndex squares = kNoNode;
};

struct RowWalk {
  struct Read {  // of an input's element or of what an earlier walk kept
    NodeIndex node = kNoNode;
    int slot = -1;  // kNone: -1, from memory
  };
  struct Keep {
    NodeIndex node = kNoNode;
    int slot = -1;
  };
  std::vector<Read> reads;
  std::vector<NodeIndex> columns;  // inputs of one value a column
  std::vector<NodeIndex> compute;  // a value an element, in order
  std::vector<NodeIndex> reduce;   // reductions that end with this walk
  std::vector<Keep> keeps;
  std::vector<std::size_t> outputs;      // of elements, written in this walk
  std::vector<NodeIndex> row_values;     // known before this walk: of its own and of the row
  std::vector<std::size_t> row_outputs;  // known before this walk
  bool is_joined_later =
      false;                   // its maximum stays in the thread until the next walk's sum is there
  bool joins_softmax = false;  // that next walk: maximum and sum go together
  std::optional<Moments> moments;  // then `reduce` is its sum and its squares
};

// The last walk may have no elements: then it only holds what is known at the end.
struct RowPlan {
  std::vector<RowWalk> walks;
  int slots = 0;                  // the first ones are the inputs of elements, in their order
  std::vector<NodeIndex> inputs;  // nodes of the inputs of elements, by slot
  std::vector<NodeIndex> column_inputs;
  int reductions() const;
  bool keeps_over_input() const;  // some value takes the place of an input
};

RowPlan plan_rows(const Expression& expression, KeepPolicy policy);

// Two walks of a plan whose results can go through the barriers together: half as many exchanges.

// Where a maximum is only there to be taken off before an exponential that is summed up, every
// thread takes its own maximum off, and the two go through the barriers together: half as many.
// What was kept of the exponential is then of the thread's own maximum. False: there is no such
// place.
bool join_softmaxes(RowPlan& plan, const Expression& expression);
// Where the squares about a mean are summed up, the walk that sums up the values does both. The
// walk of the squares is then without elements. False: there is no such place.
bool join_moments(RowPlan& plan, const Expression& expression);
// Both.
bool join_walks(RowPlan& plan, const Expression& expression);

}  // namespace strobe::bench

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/analysis/launches/attribution.h"

namespace strobe::analysis {

using Shape = std::vector<std::int64_t>;

// The arguments of an operator call, as far as they were recorded: shapes by position with the
// plain arguments beside them, or shapes by name.
struct OperatorShapes {
  std::vector<Shape> inputs;              // [] for what is not a tensor
  std::vector<std::string> plain_inputs;  // "[1, 1]", "False"; "" for tensors; may be empty
  std::vector<std::pair<std::string, Shape>> named_inputs;  // the first tensor of each name

  const Shape* input(std::size_t position) const;   // null unless it has dimensions
  const Shape* named(std::string_view name) const;  // [] for a tensor of one element
};

// Where the shapes are in an argument text. Equal texts mean equal shapes, so they are used as a
// key; whole argument texts differ in every call.
struct ShapeTexts {
  std::string_view inputs;        // JSON; "" if the shapes were not recorded
  std::string_view plain_inputs;  // JSON
  bool is_by_position = false;

  bool empty() const { return inputs.empty(); }
};
ShapeTexts find_shapes(std::string_view args);

OperatorShapes read_shapes(const ShapeTexts& texts);

// Multiplications and additions of one call; nothing if the shapes are insufficient.
using FlopFormula = std::optional<std::uint64_t> (*)(const OperatorShapes& shapes);

// Null if there is no formula for the operator.
FlopFormula find_flop_formula(std::string_view operator_name);

// Floating-point operations per node, estimated from the shapes of its operator call; empty if the
// trace has no arguments. A multiplication and an addition count as two.
//
// Like a total time, a node's number includes what the node calls: aten::linear, aten::addmm below
// it and the autograd operator around it state the same operations, each in its own row, so rows do
// not add up. An operator whose formula takes shapes by position stands for its whole call;
// operators below it do not add to it. One without a formula or shapes has the sum of what is
// below. A name's number is the sum over its calls; a call inside one of the same name adds
// nothing.
std::vector<std::uint64_t> estimate_flops(const AttributedTrace& input);

}  // namespace strobe::analysis

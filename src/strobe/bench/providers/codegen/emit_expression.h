#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "strobe/bench/cases/expression.h"

// Turns nodes into CUDA text: one f32 expression per node.
namespace strobe::bench {

// The expression that kernels compute: C is a number, division by a value of the row is a product,
// and unused nodes are removed.
Expression simplified(const Expression& expression, std::int64_t columns);

using OperandName = std::function<std::string(NodeIndex)>;
// "strobe_exp(n3)"; not for reductions, inputs and nodes that depend on the element's index.
std::string node_text(const Node& node, const OperandName& name);

// "strobe_dropout(n3, dropout_key + <index>, ...)"; `index` of the element is unsigned.
std::string dropout_text(const Node& node, const OperandName& name, const std::string& index);

// "sum4 += n3;", also used to join two partial results.
std::string accumulate_text(const Node& reduction, const std::string& into,
                            const std::string& value);
std::string identity_text(const Node& reduction);

bool uses(const Expression& expression, Op op);

}  // namespace strobe::bench

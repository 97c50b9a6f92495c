#pragma once

#include <cstdint>
#include <string>
#include <vector>

// What a two-dimensional case computes, as data: a list of nodes in which every operand comes
// before its user. The reference evaluates it in f64, the generator turns it into CUDA source.
namespace strobe::bench {

enum class Op : std::uint8_t {
  kInput,
  kConst,
  kColumnCount,  // C; it depends on the shape
  kCos,
  kExp,
  kTanh,
  kRelu,
  kNeg,
  kRsqrt,
  kRecip,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMax,
  kMin,
  kRowSum,  // over the last axis
  kRowMax,
  kDropout,  // `constant` is p; reference/dropout.h decides which elements are dropped
};

// Number of values of a node; operands with fewer values are broadcast.
enum class Extent : std::uint8_t {
  kScalar,
  kColumns,  // one per column: a bias
  kRows,     // one per row: a sum
  kElements,
};
constexpr bool is_one_a_row(Extent extent) {
  return extent == Extent::kRows || extent == Extent::kScalar;
}

using NodeIndex = std::int32_t;
constexpr NodeIndex kNoNode = -1;

struct Node {
  Op op = Op::kConst;
  Extent extent = Extent::kScalar;
  NodeIndex a = kNoNode;
  NodeIndex b = kNoNode;
  double constant = 0;      // kConst, kDropout
  std::int32_t input = -1;  // kInput: which tensor
  bool operator==(const Node&) const = default;
};

constexpr bool is_reduction(const Node& node) {
  return node.op == Op::kRowSum || node.op == Op::kRowMax;
}
// The operator in f64; as in the frameworks, a NaN on either side of a maximum gives a NaN.
// `a` for inputs, constants and reductions.
double applied(Op op, double a, double b);

struct Tensor {
  std::string name;
  Extent extent = Extent::kElements;
  bool is_transposed = false;  // stored [columns, rows]; a bias of columns is then along the rows
  bool operator==(const Tensor&) const = default;
};

struct StoredSize {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t values() const { return rows * columns; }
};
// The size of a tensor of a case with that many rows and columns.
StoredSize stored_size(const Tensor& tensor, std::int64_t rows, std::int64_t columns);

struct Output {
  Tensor tensor;
  NodeIndex node = kNoNode;
  bool operator==(const Output&) const = default;
};

struct Expression {
  std::vector<Tensor> inputs;
  std::vector<Node> nodes;
  std::vector<Output> outputs;

  bool has_reduction() const;
  // For each node, the length of the longest chain of dependent reductions up to and including it.
  std::vector<int> reduction_depths() const;
  // Length of the longest chain of dependent reductions: the passes of a kernel that cannot keep
  // the row. softmax 2, double softmax 4, layernorm 2, norm chain 3.
  int dependent_reductions() const;
  const Node* dropout() const;  // the one that drops elements at random, or null
  bool operator==(const Expression&) const = default;
};

inline const Node& node_of(const Expression& expression, NodeIndex index) {
  return expression.nodes[static_cast<std::size_t>(index)];
}

// Built in the order of the code: `const Value y = cos(x); out(x * y)`.
class ExpressionBuilder;

struct Value {
  ExpressionBuilder* builder = nullptr;
  NodeIndex node = kNoNode;
};

class ExpressionBuilder {
 public:
  Value input(Tensor tensor);
  Value constant(double value);
  Value unary(Op op, Value a);
  Value binary(Op op, Value a, Value b);
  Value row(Op op, Value a);  // kRowSum, kRowMax
  Value dropout(Value a, double p);
  Value column_count();
  void output(Tensor tensor, Value value);
  Expression build() &&;

 private:
  Expression expression_;
};

Value operator+(Value a, Value b);
Value operator-(Value a, Value b);
Value operator*(Value a, Value b);
Value operator/(Value a, Value b);
Value operator+(Value a, double b);
Value operator*(Value a, double b);
Value max(Value a, Value b);
Value cos(Value a);
Value exp(Value a);
Value tanh(Value a);
Value relu(Value a);
Value rsqrt(Value a);
Value row_sum(Value a);
Value row_max(Value a);
Value dropout(Value a, double p);

}  // namespace strobe::bench

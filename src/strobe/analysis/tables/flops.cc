#include "strobe/analysis/tables/flops.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "strobe/base/json_value.h"

namespace strobe::analysis {
namespace {

constexpr std::string_view kDims = "Input Dims";
constexpr std::string_view kOldDims = "Input dims";
constexpr std::string_view kPlainInputs = "Concrete Inputs";
constexpr std::string_view kNamedShapes = "input_shapes";

Shape read_shape(std::string_view array) {
  Shape shape;
  for_each_element(array,
                   [&](const JsonValue& value) { shape.push_back(value.as_int64().value_or(0)); });
  return shape;
}

// "[[8, 3], [4]]" begins with the shape of the first tensor; "[8, 3]" is it; "[]" holds none.
std::optional<Shape> read_first_shape(std::string_view array) {
  JsonWalk walk = JsonWalk::elements(array);
  JsonValue first;
  if (!walk.next_element(first)) return std::nullopt;
  return read_shape(first.type == JsonType::kArray ? first.text : array);
}

}  // namespace

const Shape* OperatorShapes::input(std::size_t position) const {
  return position < inputs.size() && !inputs[position].empty() ? &inputs[position] : nullptr;
}

const Shape* OperatorShapes::named(std::string_view name) const {
  for (const auto& [key, shape] : named_inputs) {
    if (key == name) return &shape;
  }
  return nullptr;
}

ShapeTexts find_shapes(std::string_view args) {
  ShapeTexts texts;
  for_each_member(args, [&](std::string_view key, const JsonValue& value) {
    if (key == kDims || key == kOldDims) {
      texts.inputs = value.text;
      texts.is_by_position = true;
    } else if (key == kPlainInputs) {
      texts.plain_inputs = value.text;
    } else if (key == kNamedShapes && value.text != "{}") {
      texts.inputs = value.text;
    }
  });
  return texts;
}

OperatorShapes read_shapes(const ShapeTexts& texts) {
  OperatorShapes shapes;
  if (!texts.is_by_position) {
    for_each_member(texts.inputs, [&](std::string_view key, const JsonValue& value) {
      std::optional<Shape> shape = read_first_shape(value.text);
      if (shape) shapes.named_inputs.emplace_back(key, std::move(*shape));
    });
    return shapes;
  }
  for_each_element(texts.inputs, [&](const JsonValue& value) {
    shapes.inputs.push_back(read_shape(value.text));
  });
  for_each_element(texts.plain_inputs, [&](const JsonValue& value) {
    shapes.plain_inputs.push_back(value.as_string());
  });
  return shapes;
}

namespace {

using Flops = std::optional<std::uint64_t>;

// Dimensions from a damaged trace may have any value; unsigned arithmetic wraps, signed overflow
// would be undefined.
std::uint64_t extent_along(std::int64_t dimension) {
  return dimension > 0 ? static_cast<std::uint64_t>(dimension) : 0;
}

std::uint64_t product(const Shape& shape, std::size_t begin, std::size_t end) {
  std::uint64_t result = 1;
  for (std::size_t i = begin; i < end; ++i) result *= extent_along(shape[i]);
  return result;
}

std::uint64_t elements(const Shape& shape) { return product(shape, 0, shape.size()); }

// 2 x batch x rows x inner x columns; a vector is a matrix of one row or column. Where the inner
// dimensions disagree the second matrix is read transposed, then the first, then both.
Flops matmul(const Shape* a, const Shape* b) {
  if (a == nullptr || b == nullptr || a->empty() || b->empty()) return std::nullopt;
  const auto from_end = [](const Shape& shape, std::size_t back) {
    return back <= shape.size() ? extent_along(shape[shape.size() - back]) : std::uint64_t{1};
  };
  std::uint64_t rows = from_end(*a, 2);
  std::uint64_t inner = from_end(*a, 1);
  std::uint64_t b_rows = b->size() == 1 ? from_end(*b, 1) : from_end(*b, 2);
  std::uint64_t columns = b->size() == 1 ? 1 : from_end(*b, 1);
  if (inner != b_rows && inner == columns) {
    std::swap(b_rows, columns);
  } else if (inner != b_rows && rows == b_rows) {
    std::swap(rows, inner);
  } else if (inner != b_rows && rows == columns) {
    std::swap(rows, inner);
    std::swap(b_rows, columns);
  }
  std::uint64_t batch = 1;
  for (std::size_t back = 3; back <= std::max(a->size(), b->size()); ++back) {
    batch *= std::max(from_end(*a, back), from_end(*b, back));
  }
  return 2 * batch * rows * inner * columns;
}

Flops broadcast_elements(const Shape* a, const Shape* b) {
  if (a == nullptr || b == nullptr) return std::nullopt;
  std::uint64_t result = 1;
  for (std::size_t back = 1; back <= std::max(a->size(), b->size()); ++back) {
    const std::uint64_t in_a = back <= a->size() ? extent_along((*a)[a->size() - back]) : 1;
    const std::uint64_t in_b = back <= b->size() ? extent_along((*b)[b->size() - back]) : 1;
    result *= std::max(in_a, in_b);
  }
  return result;
}

// One element of "[2, 2]", or of "[2]" for every dimension; nothing if it was not recorded.
std::optional<std::int64_t> attribute(const OperatorShapes& shapes, std::size_t position,
                                      std::size_t dimension) {
  if (position >= shapes.plain_inputs.size()) return std::nullopt;
  std::vector<std::int64_t> values;
  for_each_element(shapes.plain_inputs[position],
                   [&](const JsonValue& value) { values.push_back(value.as_int64().value_or(0)); });
  if (values.empty()) return std::nullopt;
  return values[std::min(dimension, values.size() - 1)];
}

// "True"; also "true" and "1".
bool is_true(std::string_view text) {
  return !text.empty() && (text.front() == 'T' || text.front() == 't' || text.front() == '1');
}
bool flag(const OperatorShapes& shapes, std::size_t position) {
  return position < shapes.plain_inputs.size() && is_true(shapes.plain_inputs[position]);
}

// How many of the first `count` elements of "[True, True, False]" are true; nothing if the list was
// not recorded.
Flops count_true(const OperatorShapes& shapes, std::size_t position, std::size_t count) {
  const std::string_view list =
      position < shapes.plain_inputs.size() ? shapes.plain_inputs[position] : std::string_view();
  if (!list.starts_with('[') || list.starts_with("[]")) return std::nullopt;
  std::uint64_t sum = 0;
  std::size_t begin = 1;
  for (std::size_t i = 0; i < count && begin < list.size(); ++i) {
    while (begin < list.size() && list[begin] == ' ') ++begin;
    sum += is_true(list.substr(begin)) ? 1 : 0;
    begin = std::min(list.find(',', begin), list.size() - 1) + 1;
  }
  return sum;
}

// Each position is multiplied with every element of the filter, [channels, channels of a group,
// ...]: an output position is a sum over the filter, an input position of a transposed convolution
// is spread over it.
std::uint64_t convolution_flops(const Shape& batch_of, const Shape& positions_of,
                                const Shape& filter) {
  return 2 * extent_along(batch_of[0]) * product(positions_of, 2, positions_of.size()) *
         elements(filter);
}

// Where the arguments of a convolution are; input and filter come first.
struct ConvolutionArguments {
  std::size_t bias;
  std::size_t stride;
  std::size_t padding;
  std::size_t dilation;
  std::size_t transposed;
};
constexpr std::size_t kNoArgument = std::numeric_limits<std::size_t>::max();
constexpr ConvolutionArguments kPlainConvolution{2, 3, 4, 5, kNoArgument};
constexpr ConvolutionArguments kAnyConvolution{2, 3, 4, 5, 6};
constexpr ConvolutionArguments kLibraryConvolution{kNoArgument, 3, 2, 4, kNoArgument};

bool are_convolved(const Shape* input, const Shape* filter) {
  return input != nullptr && filter != nullptr && input->size() >= 3 &&
         input->size() == filter->size();
}

Flops transposed_convolution(const OperatorShapes& shapes) {
  const Shape* input = shapes.input(0);
  const Shape* filter = shapes.input(1);
  if (!are_convolved(input, filter)) return std::nullopt;
  return convolution_flops(*input, *input, *filter);
}

constexpr std::int64_t kLargestExtent = std::numeric_limits<std::int32_t>::max();

template <const ConvolutionArguments& kArguments>
Flops convolution(const OperatorShapes& shapes) {
  if (flag(shapes, kArguments.transposed)) return transposed_convolution(shapes);
  const Shape* input = shapes.input(0);
  const Shape* filter = shapes.input(1);
  if (!are_convolved(input, filter)) return std::nullopt;
  Shape output{(*input)[0], (*filter)[0]};
  for (std::size_t i = 2; i < input->size(); ++i) {
    const auto stride = attribute(shapes, kArguments.stride, i - 2);
    const auto padding = attribute(shapes, kArguments.padding, i - 2);
    const auto dilation = attribute(shapes, kArguments.dilation, i - 2);
    if (!stride || !padding || !dilation || *stride <= 0) return std::nullopt;
    for (const std::int64_t value : {*padding, *dilation, (*filter)[i], (*input)[i]}) {
      if (value < 0 || value > kLargestExtent) return std::nullopt;
    }
    const std::int64_t reach = *dilation * ((*filter)[i] - 1) + 1;
    output.push_back(((*input)[i] + 2 * *padding - reach) / *stride + 1);
  }
  const bool has_bias = shapes.input(kArguments.bias) != nullptr;
  return convolution_flops(*input, output, *filter) + (has_bias ? elements(output) : 0);
}

// Arguments: gradient of the output, input, filter, sizes of the bias, stride, padding, dilation,
// transposed, padding of the output, groups, which gradients are asked for. The gradients of the
// input and of the filter each cost as much as the forward; that of the bias is a sum. Shapes alone
// do not tell which are asked for: a first layer has no use for the gradient of its input.
Flops convolution_backward(const OperatorShapes& shapes) {
  const Shape* gradient = shapes.input(0);
  const Shape* input = shapes.input(1);
  const Shape* filter = shapes.input(2);
  const Shape* positions_of = flag(shapes, 7) ? input : gradient;
  const Flops gradients = count_true(shapes, 10, 2);
  if (!gradients || !are_convolved(gradient, filter) || !are_convolved(positions_of, filter)) {
    return std::nullopt;
  }
  return *gradients * convolution_flops(*gradient, *positions_of, *filter);
}

// Queries, keys and values as [batch, heads, tokens, width]: scores, then weighted sums of the
// values. A causal mask is not subtracted; other counters do not subtract it either.
Flops attention(const Shape* queries, const Shape* keys, const Shape* values,
                std::uint64_t in_width, std::uint64_t in_value_width) {
  if (queries == nullptr || keys == nullptr || values == nullptr || queries->size() != 4 ||
      keys->size() != 4 || values->size() != 4) {
    return std::nullopt;
  }
  const std::uint64_t scores = product(*queries, 0, 3) * extent_along((*keys)[2]);
  return 2 * scores *
         (in_width * extent_along((*queries)[3]) + in_value_width * extent_along((*values)[3]));
}
Flops attention_forward(const OperatorShapes& shapes) {
  return attention(shapes.input(0), shapes.input(1), shapes.input(2), 1, 1);
}
// Recomputes the scores and computes the gradients of all three.
Flops attention_backward(const OperatorShapes& shapes) {
  return attention(shapes.input(1), shapes.input(2), shapes.input(3), 3, 2);
}

Flops first_two_matmul(const OperatorShapes& shapes) {
  return matmul(shapes.input(0), shapes.input(1));
}
Flops last_two_matmul(const OperatorShapes& shapes) {
  return matmul(shapes.input(1), shapes.input(2));
}
// The weight is stored as [columns, inner].
Flops linear(const OperatorShapes& shapes) {
  const Shape* input = shapes.input(0);
  const Shape* weight = shapes.input(1);
  if (input == nullptr || weight == nullptr) return std::nullopt;
  return 2 * elements(*input) * extent_along(weight->front());
}

Flops named_matmul(const OperatorShapes& shapes) {
  const Shape* x = shapes.named("X") != nullptr ? shapes.named("X") : shapes.named("x");
  const Shape* y = shapes.named("Y") != nullptr ? shapes.named("Y") : shapes.named("y");
  return matmul(x, y);
}
Flops named_broadcast(const OperatorShapes& shapes) {
  return broadcast_elements(shapes.named("X"), shapes.named("Y"));
}
template <std::uint64_t kPerElement>
Flops named_elements(const OperatorShapes& shapes) {
  const Shape* x = shapes.named("X");
  return x == nullptr ? Flops() : Flops(kPerElement * elements(*x));
}

struct Entry {
  std::string_view name;
  FlopFormula formula;
};

constexpr std::array kFormulas = {
    Entry{"aten::mm", first_two_matmul},
    Entry{"aten::bmm", first_two_matmul},
    Entry{"aten::matmul", first_two_matmul},
    Entry{"aten::addmm", last_two_matmul},
    Entry{"aten::baddbmm", last_two_matmul},
    Entry{"aten::linear", linear},
    Entry{"aten::conv1d", convolution<kPlainConvolution>},
    Entry{"aten::conv2d", convolution<kPlainConvolution>},
    Entry{"aten::conv3d", convolution<kPlainConvolution>},
    Entry{"aten::convolution", convolution<kAnyConvolution>},
    Entry{"aten::_convolution", convolution<kAnyConvolution>},
    Entry{"aten::cudnn_convolution", convolution<kLibraryConvolution>},
    Entry{"aten::conv_transpose1d", transposed_convolution},
    Entry{"aten::conv_transpose2d", transposed_convolution},
    Entry{"aten::conv_transpose3d", transposed_convolution},
    Entry{"aten::convolution_backward", convolution_backward},
    Entry{"aten::scaled_dot_product_attention", attention_forward},
    Entry{"aten::_scaled_dot_product_flash_attention", attention_forward},
    Entry{"aten::_scaled_dot_product_efficient_attention", attention_forward},
    Entry{"aten::_scaled_dot_product_cudnn_attention", attention_forward},
    Entry{"aten::_scaled_dot_product_flash_attention_backward", attention_backward},
    Entry{"aten::_scaled_dot_product_efficient_attention_backward", attention_backward},
    Entry{"matmul", named_matmul},
    Entry{"matmul_v2", named_matmul},
    Entry{"elementwise_add", named_broadcast},
    Entry{"elementwise_mul", named_broadcast},
    Entry{"elementwise_div", named_broadcast},
    Entry{"relu", named_elements<1>},
    Entry{"relu6", named_elements<1>},
    Entry{"leaky_relu", named_elements<1>},
    Entry{"prelu", named_elements<1>},
    Entry{"elu", named_elements<1>},
    Entry{"silu", named_elements<1>},
    Entry{"pool", named_elements<1>},
    Entry{"softmax", named_elements<3>},
    Entry{"gelu", named_elements<5>},
    Entry{"layer_norm", named_elements<7>},
};

// The suffix that the framework appends to an operator's name in its ranges.
constexpr std::array<std::string_view, 3> kSuffixes = {" compute", " dygraph",
                                                       " pybind_imperative_func"};

}  // namespace

FlopFormula find_flop_formula(std::string_view operator_name) {
  for (const std::string_view suffix : kSuffixes) {
    if (operator_name.ends_with(suffix)) operator_name.remove_suffix(suffix.size());
  }
  const auto found = std::find_if(kFormulas.begin(), kFormulas.end(),
                                  [&](const Entry& entry) { return entry.name == operator_name; });
  return found == kFormulas.end() ? nullptr : found->formula;
}

namespace {

// A capture records shapes for all operators or for none: stop after this many without shapes.
constexpr int kOperatorsTried = 64;

// The cost of a call itself, before its children are added.
struct OwnFlops {
  std::uint64_t flops = 0;
  bool covers_children = false;  // shapes by position describe the whole call
};

class FlopCounter {
 public:
  explicit FlopCounter(const Trace& trace)
      : trace_(trace), reader_(trace.args()), formulas_(trace.strings().size()) {}

  // Nothing if the operator has no formula, or its call no shapes.
  std::optional<OwnFlops> count(std::size_t row) {
    const StringId name = trace_.slices().names[row];
    const FlopFormula formula = formula_of(name);
    if (formula == nullptr) return std::nullopt;
    const ShapeTexts texts = find_shapes(reader_.text(trace_.slices().args[row]));
    if (texts.empty()) {
      if (!has_seen_shapes_) ++without_shapes_;
      return std::nullopt;
    }
    has_seen_shapes_ = true;
    key_.assign(reinterpret_cast<const char*>(&name.value), sizeof(name.value));
    key_.append(texts.inputs).append(texts.plain_inputs);
    const auto [known, is_new] = counted_.try_emplace(key_);
    if (is_new) {
      const std::optional<std::uint64_t> flops = formula(read_shapes(texts));
      if (flops) known->second = OwnFlops{*flops, texts.is_by_position};
    }
    return known->second;
  }
  bool gives_up() const { return without_shapes_ >= kOperatorsTried; }

 private:
  FlopFormula formula_of(StringId name) {
    auto& [is_known, formula] = formulas_[name.index()];
    if (!is_known) {
      is_known = true;
      formula = find_flop_formula(trace_.strings()[name]);
    }
    return formula;
  }

  const Trace& trace_;
  ArgsReader reader_;
  std::vector<std::pair<bool, FlopFormula>> formulas_;  // per string
  std::string key_;
  std::unordered_map<std::string, std::optional<OwnFlops>> counted_;
  bool has_seen_shapes_ = false;
  int without_shapes_ = 0;
};

}  // namespace

std::vector<std::uint64_t> estimate_flops(const AttributedTrace& input) {
  const Trace& trace = input.trace;
  const OpTree& tree = input.tree;
  if (trace.args().empty()) return {};
  std::vector<std::pair<std::size_t, OwnFlops>> counted;  // by row: arguments are in file order
  FlopCounter counter(trace);
  for (std::size_t row = 0; row < trace.slice_count() && !counter.gives_up(); ++row) {
    if (trace.slices().kinds[row] != SliceKind::kOperator) continue;
    if (const std::optional<OwnFlops> own = counter.count(row)) counted.emplace_back(row, *own);
  }
  if (counter.gives_up()) return {};
  const std::vector<NodeId> nodes = nodes_of_slices(trace, tree);
  std::vector<std::uint64_t> flops(tree.size());
  std::vector<bool> covers_children(tree.size());
  for (const auto& [row, own] : counted) {
    if (!nodes[row].valid()) continue;
    flops[nodes[row].index()] = own.flops;
    covers_children[nodes[row].index()] = own.covers_children;
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    const NodeId parent = tree.parents[i];
    if (parent.valid() && !covers_children[parent.index()]) flops[parent.index()] += flops[i];
  }
  return flops;
}

}  // namespace strobe::analysis

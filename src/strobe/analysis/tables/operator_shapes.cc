#include "strobe/analysis/tables/operator_shapes.h"

#include <optional>
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

}  // namespace strobe::analysis

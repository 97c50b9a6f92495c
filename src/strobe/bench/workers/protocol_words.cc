#include "strobe/bench/workers/protocol_words.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace strobe::bench {
namespace {

constexpr std::array kOps = {
    std::pair{WorkerOp::kHello, std::string_view("hello")},
    std::pair{WorkerOp::kPlan, std::string_view("plan")},
    std::pair{WorkerOp::kPrepare, std::string_view("prepare")},
    std::pair{WorkerOp::kSample, std::string_view("sample")},
    std::pair{WorkerOp::kRows, std::string_view("rows")},
    std::pair{WorkerOp::kCount, std::string_view("count")},
    std::pair{WorkerOp::kCountEmpty, std::string_view("count_empty")},
    std::pair{WorkerOp::kFinish, std::string_view("finish")},
    std::pair{WorkerOp::kFloors, std::string_view("floors")},
    std::pair{WorkerOp::kRoofs, std::string_view("roofs")},
    std::pair{WorkerOp::kCell, std::string_view("cell")},
    std::pair{WorkerOp::kBye, std::string_view("bye")},
};
constexpr std::string_view kTorch = "torch-";
constexpr std::size_t kShownBytes = 60;

}  // namespace

std::string_view op_name(WorkerOp op) {
  for (const auto& [known, name] : kOps) {
    if (known == op) return name;
  }
  return "";
}

std::optional<WorkerOp> parse_op(std::string_view name) {
  for (const auto& [op, known] : kOps) {
    if (known == name) return op;
  }
  return {};
}

std::string variant_of(std::string_view provider) {
  if (provider.starts_with(kTorch)) provider.remove_prefix(kTorch.size());
  return std::string(provider);
}

std::vector<double> numbers_of(const JsonValue& array) {
  std::vector<double> numbers;
  if (array.type != JsonType::kArray) return numbers;
  for_each_element(array.text, [&](const JsonValue& value) {
    if (const auto number = value.as_double()) numbers.push_back(*number);
  });
  return numbers;
}

std::vector<std::int64_t> whole_numbers_of(const JsonValue& array) {
  std::vector<std::int64_t> numbers;
  if (array.type != JsonType::kArray) return numbers;
  for_each_element(array.text, [&](const JsonValue& value) {
    if (const auto number = value.as_int64()) numbers.push_back(*number);
  });
  return numbers;
}

std::vector<std::string> texts_of(const JsonValue& array) {
  std::vector<std::string> texts;
  if (array.type != JsonType::kArray) return texts;
  for_each_element(array.text, [&](const JsonValue& value) { texts.push_back(value.as_string()); });
  return texts;
}

std::vector<TimeMode> modes_of(const JsonValue& array) {
  std::vector<TimeMode> modes;
  for (const std::string& name : texts_of(array)) {
    if (const auto mode = parse_mode(name)) modes.push_back(*mode);
  }
  return modes;
}

void write_modes(const std::vector<TimeMode>& modes, JsonWriter& json) {
  json.begin_array();
  for (const TimeMode mode : modes) json.value(mode_name(mode));
  json.end_array();
}

void write_texts(const std::vector<std::string>& texts, JsonWriter& json) {
  json.begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

Result<void> check_object(std::string_view line) {
  const JsonValue value = parse_value(line);
  const bool is_object = value.type == JsonType::kObject;
  if (is_object && for_each_member(value.text, [](std::string_view, const JsonValue&) {})) {
    return {};
  }
  return Error{.code = ErrorCode::kMalformed,
               .what = fmt::format("'{}{}' is no JSON object", line.substr(0, kShownBytes),
                                   line.size() > kShownBytes ? "..." : ""),
               .where = "",
               .hint = "one object a line; docs/formats/bench_worker.md"};
}

}  // namespace strobe::bench

#include "strobe/readers/recording/recording_names.h"

#include <cstddef>

#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kSeparator = ", ";
constexpr std::string_view kSequence = "seq = ";
constexpr std::string_view kOperatorId = "op_id = ";
constexpr std::string_view kSizes = "sizes = ";
constexpr std::string_view kInputIds = "input_op_ids = ";
constexpr std::string_view kInPayload = "payload";  // so that equal operators have equal names

bool begins_with_key(std::string_view text) {
  return text.starts_with(kSequence) || text.starts_with(kOperatorId) || text.starts_with(kSizes) ||
         text.starts_with(kInputIds);
}

// The index of the next ", seq = " or the like; npos if there is none. Names and sizes contain
// commas of their own.
std::size_t find_next_part(std::string_view text) {
  std::size_t at = text.find(kSeparator);
  while (at != std::string_view::npos && !begins_with_key(text.substr(at + kSeparator.size()))) {
    at = text.find(kSeparator, at + kSeparator.size());
  }
  return at;
}

// "[[2, 3], []]": it becomes part of a JSON text as it is.
bool is_json_of_numbers(std::string_view text) {
  std::size_t depth = 0;
  char before = ',';  // the last sign; 0 for a digit
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_blank(c)) continue;
    const bool may_begin = before == '[' || before == ',';
    const bool is_after_item = before == ']' || before == 0;
    if (is_digit(c)) {
      const bool goes_on = before == 0 && is_digit(text[i - 1]);
      if (!may_begin && !goes_on && before != '-') return false;
      if (depth == 0) return false;
      before = 0;
      continue;
    }
    const bool fits = (c == '[' && may_begin) || (c == '-' && may_begin) ||
                      (c == ',' && is_after_item) || (c == ']' && (is_after_item || before == '['));
    if (!fits) return false;
    if (c == '[') ++depth;
    if (c == ']' && --depth == 0) return i + 1 == text.size();
    if (depth == 0) return false;
    before = c;
  }
  return false;
}

void read_part(std::string_view part, RecordedName& name) {
  const auto take = [&](std::string_view key) {
    if (!part.starts_with(key)) return false;
    part.remove_prefix(key.size());
    return true;
  };
  if (take(kSequence)) {
    name.sequence_number = parse_whole_number(part);
    name.sequence_is_payload = part == kInPayload;
  } else if (take(kOperatorId)) {
    name.operator_id = parse_whole_number(part);
  } else if (take(kSizes)) {
    if (is_json_of_numbers(part)) name.sizes = part;
  } else if (take(kInputIds)) {
    name.input_ids = part;
  }
}

}  // namespace

RecordedName parse_recorded_name(std::string_view text) {
  RecordedName name;
  std::size_t end = find_next_part(text);
  name.plain = text.substr(0, end);
  const bool is_of_torch = end != std::string_view::npos;
  while (end != std::string_view::npos) {
    text.remove_prefix(end + kSeparator.size());
    end = find_next_part(text);
    read_part(text.substr(0, end), name);
  }
  // Ranges that a script opens have an id, too, but no namespace and no place in the graph.
  name.is_operator = is_of_torch && (name.sequence_number.has_value() || name.sequence_is_payload ||
                                     name.plain.find("::") != std::string_view::npos);
  return name;
}

std::string_view category_of_call(std::string_view name) {
  const bool is_driver = name.starts_with("cu") && name.size() > 2 && is_upper(name[2]);
  return is_driver ? "cuda_driver" : "cuda_runtime";
}

}  // namespace strobe::readers

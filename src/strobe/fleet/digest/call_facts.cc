#include "strobe/fleet/digest/call_facts.h"

#include <algorithm>
#include <limits>

#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/fleet/digest/exchange_kind.h"

namespace strobe::fleet {
namespace {

// A larger one is an address.
constexpr std::int64_t kMostGroupNumber = 1'000'000;
constexpr std::size_t kMostGroupRanks = 1 << 20;

template <class T>
std::optional<T> whole(const JsonValue& value) {
  const auto number = value.unquoted().as_int64();
  if (!number || *number < 0 ||
      static_cast<std::uint64_t>(*number) >
          static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
    return std::nullopt;
  }
  return static_cast<T>(*number);
}

template <class T>
void fill(std::optional<T>& fact, std::optional<T> value) {
  if (!fact && value) fact = value;
}
void fill(std::string& fact, std::string value) {
  if (fact.empty()) fact = std::move(value);
}

// "[0, 1, 2]", also without brackets. None if some are left out: "[0, 1, ..., 63]".
std::vector<std::int32_t> rank_list(std::string_view text) {
  std::vector<std::int32_t> ranks;
  if (text.find("..") != std::string_view::npos) return {};
  while (!text.empty() && ranks.size() < kMostGroupRanks) {
    const auto begin = std::ranges::find_if(text, is_digit);
    const auto end = std::find_if_not(begin, text.end(), is_digit);
    if (begin == end) break;
    const auto number = parse_whole_number(std::string_view(begin, end));
    if (!number || *number > std::numeric_limits<std::int32_t>::max()) return {};
    ranks.push_back(static_cast<std::int32_t>(*number));
    text = std::string_view(end, text.end());
  }
  return ranks;
}

// Of a list of shapes, or of lists of shapes: [[4, 8], [2]] is 34. A shape without numbers is one
// element.
std::optional<std::uint64_t> elements_of(std::string_view json, int depth) {
  constexpr int kDeepest = 4;
  if (depth > kDeepest) return std::nullopt;
  std::uint64_t product = 1;
  std::uint64_t sum = 0;
  bool has_lists = false;
  bool is_shape = true;
  const bool is_list = for_each_element(json, [&](const JsonValue& value) {
    if (value.type == JsonType::kArray) {
      has_lists = true;
      const auto inner = elements_of(value.text, depth + 1);
      is_shape = is_shape && inner && !__builtin_add_overflow(sum, *inner, &sum);
    } else {
      const auto size = whole<std::uint64_t>(value);
      is_shape = is_shape && size && !__builtin_mul_overflow(product, *size, &product);
    }
  });
  if (!is_list || !is_shape || (depth == 0 && !has_lists)) return std::nullopt;
  return has_lists ? sum : product;
}

std::string first_known_type(std::string_view types) {
  std::string found;
  for_each_element(types, [&](const JsonValue& value) {
    if (found.empty() && element_bytes(value.text) > 0) found = value.as_string();
  });
  return found;
}

// "['0', 'default_pg']" or "('0', 'default_pg')": a name and its purpose.
std::vector<std::string> quoted_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_of("'\""); at != std::string_view::npos;) {
    const std::size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos) break;
    words.emplace_back(text.substr(at + 1, end - at - 1));
    at = text.find_first_of("'\"", end + 1);
  }
  return words;
}

void add_group(const std::string& text, CallFacts& facts) {
  if (const auto words = quoted_words(text); !words.empty()) {
    fill(facts.group, words[0]);
    if (words.size() > 1) fill(facts.group_purpose, words[1]);
    return;
  }
  const auto number = parse_whole_number(text);
  if (number && (*number < 0 || *number > kMostGroupNumber)) {
    fill(facts.own_group, text);
  } else {
    fill(facts.group, text);
  }
}

// The framework's note: buffers, sequence, group, rank, collective, splits..., size of the group.
// Another kind of note, about waiting, begins with a number.
void add_note(std::string_view inputs, CallFacts& facts) {
  constexpr std::size_t kFewestInputs = 8;
  std::vector<std::string> values;
  for_each_element(inputs, [&](const JsonValue& value) { values.push_back(value.as_string()); });
  if (values.size() < kFewestInputs || !values[0].empty()) return;
  if (const auto sequence = parse_whole_number(values[1]); sequence && *sequence >= 0) {
    fill<std::int64_t>(facts.sequence, sequence);
  }
  add_group(values[2], facts);
  fill(facts.collective, values[4]);
  const auto size = parse_whole_number(values.back());
  if (size && *size > 0 && *size <= static_cast<std::int64_t>(kMostGroupRanks)) {
    fill<std::uint32_t>(facts.group_size, static_cast<std::uint32_t>(*size));
  }
}

}  // namespace

void add_facts(std::string_view arguments, FactSource source, CallFacts& facts) {
  JsonValue shapes;
  JsonValue types;
  JsonValue inputs;
  std::optional<std::int32_t> first_rank;
  std::optional<std::int32_t> rank_stride;
  const std::size_t ranks_before = facts.group_ranks.size();
  for_each_member(arguments, [&](std::string_view key, const JsonValue& value) {
    if (key == "Collective name") {
      fill(facts.collective, value.as_string());
    } else if (key == "dtype") {
      fill(facts.element_type, value.as_string());
    } else if (key == "In msg nelems") {
      fill(facts.in_elements, whole<std::uint64_t>(value));
    } else if (key == "Out msg nelems") {
      fill(facts.out_elements, whole<std::uint64_t>(value));
    } else if (key == "Process Group Name") {
      fill(facts.group, value.as_string());
    } else if (key == "Process Group Description") {
      fill(facts.group_purpose, value.as_string());
    } else if (key == "Process Group Ranks") {
      if (ranks_before == 0) facts.group_ranks = rank_list(value.text);
    } else if (key == "Group size") {
      fill(facts.group_size, whole<std::uint32_t>(value));
    } else if (key == "Seq" || key == "seq") {
      fill(facts.sequence, whole<std::int64_t>(value));
    } else if (key == "Src Rank") {
      fill(facts.source, whole<std::int32_t>(value));
    } else if (key == "Dst Rank") {
      fill(facts.destination, whole<std::int32_t>(value));
    } else if (key == "Global rank start") {
      first_rank = whole<std::int32_t>(value);
    } else if (key == "Global rank stride") {
      rank_stride = whole<std::int32_t>(value);
    } else if (key == "Input Dims") {
      shapes = value;
    } else if (key == "Input type") {
      types = value;
    } else if (key == "Concrete Inputs") {
      inputs = value;
    }
  });
  if (facts.group_ranks.empty() && first_rank && rank_stride && *rank_stride > 0 &&
      facts.group_size && *facts.group_size <= kMostGroupRanks) {
    for (std::uint32_t i = 0; i < *facts.group_size; ++i) {
      facts.group_ranks.push_back(
          static_cast<std::int32_t>(*first_rank + std::int64_t{i} * *rank_stride));
    }
  }
  if (source == FactSource::kNote) add_note(inputs.text, facts);
  if (source == FactSource::kLibraryRange && !facts.in_elements && shapes.present()) {
    const std::string type = first_known_type(types.text);
    if (!type.empty()) {
      fill(facts.in_elements, elements_of(shapes.text, 0));
      fill(facts.element_type, type);
    }
  }
}

}  // namespace strobe::fleet

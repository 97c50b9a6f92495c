#include "strobe/agents/toolbox.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/json_text.h"
#include "strobe/base/json_value.h"

namespace strobe::agents {
namespace {

constexpr std::int64_t kMostRows = 1000;
// A longer limit than by default, so that the whole message stays below 25,000 characters: the JSON
// is in it twice, once as text with quoted quotes.
constexpr AnswerSize kLonger = {.rows = 20, .text = 200, .bytes = 10'500};
constexpr AnswerSize kFull = {.rows = 200, .text = 4000, .bytes = 1 << 20};

Error wrong(std::string_view name, std::string what) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::string(name),
          .hint = "see the tool's inputSchema"};
}

}  // namespace

Result<void> ToolArguments::expect_known(std::string_view input_schema) const {
  std::vector<std::string> known;
  for_each_member(find(input_schema, "properties").text,
                  [&](std::string_view key, const JsonValue&) { known.emplace_back(key); });
  std::string unknown;
  for_each_member(object_, [&](std::string_view key, const JsonValue&) {
    const std::string name = unescape(key);
    if (std::ranges::find(known, name) == known.end()) unknown = name;
  });
  if (unknown.empty()) return {};
  return Error{.code = ErrorCode::kInvalidArgument,
               .what = fmt::format("there is no argument '{}'", unknown.substr(0, 100)),
               .where = "",
               .hint = fmt::format("the arguments are {}", fmt::join(known, ", "))};
}

Result<std::string> ToolArguments::text(std::string_view name) const {
  const JsonValue value = find(object_, name);
  if (!value.present() || value.type == JsonType::kNull) return std::string();
  if (value.type != JsonType::kString) return wrong(name, "the argument must be a text");
  return value.as_string();
}

Result<std::string> ToolArguments::needed(std::string_view name) const {
  STROBE_TRY(std::string value, text(name));
  if (value.empty()) return wrong(name, "the argument is missing");
  return value;
}

Result<bool> ToolArguments::flag(std::string_view name) const {
  const JsonValue value = find(object_, name);
  if (!value.present() || value.type == JsonType::kNull) return false;
  const auto flag = value.as_bool();
  if (!flag) return wrong(name, "the argument must be true or false");
  return *flag;
}

Result<std::optional<std::int64_t>> ToolArguments::integer(std::string_view name,
                                                           std::int64_t least,
                                                           std::int64_t most) const {
  const JsonValue value = find(object_, name);
  if (!value.present() || value.type == JsonType::kNull) return std::optional<std::int64_t>();
  const auto number = value.as_int64();
  if (!number || value.text.find_first_of(".eE") != std::string_view::npos || *number < least ||
      *number > most) {
    return wrong(name,
                 fmt::format("the argument must be a whole number from {} to {}", least, most));
  }
  return number;
}

Result<AnswerSize> ToolArguments::size() const {
  STROBE_TRY(const bool is_full, flag("full"));
  STROBE_TRY(const auto rows, integer("limit", 1, kMostRows));
  AnswerSize size = is_full ? kFull : rows ? kLonger : AnswerSize{};
  if (rows) size.rows = static_cast<std::size_t>(*rows);
  return size;
}

}  // namespace strobe::agents

#include "strobe/cli/bench_names.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/cli/suggestion.h"

namespace strobe::cli {
namespace {

bool begins_with(std::string_view name, std::string_view typed) {
  return name.size() >= typed.size() && equal_ignoring_case(name.substr(0, typed.size()), typed);
}

Error not_there(std::string_view flag, std::string_view typed, std::string_view why,
                const std::vector<std::string>& names) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = fmt::format("'{}' {}", typed, why),
          .where = std::string(flag),
          .hint = fmt::format("there are {}", fmt::join(names, ", "))};
}

}  // namespace

Result<std::string> resolve_name(std::string_view flag, std::string_view typed,
                                 const std::vector<std::string>& available) {
  std::vector<std::string> begin_so;
  for (const std::string& name : available) {
    if (equal_ignoring_case(name, typed)) return name;
    if (begins_with(name, typed) && std::ranges::find(begin_so, name) == begin_so.end()) {
      begin_so.push_back(name);
    }
  }
  if (begin_so.size() == 1) return begin_so.front();
  if (begin_so.size() > 1) return not_there(flag, typed, "may be several", begin_so);
  return not_there(flag, typed, "is not in this file", available);
}

Result<std::vector<std::string>> resolve_names(std::string_view flag,
                                               const std::vector<std::string>& typed,
                                               const std::vector<std::string>& available) {
  std::vector<std::string> names;
  for (const std::string& word : typed) {
    STROBE_TRY(std::string name, resolve_name(flag, word, available));
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace strobe::cli

#include "strobe/cli/names.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/text.h"

namespace strobe::cli {
namespace {

// Insertions, deletions, replacements and swaps of neighbours, each with a cost of one.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      cost[i][j] =
          std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same ? 0u : 1u)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

// "gpu-total" and "GPUTotal" are one word; the dashes in front of a flag stay.
std::string folded(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (out.find_first_not_of('-') != std::string::npos && (c == '-' || c == '_')) continue;
    out += lower(c);
  }
  return out;
}

constexpr std::size_t kLongestWord = 64;  // a longer word is not a mistyped one of ours

bool begins_with(std::string_view name, std::string_view typed) {
  return name.size() >= typed.size() && equal_ignoring_case(name.substr(0, typed.size()), typed);
}

Error not_there(std::string_view flag, std::string_view typed, std::string_view why,
                const std::vector<std::string>& names) {
  return bad_request(fmt::format("'{}' {}", typed, why), flag,
                     fmt::format("there are {}", fmt::join(names, ", ")));
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool is_same_word(std::string_view a, std::string_view b) { return folded(a) == folded(b); }

std::string_view nearest(std::string_view typed, std::span<const std::string_view> candidates) {
  if (typed.empty() || typed.size() > kLongestWord) return {};
  std::string_view best;
  // A third of the letters may be wrong, but never all letters of a short word.
  std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const bool abbreviated = typed.size() >= 3 && folded(candidate).starts_with(folded(typed));
    const std::size_t distance = abbreviated ? 1 : edit_distance(folded(typed), folded(candidate));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best_distance < typed.size() ? best : std::string_view{};
}

std::string joined(std::span<const std::string_view> words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

Error bad_request(std::string what, std::string_view where, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::string(where),
          .hint = std::move(hint)};
}

Error not_one_of(std::string_view flag, std::string_view typed,
                 std::span<const std::string_view> choices) {
  const std::string_view meant = nearest(typed, choices);
  return bad_request(typed.empty() ? fmt::format("needs a value: one of {}", joined(choices))
                                   : fmt::format("'{}' is not one of {}", typed, joined(choices)),
                     flag, meant.empty() ? "" : fmt::format("did you mean '{}'?", meant));
}

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
  if (begin_so.size() > 1) return not_there(flag, typed, "matches several names", begin_so);
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

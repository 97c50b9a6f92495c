#include "strobe/cli/suggestion.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

namespace strobe::cli {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Insertions, deletions, replacements and swaps of neighbours, each at the price of one.
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

constexpr std::size_t kLongestWord = 64;  // beyond it nobody mistyped one of our words

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view nearest(std::string_view typed, std::span<const std::string_view> candidates) {
  if (typed.empty() || typed.size() > kLongestWord) return {};
  std::string_view best;
  // A third of the letters may be wrong, but never all of a short word.
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

Error not_one_of(std::string_view flag, std::string_view typed,
                 std::span<const std::string_view> choices) {
  const std::string_view meant = nearest(typed, choices);
  return {.code = ErrorCode::kInvalidArgument,
          .what = typed.empty() ? fmt::format("needs a value: one of {}", joined(choices))
                                : fmt::format("'{}' is not one of {}", typed, joined(choices)),
          .where = std::string(flag),
          .hint = meant.empty() ? "" : fmt::format("did you mean '{}'?", meant)};
}

}  // namespace strobe::cli

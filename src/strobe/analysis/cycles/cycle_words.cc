#include "strobe/analysis/cycles/cycle_words.h"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/analysis/tables/name_filter.h"

namespace strobe::analysis {
namespace {

struct Word {
  std::string_view name;
  CycleMethod method;
};

constexpr std::string_view kMarker = "marker=";
constexpr Word kMethodWords[] = {{"steps", CycleMethod::kSteps},
                                 {"frame", CycleMethod::kHostFrame},
                                 {"kernels", CycleMethod::kKernelSequence},
                                 {"busy", CycleMethod::kBusySignal},
                                 {"none", CycleMethod::kWholeTrace}};
constexpr std::string_view kSpellings[] = {"auto",    "marker=REGEX", "steps", "frame",
                                           "kernels", "busy",         "none"};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return lower;
}

Error bad_word(std::string what, std::string_view where, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::string(where),
          .hint = std::move(hint)};
}

Result<CycleOptions> by_marker(std::string_view where, std::string_view pattern) {
  if (pattern.empty()) {
    return bad_word("needs a regular expression", where, fmt::format("{} 'marker=^decode'", where));
  }
  CycleOptions options{.method = CycleMethod::kMarker, .marker = std::string(pattern)};
  auto filter = name_filter(where, options.marker);
  if (!filter) return std::move(filter).error();
  return options;
}

}  // namespace

Result<CycleOptions> parse_cycle_options(std::string_view where, std::string_view typed) {
  if (typed.starts_with(kMarker)) return by_marker(where, typed.substr(kMarker.size()));
  const std::string word = lower_case(typed);
  if (word.empty() || word == "auto") return CycleOptions{};
  const auto known = std::ranges::find(kMethodWords, word, &Word::name);
  if (known != std::end(kMethodWords)) return CycleOptions{.method = known->method, .marker = ""};
  return bad_word(fmt::format("'{}' is not one of {}", typed, fmt::join(kSpellings, ", ")), where,
                  "");
}

std::span<const std::string_view> cycle_words() { return kSpellings; }

}  // namespace strobe::analysis

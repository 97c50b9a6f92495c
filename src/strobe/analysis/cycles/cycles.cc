#include "strobe/analysis/cycles/cycles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "strobe/analysis/tables/table_options.h"
#include "strobe/base/check.h"
#include "strobe/base/text.h"
#include "strobe/stats/moments.h"

namespace strobe::analysis {
namespace {

constexpr CycleMethod kTriedInTurn[] = {CycleMethod::kSteps, CycleMethod::kHostFrame,
                                        CycleMethod::kKernelSequence, CycleMethod::kBusySignal};

Result<CycleList> whole_trace(const Trace& trace) {
  if (trace.extent().length_ns() == 0) {
    return Error{ErrorCode::kTooLittleData, "the trace has no duration", "", ""};
  }
  CycleList list;
  Cycle cycle;
  cycle.interval = trace.extent();
  cycle.name = "whole trace";
  list.cycles.push_back(std::move(cycle));
  return list;
}

Result<CycleList> find_by(CycleMethod method, const Trace& trace, const CycleOptions& options) {
  switch (method) {
    case CycleMethod::kMarker:
      return cycles_by_marker(trace, options.marker, options.where);
    case CycleMethod::kSteps:
      return cycles_by_steps(trace);
    case CycleMethod::kHostFrame:
      return cycles_by_host_frame(trace);
    case CycleMethod::kKernelSequence:
      return cycles_by_kernel_sequence(trace);
    case CycleMethod::kBusySignal:
      return cycles_by_busy_signal(trace);
    case CycleMethod::kWholeTrace:
      break;
  }
  return whole_trace(trace);
}

std::string hint_for(const CycleOptions& options) {
  return fmt::format(
      "name the range of one loop iteration with {0} marker=REGEX, or compare whole traces with "
      "{0} none",
      options.where);
}

}  // namespace

std::string_view word_of(CycleConfidence confidence) {
  constexpr std::string_view kWords[] = {"low", "medium", "high"};
  return kWords[static_cast<std::size_t>(confidence)];
}

std::string_view word_of(CycleClock clock) {
  return clock == CycleClock::kDevice ? "device" : "marks";
}

std::string_view word_of(CycleMethod method) {
  switch (method) {
    case CycleMethod::kMarker:
      return "marker";
    case CycleMethod::kSteps:
      return "step annotations";
    case CycleMethod::kHostFrame:
      return "recurring host range";
    case CycleMethod::kKernelSequence:
      return "kernel sequence";
    case CycleMethod::kBusySignal:
      return "rhythm of the device";
    case CycleMethod::kWholeTrace:
      return "whole trace";
  }
  STROBE_CHECK(false, "every method has its word");
  return {};
}

std::string_view word_of(CycleType type) {
  switch (type) {
    case CycleType::kStep:
      return "step";
    case CycleType::kShort:
      return "short (decode)";
    case CycleType::kLong:
      return "long (prefill)";
  }
  STROBE_CHECK(false, "every type has its word");
  return {};
}

double variation_of(std::span<const double> values) {
  const stats::Moments moments = stats::moments_of(values);
  if (moments.n < 2) return 0;
  const auto n = static_cast<double>(moments.n);
  return moments.deviation * std::sqrt((n - 1) / n) / moments.mean;
}

void sort_by_nesting(const Trace& trace, std::vector<SliceId>& slices) {
  std::ranges::stable_sort(slices, {}, [&](SliceId slice) {
    return std::pair(trace.start_ns(slice), -trace.duration_ns(slice));
  });
}

Result<CycleList> find_cycles(const Trace& trace, const CycleOptions& options) {
  if (options.method) {
    Result<CycleList> found = find_by(*options.method, trace, options);
    if (found) {
      tell_types_apart(found->cycles);
      return found;
    }
    Error error = std::move(found).error();
    if (error.hint.empty()) error.hint = hint_for(options);
    return error;
  }
  std::string tried;
  for (const CycleMethod method : kTriedInTurn) {
    Result<CycleList> found = find_by(method, trace, options);
    if (found) {
      tell_types_apart(found->cycles);
      return found;
    }
    tried += (tried.empty() ? "" : "; ") + found.error().what;
  }
  return Error{ErrorCode::kTooLittleData, "no cycles found: " + tried, "", hint_for(options)};
}

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
  CycleOptions options{
      .method = CycleMethod::kMarker, .marker = std::string(pattern), .where = std::string(where)};
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

namespace {

constexpr double kLeastFactor = 3;
constexpr std::size_t kLeastCycles = 2;

double log_ns(const Cycle& cycle) {
  return std::log(static_cast<double>(std::max<std::int64_t>(cycle.interval.length_ns(), 1)));
}

// The border between two groups of sorted values that minimises the spread inside the groups;
// nothing if the groups are too small or too close.
std::optional<double> border_between(std::span<const double> sorted) {
  double total = 0;
  for (const double value : sorted) total += value;
  const double mean = total / static_cast<double>(sorted.size());
  // The spread inside both is least where the spread between them is largest.
  double largest = -1;
  std::size_t best = 0;
  double below = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    below += sorted[i - 1] - mean;
    const auto low = static_cast<double>(i);
    const auto high = static_cast<double>(sorted.size() - i);
    const double between = below * below * (1 / low + 1 / high);
    if (between > largest) {
      largest = between;
      best = i;
    }
  }
  if (std::min(best, sorted.size() - best) < kLeastCycles) return std::nullopt;
  double low_sum = 0;
  for (const double value : sorted.first(best)) low_sum += value;
  const double low_mean = low_sum / static_cast<double>(best);
  const double high_mean = (total - low_sum) / static_cast<double>(sorted.size() - best);
  if (high_mean - low_mean < std::log(kLeastFactor)) return std::nullopt;
  return (low_mean + high_mean) / 2;
}

}  // namespace

void tell_types_apart(std::vector<Cycle>& cycles) {
  std::vector<double> logs;
  for (const Cycle& cycle : cycles) {
    if (!cycle.has_inferred_border) logs.push_back(log_ns(cycle));
  }
  if (logs.size() < 2 * kLeastCycles) return;
  std::ranges::sort(logs);
  const std::optional<double> border = border_between(logs);
  if (!border) return;
  for (Cycle& cycle : cycles) {
    cycle.type = log_ns(cycle) < *border ? CycleType::kShort : CycleType::kLong;
  }
}

}  // namespace strobe::analysis

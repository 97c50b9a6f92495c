#include "strobe/analysis/cycles/cycles.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "strobe/base/check.h"
#include "strobe/stats/moments.h"

namespace strobe::analysis {
namespace {

constexpr CycleMethod kTriedInTurn[] = {CycleMethod::kSteps, CycleMethod::kHostFrame,
                                        CycleMethod::kKernelSequence, CycleMethod::kBusySignal};

Result<CycleList> whole_trace(const Trace& trace) {
  if (trace.extent().length_ns() == 0) {
    return Error{ErrorCode::kTooLittleData, "the trace holds no time", "", ""};
  }
  CycleList list;
  Cycle cycle;
  cycle.interval = trace.extent();
  cycle.name = "whole trace";
  list.cycles.push_back(std::move(cycle));
  return list;
}

Result<CycleList> find_by(CycleMethod method, const Trace& trace, const std::string& marker) {
  switch (method) {
    case CycleMethod::kMarker:
      return cycles_by_marker(trace, marker);
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

constexpr std::string_view kHint =
    "name the range that is one turn of the loop with --cycle marker=REGEX, or take the trace "
    "whole with --cycle none";

}  // namespace

std::string_view word_of(CycleConfidence confidence) {
  constexpr std::string_view kWords[] = {"low", "medium", "high"};
  return kWords[static_cast<std::size_t>(confidence)];
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
    Result<CycleList> found = find_by(*options.method, trace, options.marker);
    if (found) {
      tell_types_apart(found->cycles);
      return found;
    }
    Error error = std::move(found).error();
    if (error.hint.empty()) error.hint = kHint;
    return error;
  }
  std::string tried;
  for (const CycleMethod method : kTriedInTurn) {
    Result<CycleList> found = find_by(method, trace, options.marker);
    if (found) {
      tell_types_apart(found->cycles);
      return found;
    }
    tried += (tried.empty() ? "" : "; ") + found.error().what;
  }
  return Error{ErrorCode::kTooLittleData, "no cycles found: " + tried, "", std::string(kHint)};
}

}  // namespace strobe::analysis

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/base/result.h"
#include "strobe/trace/trace.h"

// The ways to find cycles, one file each, and what they share. An error's `what` says why there are
// none that way.
namespace strobe::analysis {

Result<CycleList> cycles_by_marker(const Trace& trace, const std::string& pattern);
Result<CycleList> cycles_by_steps(const Trace& trace);
Result<CycleList> cycles_by_host_frame(const Trace& trace);
Result<CycleList> cycles_by_kernel_sequence(const Trace& trace);
Result<CycleList> cycles_by_busy_signal(const Trace& trace);

// Parts cycles into short and long ones where their durations come in two sizes.
void tell_types_apart(std::vector<Cycle>& cycles);

struct SequencePeriods {
  std::optional<InnerPeriod> cycle;  // holds nearly every function
  std::optional<InnerPeriod> inner;  // repeats as well, but only some of them
};
// After how many elements a sequence repeats itself. `functions` are numbers below `count`.
SequencePeriods find_periods(std::span<const std::uint32_t> functions, std::size_t count);

// Guessed borders vary; what varies by more than half its mean is not a rhythm.
inline constexpr double kMostVariation = 0.5;
inline constexpr std::size_t kLeastRepetitions = 4;
// The deviation of the values as a share of their mean.
double variation_of(std::span<const double> values);

// "ProfilerStep#N" of "ProfilerStep#7": what the names of one loop's turns share.
std::string without_number(std::string_view name);

// By start, the longer one first: an outer range comes before those inside.
void sort_by_nesting(const Trace& trace, std::vector<SliceId>& slices);

}  // namespace strobe::analysis

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

// The methods that find cycles, one file each, and what they share. When a method finds no cycles,
// `what` of its error says why.
namespace strobe::analysis {

Result<CycleList> cycles_by_marker(const Trace& trace, const std::string& pattern,
                                   const std::string& where);
Result<CycleList> cycles_by_steps(const Trace& trace);
Result<CycleList> cycles_by_host_frame(const Trace& trace);
Result<CycleList> cycles_by_kernel_sequence(const Trace& trace);
Result<CycleList> cycles_by_busy_signal(const Trace& trace);

// Splits cycles into short and long ones if their durations form two groups.
void tell_types_apart(std::vector<Cycle>& cycles);

struct SequencePeriods {
  std::optional<InnerPeriod> cycle;  // holds nearly every function
  std::optional<InnerPeriod> inner;  // repeats as well, but only some of them
};
// After how many elements a sequence repeats itself. `functions` are numbers below `count`.
SequencePeriods find_periods(std::span<const std::uint32_t> functions, std::size_t count);

// Whether the sequence repeats itself, from `first` on, after one of these periods and not after a
// fraction of it. Functions that come only before `first` may be missing in a period.
bool repeats_after(std::span<const std::uint32_t> functions, std::size_t count,
                   std::span<const std::size_t> periods, std::size_t first = 0);

// Guessed borders vary; if the lengths vary by more than half their mean, there is no rhythm.
inline constexpr double kMostVariation = 0.5;
inline constexpr std::size_t kLeastRepetitions = 4;
// Standard deviation of the values divided by their mean.
double variation_of(std::span<const double> values);

// "ProfilerStep#N" for "ProfilerStep#7": the part of the name that all turns of a loop share.
std::string without_number(std::string_view name);

// By start, then the longer one first, so that an outer range comes before those inside it.
void sort_by_nesting(const Trace& trace, std::vector<SliceId>& slices);

}  // namespace strobe::analysis

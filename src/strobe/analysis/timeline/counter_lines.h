#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

enum class CounterUnit : std::uint8_t { kShare, kBytes, kNumber };
std::string_view word_of(CounterUnit unit);

// A value over time that can be drawn above the tracks.
struct CounterLine {
  std::string name;  // "GPU 0 busy", "GPU 0 allocated"
  CounterUnit unit = CounterUnit::kNumber;
  double max = 0;
  // Each value holds until the next one. A share has `covered` instead: the time when it is 1.
  std::vector<std::int64_t> times_ns = {};
  std::vector<double> values = {};
  IntervalSet covered = {};
};

struct CounterPoint {
  std::int64_t time_ns = 0;
  double low = 0;
  double high = 0;
};

// How busy each device is and how much launched work waits for it, the memory of each place, then
// the counters of the trace.
std::vector<CounterLine> list_counter_lines(const AttributedTrace& input);

// One point per column in which the value is known.
std::vector<CounterPoint> sample(const CounterLine& line, Interval window, std::uint32_t columns);

}  // namespace strobe::analysis

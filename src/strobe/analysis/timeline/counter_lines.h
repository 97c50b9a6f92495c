#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/timeline/track_groups.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// Units that are no physical ones; all others are written as people write them: "MHz", "B/s".
inline constexpr std::string_view kShareUnit = "share";
inline constexpr std::string_view kBytesUnit = "bytes";
inline constexpr std::string_view kNumberUnit = "number";

// A value over time that can be drawn below its owner's tracks.
struct CounterLine {
  std::string name;   // in the whole trace: "GPU 0 busy", "gpu_power_mw (GPU 1)"
  std::string label;  // below its owner: "busy", "power"
  std::string key;    // on a track of several lines: "limit", "python3 (4711)"; "" if it is alone
  CounterOwner owner = {};
  std::string unit{kNumberUnit};
  bool is_main = false;  // worth its place on the screen without a click
  double min = 0;
  double max = 0;
  // Each value holds until the next one; one that is not a number says that nothing is known from
  // there on. A share has `covered` instead: the time when it is 1.
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
// the counters of the trace: those of a recorded run in the order of their use, those of other
// tools by name. Values that grow are shown as rates, values in the unit of their metric.
std::vector<CounterLine> list_counter_lines(const AttributedTrace& input);

// One point per column in which the value is known.
std::vector<CounterPoint> sample(const CounterLine& line, Interval window, std::uint32_t columns);

}  // namespace strobe::analysis

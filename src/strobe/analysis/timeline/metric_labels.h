#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

// How metrics of a recorded run are shown on a timeline.
namespace strobe::analysis {

struct MetricLabel {
  std::string_view metric;    // its name in the trace
  std::string_view label;     // the track; several metrics may share one
  std::string_view key = {};  // the line on that track; "" if it is the only one
  bool is_main = false;       // shown without a click
  bool has_keys = false;      // many things have it; the trace says which, as the counter's series
};

struct KnownMetric {
  MetricLabel label;
  std::size_t order = 0;  // among the tracks of one owner
};

// Nothing for a metric that another tool has named.
std::optional<KnownMetric> known_metric(std::string_view metric);

// Whether a value that stands on a thread's track is about that thread. The counters of other tools
// are about the process, whichever thread has written them.
bool is_thread_metric(std::string_view metric);

}  // namespace strobe::analysis

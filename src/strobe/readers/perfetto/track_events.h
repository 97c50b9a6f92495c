#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strobe/readers/dialect.h"
#include "strobe/readers/perfetto/annotations.h"
#include "strobe/readers/perfetto/launch_links.h"
#include "strobe/readers/perfetto/sequence.h"
#include "strobe/readers/perfetto/span_edges.h"
#include "strobe/readers/perfetto/track_table.h"
#include "strobe/readers/trace_sink.h"

namespace strobe::readers::perfetto {

struct TrackEventMessage;

// Events on tracks: beginnings and ends of slices, instants, counters. Until finish(), the track of
// a row is the number of a place.
class TrackEvents {
 public:
  TrackEvents(TraceSink& sink, TrackTable& tracks, LaunchLinks& links)
      : sink_(sink), tracks_(tracks), links_(links), args_(sink.builder) {}

  // `time_ns` is the packet's; older writers have their own in the event.
  void add(std::string_view message, std::optional<std::int64_t> time_ns, Sequence& sequence,
           Clocks& clocks, std::uint64_t offset);
  // Joins beginnings and ends, and names counters.
  void finish();

 private:
  std::optional<std::int64_t> time_of(const TrackEventMessage& event, Sequence& sequence,
                                      Clocks& clocks) const;
  std::uint32_t place_of(const TrackEventMessage& event, const Sequence& sequence);
  StringId name_of(const TrackEventMessage& event, const Sequence& sequence);
  StringId category_of(const TrackEventMessage& event, const Sequence& sequence);
  NameRule rule_of(const TrackEventMessage& event, StringId category, StringId name);
  ArgsId args_of(std::string_view message, const Sequence& sequence);
  // A whole number among the event's arguments.
  std::optional<std::int64_t> argument(std::string_view message, std::string_view name,
                                       const Sequence& sequence) const;
  std::uint32_t begin(std::string_view message, const TrackEventMessage& event, std::uint32_t place,
                      std::int64_t time_ns, const Sequence& sequence);
  void add_instant(std::string_view message, const TrackEventMessage& event, std::uint32_t place,
                   std::int64_t time_ns, const Sequence& sequence);
  void add_legacy(std::string_view message, const TrackEventMessage& event, std::uint32_t place,
                  std::int64_t time_ns, Sequence& sequence, std::uint64_t offset);
  void add_counter(std::uint32_t place, std::int64_t time_ns, double value, Sequence& sequence);
  void add_extra_counters(std::string_view message, std::int64_t time_ns, Sequence& sequence);
  void add_flow(std::uint64_t id, FlowPhase phase, std::uint32_t place, std::int64_t time_ns);
  void add_flows(std::string_view message, std::uint32_t place, std::int64_t time_ns);

  TraceSink& sink_;
  TrackTable& tracks_;
  LaunchLinks& links_;
  Annotations args_;
  SpanEdges edges_;
  std::int64_t last_ns_ = std::numeric_limits<std::int64_t>::min();
  struct CounterRow {
    std::uint32_t row;
    std::uint32_t place;
  };
  std::vector<CounterRow> counter_rows_;               // their names come at the end
  std::unordered_map<std::uint64_t, NameRule> rules_;  // by category and name
};

}  // namespace strobe::readers::perfetto

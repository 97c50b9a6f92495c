#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "strobe/readers/perfetto/packet_fields.h"

namespace strobe::readers::perfetto {

// Of events that were converted from an older format, with that format's letters.
struct LegacyEvent {
  char phase = 0;
  std::optional<std::uint64_t> name_id;
  std::int64_t duration_us = 0;
  std::uint64_t id = 0;
  bool id_is_local = false;
  std::string_view scope;
  std::optional<std::uint64_t> bind_id;
  std::uint64_t flow_direction = 0;  // 1: in, 2: out
  std::optional<std::int64_t> process;
  std::optional<std::int64_t> thread;
};

// One event of a track. Views point into the message.
struct TrackEventMessage {
  EventType type = EventType::kNone;
  std::optional<std::uint64_t> track;
  std::optional<std::uint64_t> category_id;
  std::string_view category;
  std::optional<std::uint64_t> name_id;
  std::string_view name;
  bool has_name = false;
  std::optional<std::int64_t> delta_us;
  std::optional<std::int64_t> absolute_us;
  std::optional<double> value;
  bool is_gpu_call = false;
  bool has_annotations = false;
  bool has_extra_values = false;
  bool has_flows = false;
  std::optional<LegacyEvent> legacy;
  std::vector<std::uint64_t> submits;
  std::vector<std::uint64_t> waits_for;
};

TrackEventMessage read_track_event(std::string_view message);

}  // namespace strobe::readers::perfetto

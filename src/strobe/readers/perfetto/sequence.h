#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strobe/readers/by_id.h"
#include "strobe/readers/perfetto/clocks.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::readers::perfetto {

struct GpuSpec {
  std::string name;
  bool is_known = false;
};

struct GpuCounterSpec {
  std::string name;
  std::string unit;  // "byte/second"
};
struct GpuCounterSpecs {
  std::int32_t gpu = 0;
  std::map<std::uint64_t, GpuCounterSpec> by_counter;

  void add(std::string_view descriptor);
};

// What packets of one writer refer to by number. A writer says it again after it has cleared its
// state, and packets after a loss refer to what is not there.
struct Interned {
  ById<StringId> categories;
  ById<StringId> event_names;
  ById<StringId> annotation_names;
  ById<StringId> annotation_texts;
  ById<StringId> kernels;
  ById<StringId> launch_args;
  ById<GpuSpec> gpu_specs;
  std::unordered_map<std::uint64_t, GpuCounterSpecs> gpu_counters;

  void add(std::string_view message, TraceBuilder& builder);
};

// The state of one writer of packets.
struct Sequence {
  std::uint32_t id = 0;
  bool is_valid = false;  // its state was cleared, and nothing was lost since
  bool has_packets = false;
  Interned interned;

  // Values that its packets leave out.
  std::optional<std::uint64_t> clock;
  std::optional<std::uint64_t> track;
  std::vector<std::uint64_t> extra_tracks;
  std::vector<std::uint64_t> extra_real_tracks;

  // Of older writers: the thread of all events, and the time that differences add up from.
  std::optional<std::int64_t> process;
  std::optional<std::int64_t> thread;
  std::int64_t time_us = 0;

  std::unordered_map<std::uint64_t, double> counters;  // incremental ones, by their track

  void clear();
  void set_defaults(std::string_view message);
};

}  // namespace strobe::readers::perfetto

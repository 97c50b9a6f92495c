#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strobe/readers/perfetto/annotations.h"
#include "strobe/readers/perfetto/launch_links.h"
#include "strobe/readers/perfetto/sequence.h"
#include "strobe/readers/perfetto/track_table.h"
#include "strobe/readers/trace_sink.h"

namespace strobe::readers::perfetto {

// The work of a GPU and its counters.
class GpuEvents {
 public:
  GpuEvents(TraceSink& sink, TrackTable& tracks, LaunchLinks& links)
      : sink_(sink), tracks_(tracks), links_(links), args_(sink.builder) {}

  void add_stage(std::string_view message, std::int64_t time_ns, const Sequence& sequence,
                 std::uint64_t offset);
  void add_counters(std::string_view message, std::int64_t time_ns, bool has_time,
                    const Sequence& sequence, std::uint64_t offset);
  // Queues and stages of older traces, whose events have no number of a sequence's own.
  void add_old_specs(std::string_view message);

 private:
  struct Stage;
  static Stage read_stage(std::string_view message);
  std::string queue_of(const Stage& stage, const Sequence& sequence, std::uint64_t offset);
  std::string stage_name(const Stage& stage, const Sequence& sequence, std::uint64_t offset);
  StringId name_of(const Stage& stage, const std::string& stage_name, const Sequence& sequence);
  ArgsId args_of(const Stage& stage, std::string_view message, const Sequence& sequence);
  void add_launch(std::string_view message, const Sequence& sequence);
  std::uint8_t flags_of(StringId name);
  const GpuCounterSpec* spec_of(const GpuCounterSpecs* specs, std::int32_t gpu,
                                std::uint64_t counter) const;

  TraceSink& sink_;
  TrackTable& tracks_;
  LaunchLinks& links_;
  Annotations args_;
  std::vector<std::string> old_queues_;
  std::vector<std::string> old_stages_;
  std::map<std::int32_t, GpuCounterSpecs> counter_specs_;  // that events bring along
  std::unordered_map<StringId, std::uint8_t> flags_;       // of kernels, by their names
};

}  // namespace strobe::readers::perfetto

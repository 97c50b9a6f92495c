#pragma once

#include <optional>
#include <string_view>

#include "strobe/base/text.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::analysis {

// A trace as the reader of recorded runs makes it: samples and conditions have tracks of their own.
class RecordedSketch {
 public:
  RecordedSketch& track(TrackKind kind, std::string_view process, std::string_view thread,
                        std::optional<std::int32_t> device = {}) {
    Track track;
    track.kind = kind;
    track.process = builder_.intern(process);
    track.thread = builder_.intern(thread);
    track.process_number = parse_whole_number(process);
    track.thread_number = parse_whole_number(thread);
    track.device = device;
    track_ = builder_.add_track(track);
    return *this;
  }
  RecordedSketch& thread(std::string_view process, std::string_view thread) {
    return track(TrackKind::kHostThread, process, thread);
  }
  RecordedSketch& stream(std::int32_t device, std::string_view stream) {
    return track(TrackKind::kDeviceStream, std::to_string(device), stream, device);
  }
  RecordedSketch& of_device(std::int32_t device, std::string_view thread = "metrics") {
    return track(TrackKind::kOther, std::to_string(device), thread, device);
  }
  RecordedSketch& of_process(std::string_view process, std::string_view thread = "metrics") {
    return track(TrackKind::kOther, process, thread);
  }
  RecordedSketch& of_machine() { return track(TrackKind::kOther, "Host", "metrics"); }

  RecordedSketch& slice(std::string_view name, SliceKind kind, std::int64_t start_ns,
                        std::int64_t duration_ns) {
    TraceBuilder::SliceRow row;
    row.start_ns = start_ns;
    row.duration_ns = duration_ns;
    row.name = builder_.intern(name);
    row.track = track_;
    row.category = builder_.category("sketch");
    row.kind = kind;
    builder_.add_slice(row);
    return *this;
  }

  // A sample of the chosen track; without a key, the series is called as the metric.
  RecordedSketch& sample(std::string_view metric, std::int64_t time_ns, double value,
                         std::string_view key = {}) {
    CounterVectors& counters = builder_.counters();
    counters.times_ns.push_back(time_ns);
    counters.tracks.push_back(track_);
    counters.names.push_back(builder_.intern(metric));
    counters.series.push_back(builder_.intern(key.empty() ? metric : key));
    counters.values.push_back(value);
    return *this;
  }

  Trace trace() { return std::move(builder_).build(); }

 private:
  TraceBuilder builder_;
  TrackId track_;
};

}  // namespace strobe::analysis

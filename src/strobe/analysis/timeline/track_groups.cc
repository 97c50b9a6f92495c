#include "strobe/analysis/timeline/track_groups.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

namespace strobe::analysis {
namespace {

std::string text_of(const Trace& trace, StringId id) {
  if (!id.valid()) return {};
  std::string text(trace.strings()[id]);
  text.erase(text.find_last_not_of(' ') + 1);  // some writers pad: "stream 7 "
  return text;
}

// Writers use -1 for slices that belong to no process or thread.
std::optional<std::int64_t> real_number(const std::optional<std::int64_t>& number) {
  return number && *number >= 0 ? number : std::nullopt;
}

bool is_nobodys(const Track& track) {
  return track.process_number && !real_number(track.process_number);
}

// What each track's slices are about.
struct TrackContent {
  bool has_slices = false;
  bool has_work = false;  // has more than the profiler's own slices
};

std::vector<TrackContent> contents_of(const Trace& trace) {
  const auto& slices = trace.slices();
  std::vector<TrackContent> contents(trace.tracks().size());
  for (std::size_t row = 0; row < slices.size(); ++row) {
    TrackContent& content = contents[slices.tracks[row].index()];
    content.has_slices = true;
    content.has_work |=
        slices.kinds[row] != SliceKind::kProfiler && slices.kinds[row] != SliceKind::kOverhead;
  }
  return contents;
}

// Asynchronous tracks join the threads of their process, if it has any; a thread with only the
// profiler's own events belongs to no process.
TrackKind group_kind(const Trace& trace, const std::vector<TrackId>& tracks, const Track& track,
                     const TrackContent& content) {
  if (!content.has_work) return TrackKind::kOther;
  if (track.kind != TrackKind::kAsync) return track.kind;
  const bool has_threads = std::ranges::any_of(tracks, [&](TrackId id) {
    const Track& other = trace.tracks()[id.index()];
    return other.kind == TrackKind::kHostThread && other.process == track.process;
  });
  return has_threads ? TrackKind::kHostThread : TrackKind::kAsync;
}

auto draw_order(const Trace& trace, TrackKind kind, const Track& track) {
  const auto number_key = [](const std::optional<std::int64_t>& number) {
    return std::pair(!number.has_value(), number.value_or(0));
  };
  const auto process = real_number(track.process_number);
  const bool is_main = process && process == track.thread_number;
  return std::tuple(kind, track.device.value_or(std::numeric_limits<std::int32_t>::max()),
                    number_key(process), trace.strings()[track.process],
                    track.kind == TrackKind::kAsync, !is_main, number_key(track.sort_index),
                    number_key(track.thread_number), trace.strings()[track.thread]);
}

bool is_one_group(const Track& a, const Track& b, TrackKind kind) {
  return kind == TrackKind::kDeviceStream && a.device ? a.device == b.device
                                                      : a.process == b.process;
}

std::string device_and_chip(const Trace& trace, std::int32_t id) {
  std::string name = trace.traits().device_label + " " + std::to_string(id);
  const auto& devices = trace.metadata().devices;
  const auto known = std::ranges::find(devices, id, &DeviceProperties::id);
  return known == devices.end() || known->name.empty() ? name : known->name + " · " + name;
}

std::string group_name(const Trace& trace, const Track& track, TrackKind kind) {
  if (kind == TrackKind::kDeviceStream && track.device)
    return device_and_chip(trace, *track.device);
  const std::string process = text_of(trace, track.process);
  const std::string name = text_of(trace, track.process_name);
  if (is_nobodys(track)) {
    if (!name.empty()) return name;
    return kind == TrackKind::kOther ? "profiler" : "no process";
  }
  if (name.empty()) return track.process_number ? "process " + process : process;
  return name.find(process) == std::string::npos ? name + " (" + process + ")" : name;
}

}  // namespace

std::string track_name(const Trace& trace, TrackId id) {
  const Track& track = trace.tracks()[id.index()];
  const std::string name = text_of(trace, track.thread_name);
  if (!name.empty()) return name;
  const std::string thread = text_of(trace, track.thread);
  if (!track.thread_number) return thread;
  switch (track.kind) {
    case TrackKind::kHostThread: {
      const bool has_number = *track.thread_number > 0 || !is_nobodys(track);
      return has_number && real_number(track.thread_number) ? "thread " + thread : "no thread";
    }
    case TrackKind::kDeviceStream:
      return "stream " + thread;
    default:
      return thread;
  }
}

std::vector<TrackGroup> group_tracks(const Trace& trace) {
  const std::vector<TrackContent> contents = contents_of(trace);
  std::vector<TrackId> tracks;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    if (contents[i].has_slices) tracks.push_back(TrackId(i));
  }
  std::vector<TrackKind> kinds(trace.tracks().size());
  for (const TrackId id : tracks) {
    kinds[id.index()] = group_kind(trace, tracks, trace.tracks()[id.index()], contents[id.index()]);
  }
  std::ranges::stable_sort(tracks, {}, [&](TrackId id) {
    return draw_order(trace, kinds[id.index()], trace.tracks()[id.index()]);
  });
  std::vector<TrackGroup> groups;
  for (const TrackId id : tracks) {
    const Track& track = trace.tracks()[id.index()];
    const TrackKind kind = kinds[id.index()];
    if (groups.empty() || groups.back().kind != kind ||
        !is_one_group(trace.tracks()[groups.back().tracks.front().index()], track, kind)) {
      groups.push_back({group_name(trace, track, kind), kind, {}});
    }
    groups.back().tracks.push_back(id);
  }
  return groups;
}

}  // namespace strobe::analysis

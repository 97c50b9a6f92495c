#include "strobe/analysis/timeline/track_groups.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "strobe/analysis/timeline/metric_labels.h"
#include "strobe/trace/metric_series.h"

namespace strobe::analysis {
namespace {

using What = CounterOwner::What;

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

// What is on a track.
struct TrackContent {
  bool has_slices = false;
  bool has_work = false;  // has more than conditions and the profiler's own slices
  bool has_conditions = false;
  bool has_counters = false;                // about the thread itself
  std::optional<std::int32_t> device = {};  // of a stream, or that its conditions are about
};

using TrackContents = std::vector<TrackContent>;  // per track

void note_slices(const Trace& trace, TrackContents& contents) {
  const auto& slices = trace.slices();
  for (std::size_t row = 0; row < slices.size(); ++row) {
    TrackContent& content = contents[slices.tracks[row].index()];
    const SliceKind kind = slices.kinds[row];
    content.has_slices = true;
    content.has_conditions |= kind == SliceKind::kCondition;
    content.has_work |= kind != SliceKind::kCondition && kind != SliceKind::kProfiler &&
                        kind != SliceKind::kOverhead;
  }
}

// f(TrackId track, StringId name), mostly once for neighbours that are equal.
template <class Function>
void for_each_counter(const Trace& trace, Function&& f) {
  const CounterColumns& counters = trace.counters();
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const bool is_known = i > 0 && counters.tracks[i] == counters.tracks[i - 1] &&
                          counters.names[i] == counters.names[i - 1];
    if (!is_known) f(counters.tracks[i], counters.names[i]);
  }
}

bool has_only_conditions(const TrackContent& content) {
  return content.has_conditions && !content.has_work;
}

TrackContents contents_of(const Trace& trace, const CounterOwners& owners) {
  TrackContents contents(trace.tracks().size());
  note_slices(trace, contents);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const Track& track = trace.tracks()[i];
    contents[i].device = has_only_conditions(contents[i]) ? owners.device_of(track) : track.device;
  }
  for_each_counter(trace, [&](TrackId track, StringId name) {
    if (owners.of(track, name).what == What::kThread) contents[track.index()].has_counters = true;
  });
  return contents;
}

// Asynchronous tracks join the threads of their process, if it has any; conditions join the thread
// or the device that they are about; a thread with only the profiler's own events belongs to no
// process.
TrackKind group_kind(const Trace& trace, const std::vector<TrackId>& tracks, const Track& track,
                     const TrackContent& content) {
  if (has_only_conditions(content)) {
    return content.device ? TrackKind::kDeviceStream : TrackKind::kHostThread;
  }
  if (content.has_slices && !content.has_work) return TrackKind::kOther;
  if (track.kind != TrackKind::kAsync) return track.kind;
  const bool has_threads = std::ranges::any_of(tracks, [&](TrackId id) {
    const Track& other = trace.tracks()[id.index()];
    return other.kind == TrackKind::kHostThread && other.process == track.process;
  });
  return has_threads ? TrackKind::kHostThread : TrackKind::kAsync;
}

// The thread that a track of conditions is about: its text begins with that of the thread, as in
// "4711 waits for a core".
TrackId leader_of(const Trace& trace, TrackId id, const TrackContent& content) {
  const Track& track = trace.tracks()[id.index()];
  const std::string_view text = trace.strings()[track.thread];
  if (!has_only_conditions(content) || content.device) return id;
  const std::string_view thread = text.substr(0, text.find(' '));
  for (std::size_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& other = trace.tracks()[i];
    const bool is_meant = other.kind == TrackKind::kHostThread && other.process == track.process &&
                          trace.strings()[other.thread] == thread;
    if (is_meant) return TrackId(i);
  }
  return id;
}

auto draw_order(const Trace& trace, const TrackContents& contents, TrackKind kind, TrackId leader,
                TrackId id) {
  const auto number_key = [](const std::optional<std::int64_t>& number) {
    return std::pair(!number.has_value(), number.value_or(0));
  };
  const Track& track = trace.tracks()[leader.index()];
  const TrackContent& content = contents[leader.index()];
  const auto process = real_number(track.process_number);
  const bool is_main = process && process == track.thread_number;
  return std::tuple(kind, content.device.value_or(std::numeric_limits<std::int32_t>::max()),
                    number_key(process), trace.strings()[track.process],
                    track.kind == TrackKind::kAsync, !content.has_slices, !is_main,
                    number_key(track.sort_index), number_key(track.thread_number),
                    trace.strings()[track.thread], leader != id,
                    trace.strings()[trace.tracks()[id.index()].thread]);
}

std::string device_and_chip(const Trace& trace, std::int32_t id) {
  std::string name = trace.traits().device_label + " " + std::to_string(id);
  const auto& devices = trace.metadata().devices;
  const auto known = std::ranges::find(devices, id, &DeviceProperties::id);
  return known == devices.end() || known->name.empty() ? name : known->name + " · " + name;
}

std::string group_name(const Trace& trace, const Track& track, TrackKind kind) {
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

CounterOwners::CounterOwners(const Trace& trace) : trace_(&trace) {
  for (const Track& track : trace.tracks()) {
    if (track.device) devices_.try_emplace(track.process, *track.device);
  }
}

std::optional<std::int32_t> CounterOwners::device_of(const Track& track) const {
  if (track.device || track.kind != TrackKind::kHostThread) return track.device;
  const auto found = devices_.find(track.process);
  return found == devices_.end() ? std::nullopt : std::optional(found->second);
}

CounterOwner CounterOwners::of(TrackId id, StringId counter_name) const {
  const Track& track = trace_->tracks()[id.index()];
  if (track.device) return CounterOwner::of_device(*track.device);
  const bool is_thread =
      track.kind == TrackKind::kHostThread && is_thread_metric(trace_->strings()[counter_name]);
  if (is_thread) return {What::kThread, -1, track.process, id};
  if (const auto device = device_of(track)) return CounterOwner::of_device(*device);
  if (!track.process_number && trace_->strings()[track.process] == kHostDevice) return {};
  return CounterOwner::of_process(track.process);
}

std::size_t group_of(const std::vector<TrackGroup>& groups, const CounterOwner& owner) {
  const CounterOwner wanted =
      owner.what == What::kThread ? CounterOwner::of_process(owner.process) : owner;
  const auto found = std::ranges::find(groups, wanted, &TrackGroup::owner);
  return static_cast<std::size_t>(found - groups.begin());
}

namespace {

// What a group is about; groups of two tracks with the same owner and kind are one.
CounterOwner group_owner(const Track& track, TrackKind kind, const TrackContent& content) {
  return kind == TrackKind::kDeviceStream && content.device
             ? CounterOwner::of_device(*content.device)
             : CounterOwner::of_process(track.process);
}

TrackGroup new_group(const Trace& trace, const Track& track, TrackKind kind,
                     const CounterOwner& owner) {
  std::string name = owner.what == What::kDevice ? device_and_chip(trace, owner.device)
                                                 : group_name(trace, track, kind);
  return {std::move(name), kind, {}, owner};
}

std::vector<TrackId> drawn_tracks(const TrackContents& contents) {
  std::vector<TrackId> tracks;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    if (contents[i].has_slices || contents[i].has_counters) tracks.push_back(TrackId(i));
  }
  return tracks;
}

std::vector<TrackGroup> groups_with_tracks(const Trace& trace, const TrackContents& contents) {
  std::vector<TrackId> tracks = drawn_tracks(contents);
  std::vector<TrackKind> kinds(contents.size());
  std::vector<TrackId> leaders(contents.size());
  for (const TrackId id : tracks) {
    const TrackContent& content = contents[id.index()];
    kinds[id.index()] = group_kind(trace, tracks, trace.tracks()[id.index()], content);
    leaders[id.index()] = leader_of(trace, id, content);
  }
  std::ranges::stable_sort(tracks, {}, [&](TrackId id) {
    const TrackId leader = leaders[id.index()];
    return draw_order(trace, contents, kinds[id.index()], leader, id);
  });
  std::vector<TrackGroup> groups;
  for (const TrackId id : tracks) {
    const Track& track = trace.tracks()[id.index()];
    const TrackKind kind = kinds[id.index()];
    const CounterOwner owner = group_owner(track, kind, contents[id.index()]);
    if (groups.empty() || groups.back().kind != kind || groups.back().owner != owner) {
      groups.push_back(new_group(trace, track, kind, owner));
    }
    groups.back().tracks.push_back(id);
  }
  return groups;
}

TrackGroup group_of_counters(const Trace& trace, const CounterOwner& owner, const Track& track) {
  if (owner.what == What::kMachine) {
    return {kHostDevice, TrackKind::kHostThread, {}, owner};
  }
  const bool is_device = owner.what == What::kDevice;
  return new_group(trace, track, is_device ? TrackKind::kDeviceStream : TrackKind::kHostThread,
                   owner);
}

// Owners of counters that have no tracks.
void add_groups_of_counters(const Trace& trace, const CounterOwners& owners,
                            std::vector<TrackGroup>& groups) {
  for_each_counter(trace, [&](TrackId id, StringId name) {
    const CounterOwner owner = owners.of(id, name);
    if (group_of(groups, owner) < groups.size()) return;
    groups.push_back(group_of_counters(trace, owner, trace.tracks()[id.index()]));
  });
}

auto group_order(const TrackGroup& group) {
  constexpr std::int32_t kNoDevice = std::numeric_limits<std::int32_t>::max();
  switch (group.kind) {
    case TrackKind::kHostThread:
      if (!group.tracks.empty()) return std::tuple(0, 0, std::string_view());
      if (group.owner.what == What::kMachine) return std::tuple(3, 0, std::string_view());
      return std::tuple(2, 0, std::string_view(group.name));
    case TrackKind::kDeviceStream:
      return std::tuple(1, group.owner.what == What::kDevice ? group.owner.device : kNoDevice,
                        std::string_view());
    case TrackKind::kAsync:
      return std::tuple(4, 0, std::string_view());
    case TrackKind::kOther:
      break;
  }
  return std::tuple(5, 0, std::string_view());
}

}  // namespace

std::vector<TrackGroup> group_tracks(const Trace& trace) {
  const CounterOwners owners(trace);
  std::vector<TrackGroup> groups = groups_with_tracks(trace, contents_of(trace, owners));
  add_groups_of_counters(trace, owners, groups);
  std::ranges::stable_sort(groups, {}, group_order);
  return groups;
}

}  // namespace strobe::analysis

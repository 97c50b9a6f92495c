#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/trace/trace.h"

namespace strobe::analysis {

// What a counter is about.
struct CounterOwner {
  enum class What : std::uint8_t { kMachine, kDevice, kProcess, kThread };
  What what = What::kMachine;
  std::int32_t device = -1;  // of kDevice
  StringId process = {};     // of kProcess and kThread
  TrackId thread = {};       // of kThread

  static CounterOwner of_device(std::int32_t device) { return {What::kDevice, device}; }
  static CounterOwner of_process(StringId process) { return {What::kProcess, -1, process}; }
  auto operator<=>(const CounterOwner&) const = default;
};

// Finds the owners of counters by the tracks they stand on.
class CounterOwners {
 public:
  explicit CounterOwners(const Trace& trace);

  CounterOwner of(TrackId track, StringId counter_name) const;
  // The device of a track, or that its process stands for: in some files a device is a process,
  // and its counters seem to be on a thread of it.
  std::optional<std::int32_t> device_of(const Track& track) const;

 private:
  const Trace* trace_;
  std::map<StringId, std::int32_t> devices_;  // by the text that their streams have as a process
};

// Tracks that belong together on the screen: the threads of a process, the streams of a device.
struct TrackGroup {
  std::string name;  // "python (589)", "NVIDIA H200 · GPU 0", "Host"
  TrackKind kind = TrackKind::kOther;
  std::vector<TrackId> tracks;  // none if there are only counters
  CounterOwner owner = {};      // whose counters belong here; never a thread
};

// Every track with slices, every thread with counters of its own, and every owner of counters, in
// the order to draw them: processes with their main threads first and their asynchronous tracks
// last, then devices, processes without tracks, the machine, and the rest. Conditions follow the
// thread or the streams that they are about.
std::vector<TrackGroup> group_tracks(const Trace& trace);

// The group for the counters of an owner; the number of groups if there is none.
std::size_t group_of(const std::vector<TrackGroup>& groups, const CounterOwner& owner);

// "stream 7", "thread 589 (python)", "no thread".
std::string track_name(const Trace& trace, TrackId track);

}  // namespace strobe::analysis

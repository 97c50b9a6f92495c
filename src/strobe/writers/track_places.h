#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/trace/trace.h"
#include "strobe/writers/lanes.h"

namespace strobe::writers {

// Numbers for the processes of the traces in one file. A process keeps its own number or name
// unless an earlier one has taken it.
class ProcessNames {
 public:
  // As JSON. `trace` tells the traces apart: "rank 3".
  std::string take(std::string_view process, std::string_view trace);
  // A number for a process that has none.
  std::string take_number();

 private:
  std::set<std::int64_t> numbers_;
  std::int64_t last_found_ = 0;  // by take_number(); the next search need not begin before it
  std::set<std::string> texts_;
};

// The "pid" and "tid" of every track and lane of one trace, as JSON. Traces of events keep their
// names; others get a number for each process and thread, because not all tools take texts.
class TrackPlaces {
 public:
  // `label` names the trace in a file of several, "" in a file of its own.
  TrackPlaces(const Trace& trace, const Lanes& lanes, std::string_view label, ProcessNames& names);

  std::string_view process_of(const ViewerLine& line) const {
    return processes_.at({line.process, line.is_of_device});
  }

  std::string_view thread_of(const ViewerLine& line) const { return threads_.at(line); }

  // `"pid":0,"tid":7`
  std::string_view of_track(TrackId track) const { return tracks_[track.index()]; }
  std::string_view of_lane(std::uint32_t lane) const { return lanes_[lane]; }
  // For asynchronous slices of a track: they stand on any thread of their process.
  std::string beside_threads(TrackId track) const;

 private:
  void number_processes(std::string_view label, ProcessNames& names);

  const Trace* trace_;
  std::map<std::pair<StringId, bool>, std::string> processes_;
  std::map<ViewerLine, std::string> threads_;
  std::map<std::pair<StringId, bool>, TrackId> last_threads_;  // of a process, not asynchronous
  std::vector<std::string> tracks_;
  std::vector<std::string> lanes_;
};

}  // namespace strobe::writers

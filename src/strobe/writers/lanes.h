#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "strobe/trace/trace.h"

namespace strobe::writers {

// What viewers draw as one line of a process: a pid and a tid. Tracks of a file of events share one
// if they share both; in other traces a device may have the number of a process.
struct ViewerLine {
  StringId process;
  StringId thread;
  bool is_of_device = false;

  auto operator<=>(const ViewerLine&) const = default;
};

ViewerLine line_of(const Trace& trace, const Track& track);

// Viewers draw the slices of a thread as stacks, and a slice that begins inside another one and
// ends outside of it has no place there: Perfetto drops it. Such slices get lanes, threads made up
// for them beside the real one:
//
//     thread     |--- step ---|   |----- step -----|
//     lane 1          |--- frame ---|    |- frame -|
class Lanes {
 public:
  struct Lane {
    ViewerLine of;             // the real thread
    std::uint32_t number = 0;  // 1 for the first lane of its thread
  };
  struct Moved {
    std::uint32_t slice = 0;  // row
    std::uint32_t lane = 0;   // in lanes()
  };

  Lanes() = default;  // every slice stays where it is
  // Moves as few slices as a walk in the order of time can: of two that cross, the later one.
  // Asynchronous slices cannot cross and are left alone.
  explicit Lanes(const Trace& trace);

  const std::vector<Lane>& lanes() const { return lanes_; }
  const std::vector<Moved>& moved() const { return moved_; }  // by slice

  // The lane of a moved slice of this thread that starts at this time, for arrows.
  std::optional<std::uint32_t> lane_at(const ViewerLine& thread, std::int64_t start_ns) const;

 private:
  std::vector<Lane> lanes_;
  std::vector<Moved> moved_;
  struct MovedStart {
    std::int64_t start_ns = 0;
    std::uint32_t lane = 0;
  };
  std::map<ViewerLine, std::vector<MovedStart>> by_start_;
};

}  // namespace strobe::writers

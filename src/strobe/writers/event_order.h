#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "strobe/trace/trace.h"

namespace strobe::writers {

// The runtime calls of a trace by their correlation.
class LaunchCalls {
 public:
  explicit LaunchCalls(const SliceColumns& slices);

  struct Found {
    std::uint32_t row = 0;
    bool is_first_use = false;
  };

  // Of several calls with one correlation, the last one.
  std::optional<Found> find(std::uint32_t correlation);

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> calls_;  // correlation, row; sorted
  std::vector<bool> is_used_;
};

// Where each instant stands: the number of slices before it, never descending. Some writers say by
// the order of their file which range an allocation belongs to: it comes directly behind that
// range, and before the first range of its thread if it belongs to none. Other instants come behind
// all slices.
std::vector<std::uint32_t> slices_before_instants(const Trace& trace);

// Viewers read times as doubles, which hold nanoseconds for 104 days, and a wall clock counts from
// 1970. What to take off all times of such a trace, and to add to its base: a multiple of 52 days,
// so that the ranks of a run have the same. 0 if its times can be read as they are.
std::int64_t clock_to_take_off(const Trace& trace);

}  // namespace strobe::writers

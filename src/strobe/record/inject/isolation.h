#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace strobe::record {

// Launches of one kernel and grid are of one kind. A number is enough: if two kinds share it, one
// launch is set apart too many or too few.
using LaunchKind = std::uint64_t;
LaunchKind kind_of_launch(std::string_view name, const std::array<std::uint32_t, 3>& grid) noexcept;

// Which launches the counters are stopped and started before, to be measured apart: short ones
// right behind long ones. What a long launch leaves in the cache is written to memory while the
// next one runs; a short one it can outweigh (on an H200, 5 us behind 50: 4 % of the time and a
// third of the bytes written, and stopping the counters is all that was found to prevent it). How
// long they take is known once the same two, one behind the other, were read out. Setting apart
// costs some 30 ms: all launches behind one ten times as long have a claim to it, one in four
// behind one five times as long, and so on, but no more than one in sixteen of all.
class Isolation {
 public:
  // Of every launch, in their order: whether it should be set apart.
  bool is_due(LaunchKind next) noexcept;
  // The same launches later, in the same order; no number if nobody knows how long it took.
  void learn(LaunchKind kind, double duration_ns) noexcept;

 private:
  struct Learned {
    LaunchKind kind = 0;
    double duration_ns = 0;
  };

  struct Pair {
    double share = 0;  // of its launches that ought to be set apart
    double claim = 0;  // of those since the last that was
  };

  std::unordered_map<LaunchKind, Pair> pairs_;  // by the two kinds in one
  LaunchKind previous_ = 0;
  Learned last_;
  std::uint64_t launches_ = 0;
  std::uint64_t set_apart_ = 0;
};

}  // namespace strobe::record

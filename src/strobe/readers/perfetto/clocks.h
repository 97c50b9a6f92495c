#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace strobe::readers::perfetto {

// The clocks of a trace, and their times as times of the trace's own clock, by the snapshots in
// which several clocks were read at once.
class Clocks {
 public:
  static constexpr std::uint64_t kBootTime = 6;
  static constexpr std::uint64_t kMonotonic = 3;

  // `sequence` wrote the snapshot: clocks 64 to 127 are its own.
  void add_snapshot(std::uint32_t sequence, std::string_view message);

  // Nothing for a clock of a sequence's own that has no snapshot. Any other clock without one is
  // taken for the trace's clock.
  std::optional<std::int64_t> time_of(std::uint32_t sequence, std::uint64_t clock,
                                      std::uint64_t value);
  std::uint64_t trace_clock() const { return trace_clock_; }
  bool took_other_clock() const { return took_other_clock_; }

 private:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  // sequence (0: of all), clock
  struct Reading {
    std::int64_t own_ns;
    std::int64_t other_ns;  // of the clock that it is compared with
  };
  struct Clock {
    std::uint64_t unit_ns = 1;
    bool is_incremental = false;
    std::int64_t latest_ns = 0;  // of an incremental one
    std::vector<Reading> to_trace;
    std::optional<Key> other;  // one clock that it was read with where the trace's was not
    std::vector<Reading> to_other;
  };
  static Key key_of(std::uint32_t sequence, std::uint64_t clock) {
    return {clock >= 64 && clock < 128 ? sequence : 0, clock};
  }
  static std::int64_t convert(const std::vector<Reading>& readings, std::int64_t own_ns);

  std::map<Key, Clock> clocks_;
  std::uint64_t trace_clock_ = kBootTime;
  bool took_other_clock_ = false;
};

}  // namespace strobe::readers::perfetto

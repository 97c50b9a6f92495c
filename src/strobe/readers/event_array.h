#pragma once

#include <cstdint>
#include <functional>

#include "strobe/readers/shard.h"
#include "strobe/readers/window.h"

namespace strobe::readers {

enum class ArrayEnd : std::uint8_t {
  kStopReached,  // the next event begins at or behind the stop
  kClosed,       // the array's ']' was read
  kTextEnded,    // the text ends first
  kCancelled,
};

struct ArrayScan {
  ArrayEnd end = ArrayEnd::kTextEnded;
  std::uint64_t next_offset =
      0;  // of the next event, or one past the ']', or of the event the text ends in
  bool inside_event = false;  // with kTextEnded: the text ends in the middle of an event
  std::uint64_t entries = 0;  // elements scanned, whether kept or not
};

// Called now and then with the offset reached; false cancels.
using ScanPulse = std::function<bool(std::uint64_t offset)>;

// Scans elements of the event array from `p` on (in front of an element, a comma or the ']') into
// the shard, until the next element begins at or behind `stop_offset`. Damaged elements are
// reported and stepped over: scanning goes on at the next place that looks like an event. `p` ends
// where scanning ended.
ArrayScan scan_event_array(Window& window, const char*& p, std::uint64_t stop_offset, Shard& shard,
                           ImportReport& report, const ScanPulse& pulse);

}  // namespace strobe::readers

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/readers/shard.h"
#include "strobe/readers/text_source.h"

namespace strobe::readers {

enum class ArrayEnd : std::uint8_t {
  kStopReached,  // the next event begins at or after the stop
  kClosed,       // the array's ']' was read
  kTextEnded,    // the text ends first
  kCancelled,
  kTooManyEvents,  // more than kMostEvents
};

struct ArrayScan {
  ArrayEnd end = ArrayEnd::kTextEnded;
  std::uint64_t next_offset =
      0;  // of the next event, or one past the ']', or of the event the text ends in
  bool inside_event = false;  // with kTextEnded: the text ends in the middle of an event
  std::uint64_t entries = 0;  // elements scanned, whether kept or not
};

// Called from time to time with the offset reached; false cancels.
using ScanPulse = std::function<bool(std::uint64_t offset)>;

// Scans elements of the event array from `p` on (before an element, a comma or the ']') into the
// shard, until the next element begins at or after `stop_offset`. Damaged elements are reported and
// skipped: scanning continues at the next place that looks like an event. `p` ends where scanning
// ended.
ArrayScan scan_event_array(Window& window, const char*& p, std::uint64_t stop_offset, Shard& shard,
                           ImportReport& report, const ScanPulse& pulse);

// A part of the event array that one thread scanned into one shard.
struct Piece {
  std::uint64_t first_offset = 0;
  ArrayScan scan;
  std::size_t shard = 0;
  RowMarks begin;
  RowMarks end;
  ArgsStore args;
  ImportReport report;
};

struct ParallelScan {
  std::vector<Shard> shards;
  std::vector<Piece> pieces;  // in file order, end to end
};

// Scans the event array that begins at `first_offset` with several threads. Each piece starts where
// an event seems to begin (find_event_candidate). This guess is verified: a piece counts only if
// the scan of everything before it arrives at exactly that byte; otherwise that part is scanned
// again from the byte where it arrived. So threads and piece sizes never change the result.
ParallelScan scan_in_parallel(const TextSource& source, std::uint64_t first_offset,
                              std::size_t piece_bytes, unsigned threads, const Dialect& dialect,
                              bool keep_args, const LayoutLoops& loops, const ScanPulse& pulse);

}  // namespace strobe::readers

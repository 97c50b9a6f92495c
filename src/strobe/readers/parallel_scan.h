#pragma once

#include <cstdint>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/readers/merge.h"
#include "strobe/readers/text_source.h"

namespace strobe::readers {

struct ParallelScan {
  std::vector<Shard> shards;
  std::vector<Piece> pieces;  // in file order, end to end
};

// Scans the event array that begins at `first_offset` with several threads. Each piece starts where
// an event seems to begin (find_event_candidate). The guess is proven, not trusted: a piece counts
// only if the scan of everything before it arrives at exactly that byte; otherwise that stretch is
// scanned again from the byte it did arrive at. So threads and piece sizes never change the result.
ParallelScan scan_in_parallel(const TextSource& source, std::uint64_t first_offset,
                              std::size_t piece_bytes, unsigned threads, const Dialect& dialect,
                              bool keep_args, const ScanPulse& pulse);

}  // namespace strobe::readers

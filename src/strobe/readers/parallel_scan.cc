#include "strobe/readers/parallel_scan.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <thread>

#include "strobe/base/simd.h"
#include "strobe/readers/event_scanner.h"

namespace strobe::readers {
namespace {

constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();

// The first byte at or after `from` where an event seems to begin.
std::uint64_t find_start(const TextSource& source, std::uint64_t from) {
  constexpr std::size_t kLookBytes = 4096;
  constexpr std::size_t kOverlap =
      256;  // so that a candidate across two looks is seen by the second
  std::vector<char> look(kLookBytes + simd::kSimdPadding);
  for (std::uint64_t offset = from;;) {
    const auto bytes = source.read_at(offset, std::span(look).first(kLookBytes));
    if (!bytes || *bytes == 0) return kNowhere;
    std::memset(look.data() + *bytes, 0, simd::kSimdPadding);
    const char* candidate = find_event_candidate(look.data(), look.data() + *bytes);
    if (candidate != nullptr) return offset + static_cast<std::uint64_t>(candidate - look.data());
    if (*bytes <= kOverlap) return kNowhere;
    offset += *bytes - kOverlap;
  }
}

std::vector<std::uint64_t> find_starts(const TextSource& source, std::uint64_t first_offset,
                                       std::size_t piece_bytes) {
  std::vector<std::uint64_t> starts{first_offset};
  for (std::uint64_t nominal = first_offset + piece_bytes; nominal < source.size_bytes();
       nominal += piece_bytes) {
    if (starts.back() >= nominal) continue;
    const std::uint64_t start = find_start(source, nominal);
    if (start == kNowhere) break;
    starts.push_back(start);
  }
  return starts;
}

Piece scan_piece(const TextSource& source, std::uint64_t first_offset, std::uint64_t stop_offset,
                 std::size_t shard_number, Shard& shard, const ScanPulse& pulse) {
  Piece piece;
  piece.first_offset = first_offset;
  piece.shard = shard_number;
  piece.begin = shard.marks();
  const auto stream = source.stream_from(first_offset);
  Window window(*stream, first_offset);
  const char* p = window.end();
  piece.scan = scan_event_array(window, p, stop_offset, shard, piece.report, pulse);
  if (window.damage()) {
    piece.report.add(ImportIssue::kBadCompressedData, window.offset_of(window.end()),
                     window.damage()->what);
  }
  piece.end = shard.marks();
  piece.args = shard.take_args();
  shard.count_events_into(piece.report);
  return piece;
}

}  // namespace

ParallelScan scan_in_parallel(const TextSource& source, std::uint64_t first_offset,
                              std::size_t piece_bytes, unsigned threads, const Dialect& dialect,
                              bool keep_args, const ScanPulse& pulse) {
  const std::vector<std::uint64_t> starts = find_starts(source, first_offset, piece_bytes);
  std::vector<Piece> guessed(starts.size());
  ParallelScan scan;
  for (unsigned i = 0; i <= threads; ++i) scan.shards.emplace_back(dialect, keep_args);

  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> bytes_done = 0;
  std::atomic<bool> cancelled = false;
  std::mutex pulse_mutex;
  const auto work = [&](std::size_t shard_number) {
    for (std::size_t i; !cancelled && (i = next++) < starts.size();) {
      const std::uint64_t stop = i + 1 < starts.size() ? starts[i + 1] : kNowhere;
      std::uint64_t reached = starts[i];
      const ScanPulse step = [&](std::uint64_t offset) {
        const std::uint64_t total = bytes_done += offset - std::exchange(reached, offset);
        const std::scoped_lock lock(pulse_mutex);
        if (pulse && !pulse(first_offset + total)) cancelled = true;
        return !cancelled;
      };
      guessed[i] =
          scan_piece(source, starts[i], stop, shard_number, scan.shards[shard_number], step);
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 1; i < threads; ++i) workers.emplace_back(work, i);
    work(0);
  }

  for (std::uint64_t expected = first_offset; !cancelled;) {
    const auto guess = std::lower_bound(
        guessed.begin(), guessed.end(), expected,
        [](const Piece& piece, std::uint64_t offset) { return piece.first_offset < offset; });
    if (guess != guessed.end() && guess->first_offset == expected) {
      scan.pieces.push_back(std::move(*guess));
      guess->first_offset = expected;
    } else {
      const std::uint64_t stop = guess != guessed.end() ? guess->first_offset : kNowhere;
      scan.pieces.push_back(
          scan_piece(source, expected, stop, threads, scan.shards[threads], pulse));
    }
    const ArrayScan& last = scan.pieces.back().scan;
    if (last.end != ArrayEnd::kStopReached) break;
    expected = last.next_offset;
  }
  return scan;
}

}  // namespace strobe::readers

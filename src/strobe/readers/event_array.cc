#include "strobe/readers/event_array.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include "strobe/base/json_scan.h"
#include "strobe/base/simd.h"
#include "strobe/base/threads.h"
#include "strobe/readers/event_scanner.h"

namespace strobe::readers {
namespace {

constexpr std::ptrdiff_t kCandidateBytes = 64;  // a comma, blanks and the first key of an event

// Moves to the next element. A zero byte in the text counts as a blank.
bool skip_filler(Window& window, const char*& p) {
  while (window.skip_blanks(p)) {
    if (*p != '\0') return true;
    ++p;
  }
  return false;
}

// From inside a damaged element to the next event. False if there is none.
bool find_next_event(Window& window, const char*& p) {
  for (;;) {
    if (const char* candidate = find_event_candidate(p, window.end())) {
      p = candidate;
      return true;
    }
    p = std::max(p, window.end() - kCandidateBytes);
    if (!window.read_on(p)) return false;
  }
}

// The bytes from one event to the next one's '{'. A writer prints the same ones each time.
class Gap {
 public:
  // Moves `p` from behind an event to the next one, if they are as far apart as those before.
  bool cross(const char*& p) const {
    if (bytes_ == 0 || ((load_word(p) ^ word_) & mask_) != 0) return false;
    p += bytes_;
    return true;
  }
  // A longer gap is not remembered.
  void remember(const char* after, const char* open) {
    const auto bytes = static_cast<std::size_t>(open - after);
    bytes_ = bytes < sizeof word_ ? bytes : 0;
    word_ = load_word(after);
    mask_ = ~std::uint64_t{0} >> (8 * (sizeof word_ - 1 - bytes_));
  }

 private:
  static std::uint64_t load_word(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    return word;
  }

  std::size_t bytes_ = 0;
  std::uint64_t word_ = 0;
  std::uint64_t mask_ = 0;  // of the gap and the '{', which is not in the padding after a text
};

class ArrayScanner {
 public:
  ArrayScanner(Window& window, std::uint64_t stop_offset, Shard& shard, ImportReport& report)
      : window_(window), stop_offset_(stop_offset), shard_(shard), report_(report) {}

  ArrayScan run(const char*& p, const ScanPulse& pulse) {
    for (std::uint64_t reads = 0;;) {
      const bool crossed = p == after_event_ && gap_.cross(p);
      if (!crossed && !skip_filler(window_, p)) return ended(p, ArrayEnd::kTextEnded);
      if (reads != window_.reads()) {
        reads = window_.reads();
        after_event_ = nullptr;
        if (pulse && !pulse(window_.offset_of(p))) return ended(p, ArrayEnd::kCancelled);
        if (scan_.entries > kMostEvents) return ended(p, ArrayEnd::kTooManyEvents);
      }
      if (*p == ',') {
        ++p;
        continue;
      }
      if (*p == ']') {
        ++p;
        return ended(p, ArrayEnd::kClosed);
      }
      if (window_.offset_of(p) >= stop_offset_) return ended(p, ArrayEnd::kStopReached);
      ++scan_.entries;
      const std::uint64_t element_offset = window_.offset_of(p);
      if (*p == '{' ? add_event(p, crossed) : skip_stranger(p)) continue;
      scan_.inside_event = true;
      ended(p, ArrayEnd::kTextEnded);
      scan_.next_offset = element_offset;
      return scan_;
    }
  }

 private:
  ArrayScan ended(const char* p, ArrayEnd end) {
    scan_.end = end;
    scan_.next_offset = window_.offset_of(p);
    return scan_;
  }

  // False if the text ends inside the event at `p`; `p` then stays unchanged.
  bool add_event(const char*& p, bool crossed) {
    if (!crossed && after_event_ != nullptr) gap_.remember(after_event_, p);
    after_event_ = nullptr;
    for (;;) {
      RawEvent event;
      event.byte_offset = window_.offset_of(p);
      const char* after = p;
      const ScanResult result = shard_.scanner.scan(after, window_.end(), event);
      if (result == ScanResult::kEvent && after <= window_.end()) {
        shard_.add(event, report_);
        p = after_event_ = after;
        return true;
      }
      if (result == ScanResult::kMalformed) return resume_behind(p, "");
      if (!window_.read_on(p)) return resume_if_broken(p);
    }
  }

  // An element that is not an object: a number, a string, a nested array.
  bool skip_stranger(const char*& p) {
    after_event_ = nullptr;
    for (;;) {
      if (const char* after = json::skip_value(p, window_.end())) {
        report_.add(ImportIssue::kMalformedEvent, window_.offset_of(p));
        p = after == p ? p + 1 : after;  // a stray delimiter
        return true;
      }
      if (!window_.read_on(p)) return resume_if_broken(p);
    }
  }

  // The end of the element at `p` was not found: it is too long, or a missing quote makes the rest
  // of the text look like part of it, or the text was cut here (false).
  bool resume_if_broken(const char*& p) {
    if (!window_.is_at_end()) return resume_behind(p, "longer than 64 MiB");
    return find_event_candidate(p + 1, window_.end()) != nullptr && resume_behind(p, "");
  }

  bool resume_behind(const char*& p, std::string_view detail) {
    report_.add(ImportIssue::kMalformedEvent, window_.offset_of(p), detail);
    ++p;
    return find_next_event(window_, p);
  }

  Window& window_;
  std::uint64_t stop_offset_;
  Shard& shard_;
  ImportReport& report_;
  ArrayScan scan_;
  Gap gap_;
  const char* after_event_ = nullptr;  // one past the event before, if nothing but its gap follows
};

}  // namespace

ArrayScan scan_event_array(Window& window, const char*& p, std::uint64_t stop_offset, Shard& shard,
                           ImportReport& report, const ScanPulse& pulse) {
  return ArrayScanner(window, stop_offset, shard, report).run(p, pulse);
}

namespace {

constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();

// The first byte at or after `from` where an event seems to begin.
std::uint64_t find_start(const TextSource& source, std::uint64_t from) {
  constexpr std::size_t kLookBytes = 4096;
  constexpr std::size_t kOverlap =
      256;  // so that a candidate across two blocks is found in the second
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
                              bool keep_args, const LayoutLoops& loops, const ScanPulse& pulse) {
  const std::vector<std::uint64_t> starts = find_starts(source, first_offset, piece_bytes);
  std::vector<Piece> guessed(starts.size());
  ParallelScan scan;
  for (unsigned i = 0; i <= threads; ++i) scan.shards.emplace_back(dialect, keep_args, loops);

  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> bytes_done = 0;
  std::atomic<bool> cancelled = false;
  std::mutex pulse_mutex;
  run_in_threads(threads, [&](unsigned shard_number) {
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
  });

  for (std::uint64_t expected = first_offset; !cancelled;) {
    const auto guess = std::lower_bound(
        guessed.begin(), guessed.end(), expected,
        [](const Piece& piece, std::uint64_t offset) { return piece.first_offset < offset; });
    if (guess != guessed.end() && guess->first_offset == expected) {
      scan.pieces.push_back(std::move(*guess));
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

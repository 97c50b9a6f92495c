#include "strobe/readers/event_array.h"

#include <algorithm>

#include "strobe/base/json_scan.h"
#include "strobe/readers/event_scanner.h"

namespace strobe::readers {
namespace {

constexpr std::ptrdiff_t kCandidateBytes = 64;  // a comma, blanks and the first key of an event

// To the first byte that is no blank, reading on as needed. False at the end of the text.
bool skip_blanks(Window& window, const char*& p) {
  for (;;) {
    p = json::skip_blanks(p);
    if (p < window.end()) {
      if (*p != '\0') return true;
      ++p;  // a zero byte in the text is as good as a blank
      continue;
    }
    p = window.end();
    if (!window.read_on(p)) return false;
  }
}

// From somewhere inside a damaged element to the next event. False if the text has no other.
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

class ArrayScanner {
 public:
  ArrayScanner(Window& window, std::uint64_t stop_offset, Shard& shard, ImportReport& report)
      : window_(window), stop_offset_(stop_offset), shard_(shard), report_(report) {}

  ArrayScan run(const char*& p, const ScanPulse& pulse) {
    for (std::uint64_t reads = 0;;) {
      if (!skip_blanks(window_, p)) return ended(p, ArrayEnd::kTextEnded);
      if (reads != window_.reads()) {
        reads = window_.reads();
        if (pulse && !pulse(window_.offset_of(p))) return ended(p, ArrayEnd::kCancelled);
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
      if (*p == '{' ? add_event(p) : skip_stranger(p)) continue;
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

  // False if the text ends inside the event at `p`, which then stays where it is.
  bool add_event(const char*& p) {
    for (;;) {
      RawEvent event;
      event.byte_offset = window_.offset_of(p);
      const char* after = p;
      const ScanResult result = shard_.scanner.scan(after, window_.end(), event);
      if (result == ScanResult::kEvent && after <= window_.end()) {
        shard_.add(event, report_);
        p = after;
        return true;
      }
      if (result == ScanResult::kMalformed) return resume_behind(p, "");
      if (!window_.read_on(p)) return resume_if_broken(p);
    }
  }

  // An element that is no object: a number, a string, a nested array.
  bool skip_stranger(const char*& p) {
    for (;;) {
      if (const char* after = json::skip_value(p, window_.end())) {
        report_.add(ImportIssue::kMalformedEvent, window_.offset_of(p));
        p = after == p ? p + 1 : after;  // a stray delimiter
        return true;
      }
      if (!window_.read_on(p)) return resume_if_broken(p);
    }
  }

  // The element at `p` does not end in what can be read: it is too long, or a lost quote makes the
  // rest of the text look like a part of it, or the text was cut here (false).
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
};

}  // namespace

ArrayScan scan_event_array(Window& window, const char*& p, std::uint64_t stop_offset, Shard& shard,
                           ImportReport& report, const ScanPulse& pulse) {
  return ArrayScanner(window, stop_offset, shard, report).run(p, pulse);
}

}  // namespace strobe::readers

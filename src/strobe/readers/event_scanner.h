#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "strobe/readers/raw_event.h"

namespace strobe::readers {

enum class ScanResult : std::uint8_t {
  kEvent,       // a whole event was read
  kIncomplete,  // the text ends inside it
  kMalformed,   // not an object as JSON writes them
};

// Reads events in one pass: known keys by their first bytes, everything else is stepped over.
// Buffers are padded as base/json_scan.h asks.
//
// PERF: a writer prints the same keys in the same order, and most of the bytes around the values
// that change are the same from one event to the next. The scanner remembers such layouts,
//     {"ph": "X", "cat": "kernel", "name": "|...|", "pid": 0, "tid": 7, "ts": |...
//      \________________ head _____________/    \_________ middle ________/
// and an event whose bytes equal a remembered head and middle needs no parsing there: equal bytes
// mean equal values. That is a third of the work of an event; a layout that fits nothing costs one
// short comparison.
class EventScanner {
 public:
  // `p` is the object's '{'; on kEvent it becomes one past its '}', on kMalformed it is where
  // reading gave up.
  ScanResult scan(const char*& p, const char* end, RawEvent& event);

  struct KeyOrder;

 private:
  static constexpr std::size_t kLayouts = 8;
  static constexpr std::size_t kMostBytes = 96;

  // A scalar at a fixed place of a head or middle.
  struct Place {
    RawScalar::Type type = RawScalar::Type::kAbsent;
    std::uint8_t begin = 0;
    std::uint8_t bytes = 0;

    RawScalar in(const char* base) const { return {type, false, {base + begin, bytes}}; }
  };
  struct Layout {
    std::uint8_t head_bytes = 0;
    std::uint8_t middle_bytes = 0;
    char phase = 0;
    Place category;
    Place process;
    Place thread;
    char head[kMostBytes];
    char middle[kMostBytes];
  };

  const Layout* find_layout(const char* open, const char* end);
  void remember(const char* open, const RawEvent& event, const KeyOrder& order);

  std::array<Layout, kLayouts> layouts_;
  std::size_t count_ = 0;
  std::size_t oldest_ = 0;
  std::size_t last_ = 0;
  std::array<std::uint8_t, kLayouts> follower_{};  // the layout that came next the last time
};

// Where an event could begin at or after `from`: behind a comma, with the key of an event as its
// first key. A candidate, not a proof: the same bytes may stand in somebody's arguments. nullptr if
// there is none before `end`.
const char* find_event_candidate(const char* from, const char* end);

}  // namespace strobe::readers

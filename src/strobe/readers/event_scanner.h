#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/readers/event_fields.h"
#include "strobe/readers/event_layout.h"

namespace strobe::readers {

enum class ScanResult : std::uint8_t {
  kEvent,       // a whole event was read
  kIncomplete,  // the text ends inside it
  kMalformed,   // not an object as JSON writes them
};

// Reads events in one pass, by the layouts it remembers of earlier ones where they fit, else key by
// key; members nobody wants are stepped over. Buffers are padded as base/json_scan.h asks.
class EventScanner {
 public:
  // `p` is the object's '{'; on kEvent it becomes one past its '}', on kMalformed it is where
  // reading gave up.
  ScanResult scan(const char*& p, const char* end, RawEvent& event);

 private:
  static constexpr std::size_t kLayouts = 16;

  const EventLayout* find_layout(const char* open, const char* end);
  void remember(const char* open, const char* close, const RawEvent& event,
                const EventNotes& notes);

  std::vector<EventLayout> layouts_;
  std::uint32_t made_ = 0;
  std::size_t last_ = 0;
  std::array<std::uint8_t, kLayouts> follower_{};  // the layout that came next the last time
};

// Where an event could begin at or after `from`: behind a comma, with the key of an event as its
// first key. A candidate, not a proof: the same bytes may stand in somebody's arguments. nullptr if
// there is none before `end`.
const char* find_event_candidate(const char* from, const char* end);

}  // namespace strobe::readers

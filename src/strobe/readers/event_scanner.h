#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/readers/event_fields.h"
#include "strobe/readers/event_layout.h"
#include "strobe/readers/layout_loops.h"

namespace strobe::readers {

enum class ScanResult : std::uint8_t {
  kEvent,       // a whole event was read
  kIncomplete,  // the text ends inside it
  kMalformed,   // not a valid JSON object
};

// Reads events in one pass, with the layouts of earlier ones if they match, else key by key; unused
// members are skipped. Buffers are padded as base/json_scan.h requires.
class EventScanner {
 public:
  explicit EventScanner(const LayoutLoops& loops = layout_loops().front()) : loops_(&loops) {}

  // `p` is the object's '{'; on kEvent it becomes one past its '}', on kMalformed it is where
  // reading gave up.
  ScanResult scan(const char*& p, const char* end, RawEvent& event);

 private:
  static constexpr std::size_t kLayouts = 16;

  LayoutStop read_by_layout(const char* open, const char* end, RawEvent& event);
  void remember(const char* open, const char* close, const RawEvent& event,
                const EventNotes& notes);

  const LayoutLoops* loops_;
  std::vector<EventLayout> layouts_;
  std::uint32_t made_ = 0;
  std::size_t last_ = 0;
  std::array<std::uint8_t, kLayouts> follower_{};  // the layout that followed last time
};

// Where an event could begin at or after `from`: after a comma, with an event's key as its first
// key. This is only a candidate: the same bytes may occur in arguments. nullptr if there is none
// before `end`.
const char* find_event_candidate(const char* from, const char* end);

}  // namespace strobe::readers

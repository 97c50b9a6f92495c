#pragma once

#include "strobe/readers/raw_event.h"

namespace strobe::readers {

enum class ScanResult : std::uint8_t {
  kEvent,       // a whole event was read
  kIncomplete,  // the text ends inside it
  kMalformed,   // not an object as JSON writes them
};

// Reads the object at `p` ('{') in one pass: known keys by their first bytes, everything else is
// stepped over. On kEvent `p` is one past its '}', on kMalformed it is where reading gave up. The
// buffer is padded as base/json_scan.h asks.
ScanResult scan_event(const char*& p, const char* end, RawEvent& event);

// Where an event could begin at or after `from`: behind a comma, with the key of an event as its
// first key. A candidate, not a proof: the same bytes may stand in somebody's arguments. nullptr if
// there is none before `end`.
const char* find_event_candidate(const char* from, const char* end);

}  // namespace strobe::readers

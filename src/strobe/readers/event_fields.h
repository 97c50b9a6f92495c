#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "strobe/base/json_scan.h"
#include "strobe/readers/raw_event.h"

// The members of an event that the reader wants, by their keys, and how their values are read into
// a RawEvent. All texts stand in buffers padded as base/json_scan.h asks; a reader returns one past
// the value, or nullptr if the text ends first.
namespace strobe::readers {

enum class Field : std::uint8_t {
  kSkipped,  // stepped over
  // Members of the event itself. The first four hardly change from event to event.
  kPhase,
  kCategory,
  kProcess,
  kThread,
  kName,
  kTime,
  kDuration,
  kId,
  kArgs,
  // Members of its arguments.
  kCorrelation,
  kExternal,
  kDevice,
  kSequence,
  kForwardThread,
  kRelativeStart,
  kRelativeEnd,
};

struct KnownKey {
  Field field = Field::kSkipped;
  std::size_t bytes = 0;  // with the closing quote
};

// `key` is behind the opening quote. kSkipped for keys nobody wants.
KnownKey event_key(const char* key);
KnownKey argument_key(const char* key);

// Reads one value of an event; of arguments only what is no object, which is stepped over.
const char* take_value(Field field, const char* value, const char* end, RawEvent& event);

}  // namespace strobe::readers

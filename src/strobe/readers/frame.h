#pragma once

#include <string_view>

#include "strobe/base/result.h"
#include "strobe/readers/dialect.h"
#include "strobe/readers/text_source.h"

namespace strobe::readers {

// The text around the event array: {"key": value, ..., "traceEvents": [ ... ], "key": value, ...}
// or a bare [ ... ].
struct Frame {
  bool is_object = false;
  TraceHead head;
};

// Reads up to the first event and leaves `p` after the array's '['. Looks at the first events,
// without consuming them, to learn their categories and arguments.
Result<Frame> read_front(Window& window, const char*& p);

// Reads the members after the array, from `p` (one past the ']') on.
void read_back(Window& window, const char*& p, TraceHead& head, ImportReport& report);

// Reads the typed fields of one top-level member (device properties, distributed info, clock base,
// utilisation); keeps the text of every unknown member in metadata.members.
void read_member(std::string_view key, std::string_view json, Metadata& metadata);

}  // namespace strobe::readers

#pragma once

#include <string>

#include "strobe/base/result.h"
#include "strobe/readers/dialect.h"
#include "strobe/readers/window.h"

namespace strobe::readers {

// What stands around the event array: {"key": value, ..., "traceEvents": [ ... ], "key": value,
// ...} or a bare [ ... ].
struct Frame {
  bool is_object = false;
  TraceHead head;
};

// Reads up to the first event and leaves `p` behind the array's '['. Looks at the first events,
// without taking them, to learn their categories and arguments. `name` is the file's, for errors.
Result<Frame> read_front(Window& window, const char*& p, const std::string& name);

// Reads the members behind the array, from `p` (one past the ']') on.
void read_back(Window& window, const char*& p, TraceHead& head, ImportReport& report);

}  // namespace strobe::readers

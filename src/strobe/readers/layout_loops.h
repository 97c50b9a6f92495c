#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "strobe/readers/event_layout.h"

namespace strobe::readers {

// Where reading an event by a layout stopped: the caller continues from there.
struct LayoutStop {
  enum class Reason : std::uint8_t {
    kUnlike,  // the event does not begin like the layout; nothing was read
    kDiffers,
    kTextEnded,  // inside the event
    kWhole,      // the event was read to its end
  };
  Reason reason = Reason::kUnlike;
  const char* after = nullptr;      // one past the last value read, or past the event's '}'
  const char* args_open = nullptr;  // the '{' of the arguments, if `after` is inside them
};

// The loop over the bytes of an event that follows a layout, for one set of vector instructions.
// All of them read the same.
struct LayoutLoops {
  std::string_view name;
  LayoutStop (*read)(const LayoutView& layout, const char* open, const char* end, RawEvent& event);
};

// Those that this processor can run, the fastest first.
std::span<const LayoutLoops> layout_loops();

}  // namespace strobe::readers

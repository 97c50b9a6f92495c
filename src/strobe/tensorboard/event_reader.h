#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/tensorboard/events.h"

namespace strobe::tensorboard {

// One end of an arrow from a forward operator to its backward one.
struct FlowEnd {
  StringId id;  // JSON text
  Number ts;
  bool is_start = false;
  bool is_cambricon = false;  // of the category `forward_backward`
};

// A file as it stands there: events of all categories that some variant knows, in file order, their
// types still unknown.
struct RawEvents {
  Events events;
  std::vector<FlowEnd> flows;
};

// `json` must be JSON from end to end, apart from what the plugin repaired.
Result<RawEvents> read_events(std::string_view json);

// The text that the events were read from, if the file's own was not JSON.
std::string quote_missing_values(std::string_view json);

}  // namespace strobe::tensorboard

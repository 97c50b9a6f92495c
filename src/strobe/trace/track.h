#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "strobe/trace/ids.h"

namespace strobe {

enum class TrackKind : std::uint8_t { kHostThread, kDeviceStream, kAsync, kOther };

// One line of the timeline: a host thread, a device stream, or whatever the trace calls by (pid,
// tid).
struct Track {
  TrackKind kind = TrackKind::kOther;
  StringId process;  // as written: "589", "Traces"
  StringId thread;   // as written, without the dialect's decoration: "589", "7"
  std::optional<std::int64_t> process_number;  // present when the text is a number
  std::optional<std::int64_t> thread_number;
  std::optional<std::int32_t> device;  // device streams only
  StringId process_name;               // from metadata, may be invalid
  StringId thread_name;
  std::optional<std::int64_t> sort_index;
};

}  // namespace strobe

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "strobe/tensorboard/event_reader.h"

namespace strobe::tensorboard {

// Decides which plugin would have been used for a file.
Variant variant_of(const RawEvents& raw);

// Sets the type of every event, drops events without one, sorts by time and links forward to
// backward. `options.variant` is one of the four.
Events settle(RawEvents raw, const ProfileOptions& options);

// The number in `ProfilerStep#5`.
std::optional<std::int64_t> step_number(std::string_view name);

}  // namespace strobe::tensorboard

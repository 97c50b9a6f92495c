#pragma once

#include "strobe/tensorboard/event_reader.h"

namespace strobe::tensorboard {

// Which plugin would have been used on such a file.
Variant variant_of(const RawEvents& raw);

// Gives every event its type, drops those of none, sorts by time and ties forward to backward.
// `options.variant` is one of the four.
Events settle(RawEvents raw, const ProfileOptions& options);

// The number in `ProfilerStep#5`.
std::optional<std::int64_t> step_number(std::string_view name);

}  // namespace strobe::tensorboard

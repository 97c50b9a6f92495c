#pragma once

#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/wire/kernel_recording.h"

namespace strobe::record {

// What stood in the way, as a person needs to hear it: what was seen, and what to do about it.
// `text` is what the injected library wrote down, `program` the process it wrote it in.
Error explain(wire::Obstacle what, std::string_view text, std::string_view program);

}  // namespace strobe::record

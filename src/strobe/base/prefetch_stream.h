#pragma once

#include <memory>

#include "strobe/base/byte_stream.h"

namespace strobe {

// Reads `stream` ahead on a thread of its own, through a ring of 1 MiB blocks, so that unpacking
// and scanning overlap.
std::unique_ptr<ByteStream> prefetch(std::unique_ptr<ByteStream> stream);

}  // namespace strobe

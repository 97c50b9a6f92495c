#pragma once

#include <cstdint>
#include <span>

#include "strobe/wire/run_file.h"

namespace strobe::wire {

// Of a header, as if its own checksum were 0, and of its payload.
std::uint64_t chunk_checksum(ChunkHeader header, std::span<const std::uint8_t> payload) noexcept;

}  // namespace strobe::wire

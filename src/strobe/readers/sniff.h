#pragma once

#include <cstddef>
#include <string_view>

namespace strobe::readers {

// Enough of a file, packed or not, for looks_like_trace.
inline constexpr std::size_t kSniffBytes = 256 << 10;

// Whether a file that begins like this is worth opening as a trace: JSON with an array of events,
// plain, gzip or zstd. Other JSON (settings, tables) is told apart.
bool looks_like_trace(std::string_view first_bytes);

}  // namespace strobe::readers

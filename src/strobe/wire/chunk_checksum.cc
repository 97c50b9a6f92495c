#include "strobe/wire/chunk_checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace strobe::wire {

std::uint64_t chunk_checksum(ChunkHeader header, std::span<const std::uint8_t> payload) noexcept {
  header.checksum = 0;
  const std::uint64_t seed = XXH3_64bits(&header, sizeof header);
  return XXH3_64bits_withSeed(payload.data(), payload.size(), seed);
}

}  // namespace strobe::wire

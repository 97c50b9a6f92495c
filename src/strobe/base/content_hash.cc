#include "strobe/base/content_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>

namespace strobe {

struct ContentHasher::State {
  XXH3_state_t xxh;
};
struct Checksummer::State {
  XXH3_state_t xxh;
};

std::string hex_of(const ContentHash& hash) {
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

ContentHasher::ContentHasher() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}
ContentHasher::ContentHasher(ContentHasher&&) noexcept = default;
ContentHasher::~ContentHasher() = default;

void ContentHasher::add(std::span<const char> bytes) {
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

ContentHash ContentHasher::hash() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return {hash.high64, hash.low64};
}

std::uint64_t checksum_of(std::span<const char> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Checksummer::Checksummer(std::uint64_t seed) : state_(std::make_unique<State>()) {
  XXH3_64bits_reset_withSeed(&state_->xxh, seed);
}
Checksummer::Checksummer(Checksummer&&) noexcept = default;
Checksummer& Checksummer::operator=(Checksummer&&) noexcept = default;
Checksummer::~Checksummer() = default;

void Checksummer::add(std::span<const char> bytes) {
  XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size());
}

std::uint64_t Checksummer::checksum() const { return XXH3_64bits_digest(&state_->xxh); }

}  // namespace strobe

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace strobe {

// Identifies the content of a file: 128 bits, so that two different files never share one.
struct ContentHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend bool operator==(const ContentHash&, const ContentHash&) = default;
};

std::string hex_of(const ContentHash& hash);  // 32 digits

// XXH3 over pieces: the same answer as over the whole.
class ContentHasher {
 public:
  ContentHasher();
  ContentHasher(ContentHasher&&) noexcept;
  ~ContentHasher();

  void add(std::span<const char> bytes);
  ContentHash hash() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Detects damage, not malice: 64 bits of XXH3, which runs at memory speed. Equal bytes with a
// different seed have a different checksum.
std::uint64_t checksum_of(std::span<const char> bytes, std::uint64_t seed);

// The same over pieces.
class Checksummer {
 public:
  explicit Checksummer(std::uint64_t seed);
  Checksummer(Checksummer&&) noexcept;
  Checksummer& operator=(Checksummer&&) noexcept;
  ~Checksummer();

  void add(std::span<const char> bytes);
  std::uint64_t checksum() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// FNV-1a: for keys of a few bytes, also while compiling.
inline constexpr std::uint64_t kFnvStart = 0xCBF29CE484222325u;
constexpr std::uint64_t fnv1a(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x100000001B3u;
}
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = kFnvStart) {
  for (const char c : text) hash = fnv1a(hash, static_cast<unsigned char>(c));
  return hash;
}

// FIPS 180-4. Identifies contents, such as the scripts that a page may run; for small texts.
std::array<std::uint8_t, 32> sha256(std::string_view text);
std::string sha256_base64(std::string_view text);

}  // namespace strobe

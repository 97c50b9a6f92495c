#pragma once

#include <cstdint>

// Numbers of few bytes: seven bits in each, the lowest first; the highest bit says that more
// follow.
namespace strobe::wire {

inline constexpr int kMostVarintBytes = 10;

// Returns the end of what was written: at most kMostVarintBytes after `out`.
inline std::uint8_t* put_varint(std::uint8_t* out, std::uint64_t value) noexcept {
  while (value >= 0x80) {
    *out++ = static_cast<std::uint8_t>(value) | 0x80;
    value >>= 7;
  }
  *out++ = static_cast<std::uint8_t>(value);
  return out;
}

// The position after the number; nullptr if it does not end before `end` or is too long.
inline const std::uint8_t* get_varint(const std::uint8_t* in, const std::uint8_t* end,
                                      std::uint64_t& value) noexcept {
  if (in != end && *in < 0x80) {
    value = *in;
    return in + 1;
  }
  std::uint64_t sum = 0;
  for (unsigned shift = 0; shift < 64 && in != end; shift += 7) {
    const std::uint64_t byte = *in++;
    if (shift == 63 && byte > 1) return nullptr;
    sum |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      value = sum;
      return in;
    }
  }
  return nullptr;
}

// Small numbers of both signs become small numbers: 0, -1, 1, -2, ...
inline std::uint64_t zigzag(std::int64_t value) noexcept {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t unzigzag(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

}  // namespace strobe::wire

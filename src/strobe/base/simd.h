#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

// Sixteen bytes at a time, on NEON, SSE2 or plain words. Every search may read up to kSimdPadding
// bytes past the byte it stops at, so texts are kept in buffers with that many zero bytes after
// their end; a zero byte stops every search.
namespace strobe::simd {

inline constexpr std::size_t kSimdPadding = 64;

#if defined(__ARM_NEON)

using Bytes = uint8x16_t;
inline Bytes load(const char* p) { return vld1q_u8(reinterpret_cast<const std::uint8_t*>(p)); }
inline Bytes equal(Bytes bytes, char c) {
  return vceqq_u8(bytes, vdupq_n_u8(static_cast<std::uint8_t>(c)));
}
inline Bytes below(Bytes bytes, char c) {
  return vcltq_u8(bytes, vdupq_n_u8(static_cast<std::uint8_t>(c)));
}
inline Bytes either(Bytes a, Bytes b) { return vorrq_u8(a, b); }
// Bit-wise OR with 0x20: folds '[' into '{' and ']' into '}'.
inline Bytes fold_brackets(Bytes bytes) { return vorrq_u8(bytes, vdupq_n_u8(0x20)); }
// Four bits per byte: NEON has no movemask, and a narrowing shift is the cheapest substitute.
inline std::uint64_t mask_of(Bytes matches) {
  const uint8x8_t narrow = vshrn_n_u16(vreinterpretq_u16_u8(matches), 4);
  return vget_lane_u64(vreinterpret_u64_u8(narrow), 0);
}
inline constexpr int kMaskBitsPerByte = 4;

#elif defined(__SSE2__)

using Bytes = __m128i;
inline Bytes load(const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
inline Bytes equal(Bytes bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); }
// SSE2 compares signed bytes only: min/max give the unsigned order.
inline Bytes below(Bytes bytes, char c) {
  const Bytes limit = _mm_set1_epi8(static_cast<char>(c - 1));
  return _mm_cmpeq_epi8(_mm_min_epu8(bytes, limit), bytes);
}
inline Bytes either(Bytes a, Bytes b) { return _mm_or_si128(a, b); }
inline Bytes fold_brackets(Bytes bytes) { return _mm_or_si128(bytes, _mm_set1_epi8(0x20)); }
inline std::uint64_t mask_of(Bytes matches) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(matches)));
}
inline constexpr int kMaskBitsPerByte = 1;

#else

struct Bytes {
  std::uint8_t lanes[16];
};
template <class F>
Bytes map(const Bytes& in, F f) {
  Bytes out;
  for (int i = 0; i < 16; ++i) out.lanes[i] = f(in.lanes[i]);
  return out;
}
inline Bytes load(const char* p) {
  Bytes out;
  for (int i = 0; i < 16; ++i) out.lanes[i] = static_cast<std::uint8_t>(p[i]);
  return out;
}
inline std::uint8_t all_ones_if(bool condition) { return condition ? 0xFF : 0; }
inline Bytes equal(Bytes b, char c) {
  return map(b, [c](std::uint8_t x) { return all_ones_if(x == static_cast<std::uint8_t>(c)); });
}
inline Bytes below(Bytes b, char c) {
  return map(b, [c](std::uint8_t x) { return all_ones_if(x < static_cast<std::uint8_t>(c)); });
}
inline Bytes either(Bytes a, Bytes b) {
  for (int i = 0; i < 16; ++i) a.lanes[i] = static_cast<std::uint8_t>(a.lanes[i] | b.lanes[i]);
  return a;
}
inline Bytes fold_brackets(Bytes b) {
  return map(b, [](std::uint8_t x) { return static_cast<std::uint8_t>(x | 0x20); });
}
inline std::uint64_t mask_of(Bytes matches) {
  std::uint64_t mask = 0;
  for (int i = 0; i < 16; ++i) mask |= static_cast<std::uint64_t>(matches.lanes[i] & 1) << i;
  return mask;
}
inline constexpr int kMaskBitsPerByte = 1;

#endif

// 64 bytes at a time: bit i of a result belongs to byte i.
struct Block {
  Bytes parts[4];
};
inline std::uint64_t matches(const Block& block, char c) {
#if defined(__ARM_NEON)
  const Bytes wanted = vdupq_n_u8(static_cast<std::uint8_t>(c));
  const Bytes weights = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201u));
  Bytes sums[4];
  for (int i = 0; i < 4; ++i) sums[i] = vandq_u8(vceqq_u8(block.parts[i], wanted), weights);
  // Three rounds of adding neighbours leave one byte for every eight.
  const Bytes all = vpaddq_u8(vpaddq_u8(sums[0], sums[1]), vpaddq_u8(sums[2], sums[3]));
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
#else
  std::uint64_t bits = 0;
  for (int i = 0; i < 4; ++i) bits |= mask_of(equal(block.parts[i], c)) << (16 * i);
  return bits;
#endif
}

inline constexpr std::uint64_t kFullMask = ~std::uint64_t{0} >> (64 - 16 * kMaskBitsPerByte);

inline Block load_block(const char* p) {
  return {{load(p), load(p + 16), load(p + 32), load(p + 48)}};
}

// Bit i of the result: whether an odd number of the bits 0 to i is set. Applied to the quotes of a
// block, it marks the text between them, including the opening quote.
inline std::uint64_t prefix_xor(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

inline int first_byte(std::uint64_t mask) { return std::countr_zero(mask) / kMaskBitsPerByte; }

// First '"', '\\' or control character (a zero byte included).
inline const char* find_string_stop(const char* p) {
  for (;; p += 16) {
    const Bytes bytes = load(p);
    const std::uint64_t mask =
        mask_of(either(either(equal(bytes, '"'), equal(bytes, '\\')), below(bytes, ' ')));
    if (mask != 0) return p + first_byte(mask);
  }
}

// First quote, bracket or brace of either direction, or zero byte.
inline const char* find_structure(const char* p) {
  for (;; p += 16) {
    const Bytes bytes = load(p);
    const Bytes folded = fold_brackets(bytes);
    const std::uint64_t mask = mask_of(either(either(equal(bytes, '"'), equal(bytes, '\0')),
                                              either(equal(folded, '{'), equal(folded, '}'))));
    if (mask != 0) return p + first_byte(mask);
  }
}

// First byte that is not a blank, tab or line break. Control characters count as blanks, a zero
// byte does not.
inline const char* skip_blanks(const char* p) {
  if (static_cast<std::uint8_t>(p[0]) > ' ') return p;
  if (static_cast<std::uint8_t>(p[1]) > ' ' && p[0] != '\0') return p + 1;
  for (;; p += 16) {
    const Bytes bytes = load(p);
    const std::uint64_t stops = ~mask_of(below(bytes, ' ' + 1)) & kFullMask;
    const std::uint64_t mask = stops | mask_of(equal(bytes, '\0'));
    if (mask != 0) return p + first_byte(mask);
  }
}

}  // namespace strobe::simd

#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

// Several vectors at a time. Each file that includes this defines the width of a vector of its
// instruction set (STROBE_SIMD_BYTES) and its namespace (STROBE_SIMD). An operation on a Pack is
// done on all its vectors before the next one starts: independent instructions are adjacent, so
// that the processor's short queues can overlap them.
#define STROBE_INLINE inline __attribute__((always_inline))
#define STROBE_UNROLL _Pragma("GCC unroll 16")

namespace strobe::bench::STROBE_SIMD {

constexpr int kLanes = STROBE_SIMD_BYTES / 4;

typedef float Lanes __attribute__((vector_size(STROBE_SIMD_BYTES)));
typedef std::int32_t IntLanes __attribute__((vector_size(STROBE_SIMD_BYTES)));
typedef std::uint32_t BitLanes __attribute__((vector_size(STROBE_SIMD_BYTES)));
typedef std::uint16_t HalfLanes __attribute__((vector_size(STROBE_SIMD_BYTES / 2)));

// Storage types: the bits of a value in memory.
struct F32 {
  float value;
};
struct F16 {
  std::uint16_t bits;
};
struct Bf16 {
  std::uint16_t bits;
};

STROBE_INLINE Lanes all(float value) { return value - Lanes{}; }  // adding zero would change -0
STROBE_INLINE BitLanes all_bits(std::uint32_t bits) { return BitLanes{} + bits; }
STROBE_INLINE BitLanes bits_of(Lanes a) { return reinterpret_cast<BitLanes>(a); }
STROBE_INLINE Lanes lanes_of(BitLanes a) { return reinterpret_cast<Lanes>(a); }
STROBE_INLINE Lanes lanes_of(IntLanes a) { return reinterpret_cast<Lanes>(a); }
STROBE_INLINE Lanes select(IntLanes mask, Lanes yes, Lanes no) {
  return lanes_of((reinterpret_cast<BitLanes>(mask) & bits_of(yes)) |
                  (~reinterpret_cast<BitLanes>(mask) & bits_of(no)));
}
STROBE_INLINE BitLanes select(IntLanes mask, BitLanes yes, BitLanes no) {
  return (reinterpret_cast<BitLanes>(mask) & yes) | (~reinterpret_cast<BitLanes>(mask) & no);
}

STROBE_INLINE Lanes larger(Lanes a, Lanes b) {
#if defined(__aarch64__)
  return vmaxq_f32(a, b);
#elif STROBE_SIMD_BYTES == 16
  return _mm_max_ps(a, b);
#elif STROBE_SIMD_BYTES == 32
  return _mm256_max_ps(a, b);
#else
  return _mm512_max_ps(a, b);
#endif
}
STROBE_INLINE Lanes smaller(Lanes a, Lanes b) {
#if defined(__aarch64__)
  return vminq_f32(a, b);
#elif STROBE_SIMD_BYTES == 16
  return _mm_min_ps(a, b);
#elif STROBE_SIMD_BYTES == 32
  return _mm256_min_ps(a, b);
#else
  return _mm512_min_ps(a, b);
#endif
}
STROBE_INLINE Lanes magnitude(Lanes a) { return lanes_of(bits_of(a) & 0x7FFFFFFFu); }

// a b + c where c is no longer needed. On NEON the sum overwrites c: a constant would have to be
// copied first, which costs more than a separate product and sum, so the compiler must not fuse by
// itself there.
STROBE_INLINE Lanes fused(Lanes a, Lanes b, Lanes c) {
#if defined(__aarch64__)
  return vfmaq_f32(c, a, b);
#else
  return a * b + c;
#endif
}
// c - a b, likewise.
STROBE_INLINE Lanes fused_minus(Lanes a, Lanes b, Lanes c) {
#if defined(__aarch64__)
  return vfmsq_f32(c, a, b);
#else
  return c - a * b;
#endif
}
// A constant that products are added to. On NEON the sum overwrites it, so each sum loads its own
// copy from memory: that needs no vector instruction, unlike copying a register.
struct Constant {
  alignas(STROBE_SIMD_BYTES) float values[kLanes];
  constexpr explicit Constant(float value) : values{} {
    for (float& each : values) each = value;
  }
};
STROBE_INLINE Lanes fresh(const Constant& constant) {
#if defined(__aarch64__)
  Lanes copy;
  asm volatile("ldr %q0, %1" : "=w"(copy) : "m"(constant));  // else the compiler would load it once
  return copy;
#else
  return all(constant.values[0]);
#endif
}

STROBE_INLINE Lanes reciprocal(Lanes a) {
#if defined(__aarch64__)
  Lanes r = vrecpeq_f32(a);
  r = r * vrecpsq_f32(a, r);
  return r * vrecpsq_f32(a, r);
#else
  return 1.0f / a;
#endif
}

// Unaligned. (A copy of bytes would go through other registers and the stack.)
template <class T>
STROBE_INLINE T loaded(const void* from) {
  typedef T Anywhere __attribute__((aligned(1), may_alias));
  return *static_cast<const Anywhere*>(from);
}
template <class T>
STROBE_INLINE void put_anywhere(void* to, T value) {
  typedef T Anywhere __attribute__((aligned(1), may_alias));
  *static_cast<Anywhere*>(to) = value;
}

STROBE_INLINE Lanes load(const F32* from) { return loaded<Lanes>(from); }
// Reads a value again if a load from the first cache is cheaper than keeping a register.
STROBE_INLINE Lanes load_again(const F32* from) {
#if defined(__aarch64__)
  Lanes value;
  asm volatile("ldr %q0, %1" : "=w"(value) : "m"(*reinterpret_cast<const float(*)[kLanes]>(from)));
  return value;
#else
  return load(from);
#endif
}

STROBE_INLINE BitLanes load_halves(const void* from) {
#if defined(__aarch64__)
  return vmovl_u16(loaded<uint16x4_t>(from));
#else
  return __builtin_convertvector(loaded<HalfLanes>(from), BitLanes);
#endif
}

STROBE_INLINE Lanes load(const Bf16* from) { return lanes_of(load_halves(from) << 16); }

STROBE_INLINE Lanes load(const F16* from) {
  const BitLanes half = load_halves(from);
  const BitLanes magnitude = (half & 0x7FFFu) << 13;
  // Exponents start at 112 less; a product with 2^112 makes small ones normal too.
  const Lanes value = lanes_of(magnitude) * 0x1p112f;
  const BitLanes special = magnitude | 0x7F800000u;
  const BitLanes bits = select(magnitude >= all_bits(0x7C00u << 13), special, bits_of(value));
  return lanes_of(bits | ((half & 0x8000u) << 16));
}

template <class T>
STROBE_INLINE Lanes load_again(const T* from) {
  return load(from);
}

STROBE_INLINE void store(F32* to, Lanes value) { put_anywhere(to, value); }

STROBE_INLINE void store_halves(void* to, BitLanes bits) {
#if defined(__aarch64__)
  put_anywhere<uint16x4_t>(to, vmovn_u32(bits));
#else
  put_anywhere(to, __builtin_convertvector(bits, HalfLanes));
#endif
}

STROBE_INLINE void store(Bf16* to, Lanes value) {
  const BitLanes bits = bits_of(value);
  const BitLanes rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  store_halves(to,
               select((bits & 0x7FFFFFFFu) > all_bits(0x7F800000u), (bits >> 16) | 0x40u, rounded));
}

STROBE_INLINE void store(F16* to, Lanes value) {
  const BitLanes sign = (bits_of(value) >> 16) & 0x8000u;
  const BitLanes magnitude = bits_of(value) & 0x7FFFFFFFu;
  const BitLanes normal = (magnitude + 0xFFFu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  // After adding 0.5, the last digit of the f32 equals the smallest f16.
  const BitLanes tiny = bits_of(lanes_of(magnitude) + 0.5f) - 0x3F000000u;
  BitLanes half = select(magnitude < all_bits(0x38800000u), tiny, normal);
  half = select(magnitude >= all_bits(0x477FF000u), all_bits(0x7C00u), half);
  half = select(magnitude > all_bits(0x7F800000u), all_bits(0x7E00u), half);
  store_halves(to, half | sign);
}

// Non-temporal store; `to` is aligned to a vector.
STROBE_INLINE void stream(F32* to, Lanes value) {
#if defined(__aarch64__)
  store(to, value);  // these cores detect by themselves that a whole line is overwritten
#elif STROBE_SIMD_BYTES == 16
  _mm_stream_ps(&to->value, value);
#elif STROBE_SIMD_BYTES == 32
  _mm256_stream_ps(&to->value, value);
#else
  _mm512_stream_ps(&to->value, value);
#endif
}
template <class T>
STROBE_INLINE void stream(T* to, Lanes value) {
  store(to, value);
}
STROBE_INLINE void finish_streams() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

template <int U>
struct Pack {
  Lanes v[U];
};

#define STROBE_PACK_OPERATOR(name, expression)       \
  template <int U>                                   \
  STROBE_INLINE Pack<U> name(Pack<U> a, Pack<U> b) { \
    Pack<U> r;                                       \
    STROBE_UNROLL                                    \
    for (int k = 0; k < U; ++k) r.v[k] = expression; \
    return r;                                        \
  }
STROBE_PACK_OPERATOR(operator+, a.v[k] + b.v[k])
STROBE_PACK_OPERATOR(operator-, a.v[k] - b.v[k])
STROBE_PACK_OPERATOR(operator*, a.v[k] * b.v[k])
STROBE_PACK_OPERATOR(operator/, a.v[k] / b.v[k])
STROBE_PACK_OPERATOR(larger, larger(a.v[k], b.v[k]))
STROBE_PACK_OPERATOR(smaller, smaller(a.v[k], b.v[k]))
#undef STROBE_PACK_OPERATOR

template <int U, class F>
STROBE_INLINE Pack<U> each(Pack<U> a, F f) {
  Pack<U> r;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) r.v[k] = f(a.v[k]);
  return r;
}
template <int U>
STROBE_INLINE Pack<U> magnitude(Pack<U> a) {
  return each(
      a, [](Lanes x) __attribute__((always_inline)) { return magnitude(x); });
}
template <int U>
STROBE_INLINE Pack<U> reciprocal(Pack<U> a) {
  return each(
      a, [](Lanes x) __attribute__((always_inline)) { return reciprocal(x); });
}
template <int U>
STROBE_INLINE Pack<U> packed(float value) {
  Pack<U> r;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) r.v[k] = all(value);
  return r;
}
template <int U>
STROBE_INLINE Pack<U> operator*(Pack<U> a, float b) {
  return each(
      a, [b](Lanes x) __attribute__((always_inline)) { return x * b; });
}
template <int U>
STROBE_INLINE Pack<U> operator+(Pack<U> a, float b) {
  return each(
      a, [b](Lanes x) __attribute__((always_inline)) { return x + b; });
}
template <int U>
STROBE_INLINE Pack<U> times_plus(Pack<U> a, float b, float c) {
  return each(
      a, [ b, c ](Lanes x) __attribute__((always_inline)) { return x * b + c; });
}
template <int U>
STROBE_INLINE Pack<U> fused(Pack<U> a, Pack<U> b, Pack<U> c) {
  Pack<U> r;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) r.v[k] = fused(a.v[k], b.v[k], c.v[k]);
  return r;
}
template <int U>
STROBE_INLINE Pack<U> fused(Pack<U> a, float b, Pack<U> c) {
  Pack<U> r;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) r.v[k] = fused(a.v[k], all(b), c.v[k]);
  return r;
}
template <int U>
STROBE_INLINE Pack<U> fused_minus(Pack<U> a, float b, Pack<U> c) {
  Pack<U> r;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) r.v[k] = fused_minus(a.v[k], all(b), c.v[k]);
  return r;
}

// In place: compilers keep a pack of many vectors in registers only if it is not passed around.
template <int U>
STROBE_INLINE void set_to_sum(Pack<U>& r, const Pack<U>& a, float b,
                              const Constant& c) {  // a b + c
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) r.v[k] = fused(a.v[k], all(b), fresh(c));
}
template <int U>
STROBE_INLINE void times_plus(Pack<U>& r, const Pack<U>& a, const Constant& c) {  // r a + c
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) r.v[k] = fused(a.v[k], r.v[k], fresh(c));
}

template <int U, class T>
STROBE_INLINE Pack<U> load_pack(const T* from) {
  Pack<U> r;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) r.v[k] = load(from + k * kLanes);
  return r;
}

STROBE_INLINE float sum_of(Lanes a) {
  float sum = 0;
  STROBE_UNROLL
  for (int i = 0; i < kLanes; ++i) sum += a[i];
  return sum;
}
// A NaN may pass.
STROBE_INLINE bool is_within(Lanes a, float most) {
#if defined(__aarch64__)
  return vmaxvq_f32(a) <= most;
#elif STROBE_SIMD_BYTES == 16
  return _mm_movemask_ps(_mm_cmpgt_ps(a, all(most))) == 0;
#elif STROBE_SIMD_BYTES == 32
  return _mm256_movemask_ps(_mm256_cmp_ps(a, all(most), _CMP_GT_OQ)) == 0;
#else
  return _mm512_cmp_ps_mask(a, all(most), _CMP_GT_OQ) == 0;
#endif
}
STROBE_INLINE float largest_of(Lanes a) {
  float most = a[0];
  STROBE_UNROLL
  for (int i = 1; i < kLanes; ++i) most = a[i] > most || a[i] != a[i] ? a[i] : most;
  return most;
}
template <int U>
STROBE_INLINE Lanes summed(Pack<U> a) {
  STROBE_UNROLL
  for (int count = U; count > 1;) {
    const int rest = (count + 1) / 2;
    for (int k = 0; k < count / 2; ++k) a.v[k] = a.v[k] + a.v[k + rest];
    count = rest;
  }
  return a.v[0];
}
template <int U>
STROBE_INLINE Lanes largest(Pack<U> a) {
  STROBE_UNROLL
  for (int count = U; count > 1;) {
    const int rest = (count + 1) / 2;
    for (int k = 0; k < count / 2; ++k) a.v[k] = larger(a.v[k], a.v[k + rest]);
    count = rest;
  }
  return a.v[0];
}

}  // namespace strobe::bench::STROBE_SIMD

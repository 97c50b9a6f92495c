#pragma once

#include "strobe/bench/providers/cpu/simd/pack.h"

// cos, exp and tanh. Coefficients are minimax over the given ranges; the given errors are those of
// the polynomials, and one or two f32 roundings come on top.
namespace strobe::bench::STROBE_SIMD {

constexpr float kRoundToWhole = 12582912.0f;  // 1.5 2^23: adding it rounds a number

// Any argument: lane by lane in f64.
STROBE_INLINE Lanes cos_by_lane(Lanes x) {
  Lanes y = x;
  for (int i = 0; i < kLanes; ++i)
    y[i] = static_cast<float>(__builtin_cos(static_cast<double>(x[i])));
  return y;
}

// |x| <= 8192: x = (n + 1/2) pi + r, cos x = -(-1)^n sin r. pi in three parts, the first two so
// short that their products are exact.
template <int U>
STROBE_INLINE Pack<U> cos_reduced(Pack<U> x) {
  const Pack<U> shifted = each(
      x, [](Lanes a)
             __attribute__((always_inline)) { return (a * 0.318309886f - 0.5f) + kRoundToWhole; });
  const Pack<U> h = (shifted + -kRoundToWhole) + 0.5f;
  Pack<U> r = fused_minus(h, 3.140625f, x);
  r = fused_minus(h, 9.67502593994e-4f, r);
  r = fused_minus(h, 1.50995802528e-7f, r);
  const Pack<U> u = r * r;
  Pack<U> p = times_plus(u, 2.6089040785887e-6f, -1.9811100906857e-4f);
  p = p * u + 8.3330880222446e-3f;
  p = p * u + -0.16666660457465f;
  const Pack<U> sine = fused(r * u, p, r);  // 5e-9
  Pack<U> y;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) {
    const BitLanes even = ~bits_of(shifted.v[k]) << 31;  // n odd: sin r, n even: -sin r
    y.v[k] = lanes_of(bits_of(sine.v[k]) ^ even);
  }
  return y;
}

template <int U>
STROBE_INLINE Pack<U> cos_of_any(Pack<U> x) {
  if (is_within(largest(x * x), 8192.0f * 8192.0f)) return cos_reduced(x);
  return each(x, [](Lanes a) { return cos_by_lane(a); });
}

// |x| <= 3.5, which covers nearly all of N(0, 1), needs no reduction: cos x = h^2 - 1 with h = sqrt
// 2 cos(x / 2), a polynomial of u = x^2 up to 12.25. The error of cos x is 2.6e-7 of |cos x| + 0.1;
// coefficients were rounded one by one, and the others fitted again after each.
constexpr float kCosSquares = 12.25f;
constexpr Constant kHalfCos[] = {Constant(1.414213538f), Constant(-0.1767764539f),
                                 Constant(3.682621056e-3f), Constant(-3.0617015e-5f)};
constexpr Constant kMinusOne(-1.0f);
template <int U>
STROBE_INLINE void cos_of_square(const Pack<U>& u, Pack<U>& y) {
  set_to_sum(y, u, 1.278672528e-7f, kHalfCos[3]);
  STROBE_UNROLL
  for (int i = 2; i >= 0; --i) times_plus(y, u, kHalfCos[i]);
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) y.v[k] = fused(y.v[k], y.v[k], fresh(kMinusOne));
}

// e^x = 2^n (1 + q) with |x - n ln 2| <= ln 2 / 2; q keeps its digits where it is small. 1.1e-7 of
// e^x.
template <int U>
struct Exponential {
  Pack<U> shifted;  // n in its last bits, above 1.5 2^23
  Pack<U> q;
};

constexpr Constant kWhole(kRoundToWhole);
constexpr Constant kExp[] = {Constant(0.499999930508f), Constant(0.166665147914f),
                             Constant(4.16684567766e-2f), Constant(8.36941883569e-3f)};

template <int U>
STROBE_INLINE void exponential(const Pack<U>& x, Exponential<U>& e) {
  set_to_sum(e.shifted, x, 1.44269504f, kWhole);
  Pack<U> r;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) {
    const Lanes n = e.shifted.v[k] - kRoundToWhole;
    r.v[k] = fused_minus(n, all(0.693115234375f), x.v[k]);
    r.v[k] = fused_minus(n, all(3.19461832987e-5f), r.v[k]);
  }
  set_to_sum(e.q, r, 1.38131450836e-3f, kExp[3]);
  STROBE_UNROLL
  for (int i = 2; i >= 0; --i) times_plus(e.q, r, kExp[i]);
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) e.q.v[k] = fused(r.v[k] * r.v[k], e.q.v[k], r.v[k]);
}

STROBE_INLINE IntLanes whole_of(Lanes shifted) {
  return reinterpret_cast<IntLanes>(shifted) - 0x4B400000;
}
STROBE_INLINE Lanes power_of_two(IntLanes n) { return lanes_of((n + 127) << 23); }

// t + n ln 2. A fused product is exact, so one constant is enough: error 2e-9 times n, up to 126.
STROBE_INLINE Lanes plus_ln2(Lanes n, Lanes t) {
#if defined(__aarch64__) || defined(__FMA__)
  return fused(n, all(0.693147182f), t);
#else
  return n * 3.19461832987e-5f + (n * 0.693115234375f + t);
#endif
}

// Comparisons let a NaN through.
template <int U>
STROBE_INLINE Pack<U> bounded(Pack<U> x, float least, float most) {
  return each(
      x, [ least, most ](Lanes a) __attribute__((always_inline)) {
        const Lanes below = select(a > all(most), all(most), a);
        return select(below < all(least), all(least), below);
      });
}

template <int U>
STROBE_INLINE Pack<U> exp_of_any(Pack<U> x) {
  Exponential<U> e;
  exponential(bounded(x, -104.0f, 89.0f), e);  // zero and infinity beyond
  Pack<U> y;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) {
    // Two steps, because 2^128 and 2^-149 cannot be f32 factors.
    const IntLanes n = whole_of(e.shifted.v[k]);
    const IntLanes half = n >> 1;
    y.v[k] = ((e.q.v[k] + 1.0f) * power_of_two(half)) * power_of_two(n - half);
  }
  return y;
}

// e^-t for |t| <= 87, far from both ends of the f32 range, by a shorter polynomial: 1.1e-7 of it.
constexpr float kExpSizes = 87.0f;
constexpr Constant kExpOfMinus[] = {Constant(0.499992311f), Constant(-0.1666711569f),
                                    Constant(4.189033061e-2f)};
template <int U>
STROBE_INLINE void exp_of_minus(const Pack<U>& t, Pack<U>& y) {
  Pack<U> shifted, r;  // t = -n ln 2 + r
  set_to_sum(shifted, t, -1.44269504f, kWhole);
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) {
    const Lanes n = shifted.v[k] - kRoundToWhole;
    r.v[k] = plus_ln2(n, t.v[k]);
  }
  set_to_sum(y, r, -8.312501013e-3f, kExpOfMinus[2]);
  STROBE_UNROLL
  for (int i = 1; i >= 0; --i) times_plus(y, r, kExpOfMinus[i]);
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) {
    const Lanes power = fused(r.v[k] * r.v[k], y.v[k], 1.0f - r.v[k]);
    // Adding the bits multiplies by 2^n; the bits above n in `shifted` are shifted out.
    y.v[k] = lanes_of(bits_of(power) + (bits_of(shifted.v[k]) << 23));
  }
}

// t / (t + 2) with t = e^2x - 1, exact to its last digits around 0.
template <int U>
STROBE_INLINE Pack<U> tanh(Pack<U> x) {
  Exponential<U> e;
  exponential(bounded(x + x, -20.0f, 20.0f), e);
  Pack<U> y;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) {
    const Lanes scale = power_of_two(whole_of(e.shifted.v[k]));
    const Lanes t = fused(scale, e.q.v[k], scale - 1.0f);
    y.v[k] = t * reciprocal(t + 2.0f);
  }
  return y;
}

template <int U>
STROBE_INLINE Pack<U> rsqrt(Pack<U> x) {
  return each(
      x, [](Lanes a) __attribute__((always_inline)) {
        Lanes y = a;
        STROBE_UNROLL
        for (int i = 0; i < kLanes; ++i) y[i] = 1.0f / __builtin_sqrtf(a[i]);
        return y;
      });
}

}  // namespace strobe::bench::STROBE_SIMD

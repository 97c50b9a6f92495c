#pragma once

#include "strobe/bench/providers/cpu/simd/pack.h"

// cos, exp and tanh. Coefficients are minimax over the ranges named beside them; the errors named
// are those of the polynomials, an f32 rounding or two come on top.
namespace strobe::bench::STROBE_SIMD {

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
  constexpr float kRound =
      12582912.0f;  // 1.5 2^23: what is added to it is rounded to a whole number
  const Pack<U> shifted = each(
      x, [](Lanes a) __attribute__((always_inline)) { return (a * 0.318309886f - 0.5f) + kRound; });
  const Pack<U> h = shifted + (0.5f - kRound);
  const Pack<U> r = ((x - h * 3.140625f) - h * 9.67502593994e-4f) - h * 1.50995802528e-7f;
  const Pack<U> u = r * r;
  Pack<U> p = u * 2.6089040785887e-6f + -1.9811100906857e-4f;
  p = times_plus(p, u, 8.3330880222446e-3f);
  p = times_plus(p, u, -0.16666660457465f);
  const Pack<U> sine = r + (r * u) * p;  // 5e-9
  Pack<U> y;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) {
    const BitLanes even = ~bits_of(shifted.v[k]) << 31;  // n odd: sin r, n even: -sin r
    y.v[k] = lanes_of(bits_of(sine.v[k]) ^ even);
  }
  return y;
}

// |x| <= 3.5, where nearly all of N(0, 1) lies: 2 cos^2(x / 2) - 1, no reduction. Its error is 2e-7
// of |cos x| + 0.15.
template <int U>
STROBE_INLINE Pack<U> cos(Pack<U> x) {
  const Pack<U> u = x * x;
  const Lanes most = largest(u);
  if (!is_within(most, 12.25f)) [[unlikely]] {
    if (is_within(most, 8192.0f * 8192.0f)) return cos_reduced(x);
    return each(x, [](Lanes a) { return cos_by_lane(a); });
  }
  Pack<U> p = u * 1.2755895770272e-7f + -3.0610326541896e-5f;
  p = times_plus(p, u, 3.6825778166724e-3f);
  p = times_plus(p, u, -0.17677636187711f);
  p = times_plus(p, u, 1.4142134814146f);
  return times_plus(p, p, -1.0f);
}

// e^x = 2^n (1 + q) with |x - n ln 2| <= ln 2 / 2; q keeps its digits where it is small. 3e-9 of
// e^x.
template <int U>
struct Exponential {
  Pack<U> shifted;  // n in its last bits, above kRound
  Pack<U> q;
};
constexpr float kExpRound = 12582912.0f;

template <int U>
STROBE_INLINE Exponential<U> exponential(Pack<U> x) {
  const Pack<U> shifted = x * 1.44269504f + kExpRound;
  const Pack<U> n = shifted + -kExpRound;
  const Pack<U> r = (x - n * 0.693115234375f) - n * 3.19461832987e-5f;
  Pack<U> p = r * 1.38131450836e-3f + 8.36941883569e-3f;
  p = times_plus(p, r, 4.16684567766e-2f);
  p = times_plus(p, r, 0.166665147914f);
  p = times_plus(p, r, 0.499999930508f);
  return {shifted, r + (r * r) * p};
}

STROBE_INLINE IntLanes whole_of(Lanes shifted) {
  return reinterpret_cast<IntLanes>(shifted) - 0x4B400000;
}
STROBE_INLINE Lanes power_of_two(IntLanes n) { return lanes_of((n + 127) << 23); }

template <int U>
STROBE_INLINE Pack<U> exp(Pack<U> x) {
  // Beyond these e^x is infinite or zero; comparisons let a NaN through.
  const Pack<U> bounded = each(
      x, [](Lanes a) __attribute__((always_inline)) {
        const Lanes most = select(a > all(89.0f), all(89.0f), a);
        return select(most < all(-104.0f), all(-104.0f), most);
      });
  const Exponential<U> e = exponential(bounded);
  Pack<U> y;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) {
    // Two steps: 2^128 and 2^-149 are no factors that an f32 can hold.
    const IntLanes n = whole_of(e.shifted.v[k]);
    const IntLanes half = n >> 1;
    y.v[k] = ((e.q.v[k] + 1.0f) * power_of_two(half)) * power_of_two(n - half);
  }
  return y;
}

// t / (t + 2) with t = e^2x - 1, exact to its last digits around 0.
template <int U>
STROBE_INLINE Pack<U> tanh(Pack<U> x) {
  const Pack<U> bounded = each(
      x, [](Lanes a) __attribute__((always_inline)) {
        const Lanes most = select(a > all(10.0f), all(10.0f), a);
        const Lanes both = select(most < all(-10.0f), all(-10.0f), most);
        return both + both;
      });
  const Exponential<U> e = exponential(bounded);
  Pack<U> y;
  STROBE_UNROLL
  for (int k = 0; k < U; ++k) {
    const Lanes scale = power_of_two(whole_of(e.shifted.v[k]));
    const Lanes t = scale * e.q.v[k] + (scale - 1.0f);
    y.v[k] = t / (t + 2.0f);
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

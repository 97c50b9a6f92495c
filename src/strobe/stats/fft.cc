#include "strobe/stats/fft.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace strobe::stats {

namespace {

// std::complex multiplication handles infinities, which makes it three times slower.
struct Complex {
  double re = 0;
  double im = 0;

  friend Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

// The transform splits a block of values into four parts recursively, depth first, so that all but
// the first few splits happen in the cache. Block s of its level has the angle phi(s), the bits of
// s mirrored behind the binary point (0, 1/2, 1/4, 3/4, 1/8, ...): one twiddle factor serves the
// whole block, and the spectrum is in that order. The inverse starts from that order, so nothing is
// ever sorted.
class Transform {
 public:
  explicit Transform(std::size_t size) : low_(kLow), high_(size / kLow + 1) {
    fill(low_, 1);
    fill(high_, 1.0 / kLow);
  }

  void forward(double* re, double* im, std::size_t size) const {
    if (std::countr_zero(size) % 2 == 1) {
      halve(re, im, size / 2);
      forward_fours(re, im, size / 2, 0);
      forward_fours(re + size / 2, im + size / 2, size / 2, 1);
    } else {
      forward_fours(re, im, size, 0);
    }
  }

  // The inverse of forward(), up to a factor of `size`.
  void backward(double* re, double* im, std::size_t size) const {
    if (std::countr_zero(size) % 2 == 1) {
      backward_fours(re, im, size / 2, 0);
      backward_fours(re + size / 2, im + size / 2, size / 2, 1);
      halve(re, im, size / 2);
    } else {
      backward_fours(re, im, size, 0);
    }
  }

  // A quarter of the turn phi(s).
  Complex quarter_turn(std::size_t s) const { return low_[s % kLow] * high_[s / kLow]; }

 private:
  static constexpr std::size_t kLow = 1024;

  static void fill(std::vector<Complex>& turns, double scale) {
    for (std::size_t s = 0; s < turns.size(); ++s) {
      double phi = 0;
      double bit = scale / 2;
      for (std::size_t rest = s; rest > 0; rest /= 2, bit /= 2) {
        if (rest % 2 == 1) phi += bit;
      }
      const double angle = phi * std::numbers::pi / 2;
      turns[s] = {std::cos(angle), std::sin(angle)};
    }
  }

  static void halve(double* __restrict re, double* __restrict im, std::size_t half) {
    for (std::size_t j = 0; j < half; ++j) {
      const Complex a{re[j], im[j]};
      const Complex b{re[j + half], im[j + half]};
      re[j] = a.re + b.re;
      im[j] = a.im + b.im;
      re[j + half] = a.re - b.re;
      im[j + half] = a.im - b.im;
    }
  }

  void forward_fours(double* re, double* im, std::size_t size, std::size_t s) const {
    if (size == 1) return;
    const std::size_t quarter = size / 4;
    const Complex w1 = quarter_turn(s);
    split(re, im, quarter, w1);
    if (quarter == 1) return;
    for (std::size_t part = 0; part < 4; ++part) {
      forward_fours(re + part * quarter, im + part * quarter, quarter, 4 * s + part);
    }
  }

  void backward_fours(double* re, double* im, std::size_t size, std::size_t s) const {
    if (size == 1) return;
    const std::size_t quarter = size / 4;
    if (quarter > 1) {
      for (std::size_t part = 0; part < 4; ++part) {
        backward_fours(re + part * quarter, im + part * quarter, quarter, 4 * s + part);
      }
    }
    const Complex w1 = quarter_turn(s);
    join(re, im, quarter, {w1.re, -w1.im});
  }

  static void split(double* __restrict re, double* __restrict im, std::size_t quarter, Complex w1) {
    const Complex w2 = w1 * w1;
    const Complex w3 = w2 * w1;
    for (std::size_t j = 0; j < quarter; ++j) {
      const std::size_t j1 = j + quarter;
      const std::size_t j2 = j1 + quarter;
      const std::size_t j3 = j2 + quarter;
      const Complex a0{re[j], im[j]};
      const Complex a1 = Complex{re[j1], im[j1]} * w1;
      const Complex a2 = Complex{re[j2], im[j2]} * w2;
      const Complex a3 = Complex{re[j3], im[j3]} * w3;
      const Complex even_sum{a0.re + a2.re, a0.im + a2.im};
      const Complex even_difference{a0.re - a2.re, a0.im - a2.im};
      const Complex odd_sum{a1.re + a3.re, a1.im + a3.im};
      const Complex odd_difference{a1.re - a3.re, a1.im - a3.im};
      re[j] = even_sum.re + odd_sum.re;
      im[j] = even_sum.im + odd_sum.im;
      re[j1] = even_sum.re - odd_sum.re;
      im[j1] = even_sum.im - odd_sum.im;
      re[j2] = even_difference.re - odd_difference.im;
      im[j2] = even_difference.im + odd_difference.re;
      re[j3] = even_difference.re + odd_difference.im;
      im[j3] = even_difference.im - odd_difference.re;
    }
  }

  static void join(double* __restrict re, double* __restrict im, std::size_t quarter, Complex w1) {
    const Complex w2 = w1 * w1;
    const Complex w3 = w2 * w1;
    for (std::size_t j = 0; j < quarter; ++j) {
      const std::size_t j1 = j + quarter;
      const std::size_t j2 = j1 + quarter;
      const std::size_t j3 = j2 + quarter;
      const Complex even_sum{re[j] + re[j1], im[j] + im[j1]};
      const Complex odd_sum{re[j] - re[j1], im[j] - im[j1]};
      const Complex even_difference{re[j2] + re[j3], im[j2] + im[j3]};
      const Complex odd_difference{im[j2] - im[j3], re[j3] - re[j2]};
      const Complex a1 =
          Complex{odd_sum.re + odd_difference.re, odd_sum.im + odd_difference.im} * w1;
      const Complex a2 =
          Complex{even_sum.re - even_difference.re, even_sum.im - even_difference.im} * w2;
      const Complex a3 =
          Complex{odd_sum.re - odd_difference.re, odd_sum.im - odd_difference.im} * w3;
      re[j] = even_sum.re + even_difference.re;
      im[j] = even_sum.im + even_difference.im;
      re[j1] = a1.re;
      im[j1] = a1.im;
      re[j2] = a2.re;
      im[j2] = a2.im;
      re[j3] = a3.re;
      im[j3] = a3.im;
    }
  }

  std::vector<Complex> low_;
  std::vector<Complex> high_;
};

// Turns the spectrum of the even values (as real parts) and odd values (as imaginary parts) of a
// real signal into the same of its autocorrelation: with E and O the spectra of the two and w the
// half turn that is between them, |E + wO|^2 has the even part |E|^2 + |O|^2 and the odd part
// 2 Re(E conj(wO)) conj(w).
void square_spectrum(const Transform& transform, double* re, double* im, std::size_t size) {
  const Complex sum{re[0], im[0]};
  re[0] = sum.re * sum.re + sum.im * sum.im;
  im[0] = 2 * sum.re * sum.im;
  for (std::size_t begin = 1; begin < size; begin *= 2) {
    // In the order of phi, a level's angles mirror each other from its two ends.
    for (std::size_t p = begin, mirror = 2 * begin - 1; p <= mirror; ++p, --mirror) {
      const Complex even{(re[p] + re[mirror]) / 2, (im[p] - im[mirror]) / 2};
      const Complex odd{(im[p] + im[mirror]) / 2, (re[mirror] - re[p]) / 2};
      const Complex quarter = transform.quarter_turn(p);
      const Complex half = quarter * quarter;
      const Complex turned = half * odd;
      const double even_part =
          even.re * even.re + even.im * even.im + odd.re * odd.re + odd.im * odd.im;
      const double factor = 2 * (even.re * turned.re + even.im * turned.im);
      const Complex odd_part{factor * half.re, -factor * half.im};
      re[p] = even_part - odd_part.im;
      im[p] = odd_part.re;
      re[mirror] = even_part + odd_part.im;
      im[mirror] = odd_part.re;
    }
  }
}

}  // namespace

std::vector<double> autocorrelation(std::span<const double> signal) {
  if (signal.empty()) return {};
  const std::size_t size = std::bit_ceil(signal.size());  // of pairs: as many zeros as values
  std::vector<double> re(size);
  std::vector<double> im(size);
  for (std::size_t i = 0; i < signal.size(); ++i) (i % 2 == 0 ? re : im)[i / 2] = signal[i];
  const Transform transform(size);
  transform.forward(re.data(), im.data(), size);
  square_spectrum(transform, re.data(), im.data(), size);
  transform.backward(re.data(), im.data(), size);
  std::vector<double> sums(signal.size());
  for (std::size_t lag = 0; lag < sums.size(); ++lag) {
    sums[lag] = (lag % 2 == 0 ? re : im)[lag / 2] / static_cast<double>(size);
  }
  return sums;
}

}  // namespace strobe::stats

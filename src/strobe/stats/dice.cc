#include "strobe/stats/dice.h"

#include <cmath>
#include <numbers>

namespace strobe::stats {

std::uint64_t Dice::below(std::uint64_t count) {
  // 2^64 values are no multiple of `count`: the first ones, which would favour the low numbers, are
  // left out.
  const std::uint64_t beyond = (0 - count) % count;
  std::uint64_t number = generator_();
  while (number < beyond) number = generator_();
  return number % count;
}

double Dice::share() {
  constexpr int kMantissa = 52;
  return std::ldexp(static_cast<double>(generator_() >> (64 - kMantissa)) + 0.5, -kMantissa);
}

double Dice::normal() {
  const double radius = std::sqrt(-2 * std::log(share()));
  return radius * std::cos(2 * std::numbers::pi * share());
}

// Marsaglia and Tsang: the cube of a shifted normal is nearly a gamma variate, and rejecting a few
// percent makes it exact.
double Dice::gamma(double shape) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v <= 0) continue;
    const double chance = share();
    if (chance < 1 - 0.0331 * x * x * x * x) return d * v;  // nearly always, and without logarithms
    if (std::log(chance) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

// The order statistics of uniform shares have beta distributions.
double Dice::ranked_share(std::size_t rank, std::size_t count) {
  const double below = gamma(static_cast<double>(rank));
  const double above = gamma(static_cast<double>(count - rank + 1));
  return below / (below + above);
}

}  // namespace strobe::stats

#pragma once

#include <cmath>
#include <cstdint>

namespace strobe {

// Numbers that look random and are the same everywhere; the distributions of <random> differ from
// library to library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {  // SplitMix64
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
  }
  int between(int low, int high) {  // both included
    return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double probability) { return uniform(0, 1) < probability; }
  // Nearly normal, never beyond 3 deviations: four uniform numbers, scaled to deviation 1.
  double normal() {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += uniform(-0.5, 0.5);
    return sum * 1.7320508075688772;
  }
  Dice fork() { return Dice(next()); }

 private:
  std::uint64_t state_;
};

// A machine that is a little faster now and a little slower later: each value resembles the one
// before it.
class Drift {
 public:
  Drift(double deviation, double resemblance, Dice dice)
      : dice_(dice), deviation_(deviation), resemblance_(resemblance) {
    value_ = deviation_ * dice_.normal();
  }
  double next() {
    const double news = deviation_ * std::sqrt(1 - resemblance_ * resemblance_);
    value_ = resemblance_ * value_ + news * dice_.normal();
    return value_;
  }

 private:
  Dice dice_;
  double deviation_;
  double resemblance_;
  double value_;
};

}  // namespace strobe

#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace strobe::stats {

// Reproducible random numbers: the same seed gives the same numbers with every compiler and
// library. The standard guarantees this for its generators, but not for its distributions.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : generator_(seed) {}

  std::uint64_t below(std::uint64_t count);  // 0, ..., count - 1, equally likely; count above 0
  double share();                            // above 0, below 1
  double normal();
  double gamma(double shape);  // shape 1 or more, scale 1
  // The `rank`th smallest of `count` uniform shares; 1 <= rank <= count.
  double ranked_share(std::size_t rank, std::size_t count);

 private:
  std::mt19937_64 generator_;
};

}  // namespace strobe::stats

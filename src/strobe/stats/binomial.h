#pragma once

#include <cstdint>

namespace strobe::stats {

// The probability of `successes` or more of `trials`, each with the same probability.
double binomial_tail(std::uint64_t successes, std::uint64_t trials, double probability);

}  // namespace strobe::stats

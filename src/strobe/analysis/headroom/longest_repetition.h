#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace strobe::analysis {

// Words [begin, begin + length) of which each equals the one `period` later, as far as it reaches:
// at least two periods, at least two different words.
struct Repetition {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t period = 0;
};

// The longest one; among equally long ones that of the smallest period, then the first. A word
// repeated alone is none. n log n comparisons at worst, about n where something repeats nearly
// throughout.
std::optional<Repetition> longest_repetition(std::span<const std::uint32_t> words);

}  // namespace strobe::analysis

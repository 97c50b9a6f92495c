#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace strobe::tensorboard {

// The rows of `values` by value, descending, in the order in which numpy's quicksort leaves equal
// ones: an accident that the plugin's answers show.
std::vector<std::size_t> descending_order(std::span<const double> values);

}  // namespace strobe::tensorboard

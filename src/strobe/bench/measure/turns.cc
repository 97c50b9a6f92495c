#include "strobe/bench/measure/turns.h"

#include <numeric>
#include <utility>

namespace strobe::bench {

std::vector<std::size_t> Turns::next_round() {
  std::vector<std::size_t> order(contenders_);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[dice_.below(left)]);
  }
  return order;
}

}  // namespace strobe::bench

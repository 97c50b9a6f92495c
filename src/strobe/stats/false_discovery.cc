#include "strobe/stats/false_discovery.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace strobe::stats {

std::vector<double> adjusted_p(std::span<const double> p) {
  std::vector<double> q(p.begin(), p.end());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!std::isnan(p[i])) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  double least = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t i = order[rank - 1];
    least = std::min(least, p[i] * static_cast<double>(order.size()) / static_cast<double>(rank));
    q[i] = least;
  }
  return q;
}

}  // namespace strobe::stats

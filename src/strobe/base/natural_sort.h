#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace strobe {

// A stable sort for lists that are mostly in order already, as traces are: it finds the ascending
// runs and merges neighbours until one is left. Linear for a sorted list, n log r for r runs.
template <class T, class Less>
void natural_sort(std::span<T> items, Less less) {
  std::vector<std::size_t> bounds{0};
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (less(items[i], items[i - 1])) bounds.push_back(i);
  }
  if (bounds.size() == 1) return;
  bounds.push_back(items.size());
  std::vector<T> room(items.size());
  std::span<T> from = items;
  std::span<T> to = room;
  while (bounds.size() > 2) {
    std::vector<std::size_t> longer{0};
    for (std::size_t run = 0; run + 1 < bounds.size(); run += 2) {
      const std::size_t begin = bounds[run];
      const std::size_t middle = bounds[run + 1];
      const std::size_t end = run + 2 < bounds.size() ? bounds[run + 2] : middle;
      const auto at = [&](std::size_t i) { return from.begin() + static_cast<std::ptrdiff_t>(i); };
      std::merge(at(begin), at(middle), at(middle), at(end),
                 to.begin() + static_cast<std::ptrdiff_t>(begin), less);
      longer.push_back(end);
    }
    std::swap(from, to);
    bounds.swap(longer);
  }
  if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
}

template <class T, class Less>
void natural_sort(std::vector<T>& items, Less less) {
  natural_sort(std::span<T>(items), less);
}

}  // namespace strobe

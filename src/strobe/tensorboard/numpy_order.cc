#include "strobe/tensorboard/numpy_order.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace strobe::tensorboard {
namespace {

// Sorts row numbers by their values, ascending.
class QuickSort {
 public:
  QuickSort(std::span<const double> values, std::vector<std::size_t>& rows)
      : values_(values), rows_(rows) {}

  void run() {
    struct Part {
      std::size_t first;
      std::size_t last;
      int levels_left;
    };
    if (rows_.size() < 2) return;
    const int levels = 2 * (static_cast<int>(std::bit_width(rows_.size())) - 1);
    std::vector<Part> waiting{{0, rows_.size() - 1, levels}};
    while (!waiting.empty()) {
      auto [first, last, levels_left] = waiting.back();
      waiting.pop_back();
      while (last - first >= kSmall && levels_left-- > 0) {
        const std::size_t middle = partition(first, last);
        if (middle - first < last - middle) {
          waiting.push_back({middle + 1, last, levels_left});
          last = middle - 1;
        } else {
          waiting.push_back({first, middle - 1, levels_left});
          first = middle + 1;
        }
      }
      finish(first, last);
    }
  }

 private:
  static constexpr std::size_t kSmall = 16;

  double value(std::size_t at) const { return values_[rows_[at]]; }
  void swap(std::size_t a, std::size_t b) { std::swap(rows_[a], rows_[b]); }

  // Around the median of three; where the pivot ends up is returned.
  std::size_t partition(std::size_t first, std::size_t last) {
    const std::size_t middle = first + (last - first) / 2;
    if (value(middle) < value(first)) swap(middle, first);
    if (value(last) < value(middle)) swap(last, middle);
    if (value(middle) < value(first)) swap(middle, first);
    const double pivot = value(middle);
    std::size_t i = first;
    std::size_t j = last - 1;
    swap(middle, j);
    while (true) {
      do {
        ++i;
      } while (value(i) < pivot);
      do {
        --j;
      } while (pivot < value(j));
      if (i >= j) break;
      swap(i, j);
    }
    swap(i, last - 1);
    return i;
  }

  // An insertion sort, or, for what partitioning could not cut down, any sort at all.
  void finish(std::size_t first, std::size_t last) {
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(last) + 1;
    if (begin < end) {
      std::stable_sort(begin, end,
                       [&](std::size_t a, std::size_t b) { return values_[a] < values_[b]; });
    }
  }

  std::span<const double> values_;
  std::vector<std::size_t>& rows_;
};

}  // namespace

std::vector<std::size_t> descending_order(std::span<const double> values) {
  // The plugin asked pandas, which sorts the reversed values upwards and reverses the result.
  std::vector<double> reversed(values.rbegin(), values.rend());
  std::vector<std::size_t> rows(values.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  QuickSort(reversed, rows).run();
  std::ranges::reverse(rows);
  for (std::size_t& row : rows) row = values.size() - 1 - row;
  return rows;
}

}  // namespace strobe::tensorboard

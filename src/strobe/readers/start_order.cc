#include "strobe/readers/start_order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace strobe::readers {
namespace {

using RowNumbers = std::vector<std::uint32_t>;  // counted from `first`

class StartOrder {
 public:
  StartOrder(const SliceVectors& slices, std::size_t first)
      : slices_(slices), first_(first), count_(slices.size() - first) {
    for (std::size_t row = 0; row < count_; ++row) {
      tracks_ = std::max(tracks_, track_of(row) + 1);
    }
  }

  bool is_given() const {
    std::vector<std::int64_t> latest(tracks_, std::numeric_limits<std::int64_t>::min());
    for (std::size_t row = 0; row < count_; ++row) {
      std::int64_t& before = latest[track_of(row)];
      // Of two that start together, the later one ended later: it may contain the other.
      if (start_of(row) <= before) return false;
      before = start_of(row);
    }
    return true;
  }

  // In one pass, for slices that nest and are in the order of their ends. Empty if they are not.
  //
  //   |- a -||- b -|        a and b wait in a line, each with what it contains; then c comes,
  //   |----- c -----|       which started no later than a: both move behind it
  RowNumbers by_nesting() const {
    struct Nest {
      std::uint32_t head;
      std::uint32_t tail;
    };
    std::vector<std::vector<Nest>> lines(tracks_);
    RowNumbers next(count_, kEnd);
    for (std::uint32_t row = 0; row < count_; ++row) {
      std::vector<Nest>& line = lines[track_of(row)];
      Nest nest{row, row};
      std::size_t inner = line.size();
      for (; inner > 0 && start_of(line[inner - 1].head) >= start_of(row); --inner) {
        if (!is_in_order(line[inner - 1].head, row)) return {};
      }
      for (std::size_t i = inner; i < line.size(); ++i) {
        next[nest.tail] = line[i].head;
        nest.tail = line[i].tail;
      }
      line.resize(inner);
      if (inner > 0 && start_of(line.back().tail) > start_of(row)) return {};
      line.push_back(nest);
    }
    RowNumbers order;
    order.reserve(count_);
    for (const std::vector<Nest>& line : lines) {
      for (const Nest& nest : line) {
        for (std::uint32_t row = nest.head; row != kEnd; row = next[row]) order.push_back(row);
      }
    }
    return order;
  }

  RowNumbers by_sorting() const {
    RowNumbers order(count_);
    std::iota(order.begin(), order.end(), 0u);
    const auto key = [&](std::uint32_t row) {
      return std::tuple(track_of(row), start_of(row), -slices_.durations_ns[first_ + row],
                        std::numeric_limits<std::uint32_t>::max() - row);
    };
    std::ranges::sort(order, {}, key);
    return order;
  }

 private:
  static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();

  // Of two that start together, the longer one contains the other and ends after it.
  bool is_in_order(std::size_t earlier, std::size_t later) const {
    return start_of(earlier) != start_of(later) ||
           slices_.durations_ns[first_ + earlier] <= slices_.durations_ns[first_ + later];
  }

  std::size_t track_of(std::size_t row) const { return slices_.tracks[first_ + row].index(); }
  std::int64_t start_of(std::size_t row) const { return slices_.starts_ns[first_ + row]; }

  const SliceVectors& slices_;
  std::size_t first_;
  std::size_t count_;
  std::size_t tracks_ = 0;
};

template <class T>
void apply(const RowNumbers& order, std::size_t first, std::vector<T>& column) {
  std::vector<T> ordered;
  ordered.reserve(order.size());
  for (const std::uint32_t row : order) ordered.push_back(column[first + row]);
  std::ranges::copy(ordered, column.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

std::vector<std::uint32_t> order_by_start(SliceVectors& slices, std::size_t first) {
  const StartOrder orders(slices, first);
  if (orders.is_given()) return {};
  RowNumbers order = orders.by_nesting();
  if (order.empty()) order = orders.by_sorting();
  std::apply([&](auto&... columns) { (apply(order, first, columns), ...); }, columns_of(slices));
  RowNumbers new_rows(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    new_rows[order[i]] = static_cast<std::uint32_t>(first) + i;
  }
  return new_rows;
}

}  // namespace strobe::readers

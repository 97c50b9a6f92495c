#include "strobe/readers/start_order.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

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

  // Each track by itself: its rows mostly come in a few runs that are ordered, one from each
  // source.
  RowNumbers by_sorting() const {
    std::vector<std::uint32_t> ends(tracks_ + 1);
    for (std::size_t row = 0; row < count_; ++row) ++ends[track_of(row) + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    RowNumbers order(count_);
    for (std::uint32_t row = 0; row < count_; ++row) order[ends[track_of(row)]++] = row;
    RowNumbers merged;
    std::uint32_t begin = 0;
    for (std::size_t track = 0; track < tracks_; ++track) {
      merge_runs({order.data() + begin, order.data() + ends[track]}, merged);
      begin = ends[track];
    }
    return order;
  }

 private:
  static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();

  // Whether a row stands before another one on its track; of two that start together, the longer
  // one, and of equal ones the later row.
  bool is_before(std::uint32_t a, std::uint32_t b) const {
    if (start_of(a) != start_of(b)) return start_of(a) < start_of(b);
    const std::int64_t duration_a = slices_.durations_ns[first_ + a];
    const std::int64_t duration_b = slices_.durations_ns[first_ + b];
    return duration_a != duration_b ? duration_a > duration_b : a > b;
  }

  // Merges neighbouring runs until one is left.
  void merge_runs(std::span<std::uint32_t> rows, RowNumbers& merged) const {
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return is_before(a, b); };
    std::vector<std::size_t> ends;  // of the runs
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (is_before(rows[i], rows[i - 1])) ends.push_back(i);
    }
    ends.push_back(rows.size());
    while (ends.size() > 1) {
      merged.clear();
      std::vector<std::size_t> fewer;
      std::size_t begin = 0;
      for (std::size_t run = 0; run < ends.size(); run += 2) {
        const std::size_t middle = ends[run];
        const std::size_t end = ends[std::min(run + 1, ends.size() - 1)];
        std::ranges::merge(rows.subspan(begin, middle - begin), rows.subspan(middle, end - middle),
                           std::back_inserter(merged), before);
        fewer.push_back(end);
        begin = end;
      }
      std::ranges::copy(merged, rows.begin());
      ends = std::move(fewer);
    }
  }

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

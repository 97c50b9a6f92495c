#include "strobe/readers/start_order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace strobe::readers {
namespace {

using RowNumbers = std::vector<std::uint32_t>;  // counted from `first`

// Of slices in vectors, or packed.
template <class Slices>
class StartOrder {
 public:
  // Of slices that are all on one track.
  static StartOrder of_track(const Slices& slices, std::size_t first) {
    return StartOrder(slices, first, OneTrack{});
  }
  StartOrder(const Slices& slices, std::size_t first)
      : slices_(slices), first_(first), count_(slices.size() - first) {
    if (count_ == 0) return;
    first_track_ = slices.tracks[first].index();
    std::size_t last_track = first_track_;
    for (std::size_t row = first; row < slices.size(); ++row) {
      const std::size_t track = slices.tracks[row].index();
      first_track_ = std::min(first_track_, track);
      last_track = std::max(last_track, track);
    }
    tracks_ = last_track - first_track_ + 1;
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

  // For one track whose starts never go back: its neighbours that start together change places.
  // Nothing for other rows. PERF: mostly none of them does, and one look at each start is all.
  std::optional<RowMoves> by_neighbours() const {
    if (tracks_ > 1) return std::nullopt;
    bool any_start_together = false;
    for (std::size_t row = 1; row < count_; ++row) {
      if (start_of(row) < start_of(row - 1)) return std::nullopt;
      any_start_together |= start_of(row) == start_of(row - 1);
    }
    RowMoves moves{first_, count_, {}, {}};
    RowNumbers together;
    for (std::uint32_t row = 0; any_start_together && row + 1 < count_; ++row) {
      if (start_of(row) != start_of(row + 1)) continue;
      together.assign({row, row + 1});
      while (together.back() + 1 < count_ && start_of(together.back() + 1) == start_of(row)) {
        together.push_back(together.back() + 1);
      }
      std::ranges::sort(together,
                        [&](std::uint32_t a, std::uint32_t b) { return is_before(a, b); });
      add_moves(together, row, moves);
      row += static_cast<std::uint32_t>(together.size()) - 1;
    }
    return moves;
  }

  RowNumbers by_nesting_or_sorting() const {
    RowNumbers order = by_nesting();
    return order.empty() ? by_sorting() : order;
  }

  // Where `order` moves rows, each from where to where.
  RowMoves moves_of(const RowNumbers& order) const {
    RowMoves moves{first_, count_, {}, {}};
    add_moves(order, 0, moves);
    return moves;
  }

 private:
  struct OneTrack {};
  StartOrder(const Slices& slices, std::size_t first, OneTrack)
      : slices_(slices), first_(first), count_(slices.size() - first) {
    if (count_ == 0) return;
    first_track_ = slices.tracks[first].index();
    tracks_ = 1;
  }

  // `order` says which rows stand from row `at` on.
  static void add_moves(const RowNumbers& order, std::uint32_t at, RowMoves& moves) {
    for (const std::uint32_t row : order) {
      if (row != at) {
        moves.from.push_back(row);
        moves.to.push_back(at);
      }
      ++at;
    }
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
    std::vector<std::size_t> ends = ends_of_runs(rows);
    while (ends.size() > 1) {
      merged.clear();
      std::vector<std::size_t> fewer;
      std::size_t begin = 0;
      for (std::size_t run = 0; run < ends.size(); run += 2) {
        const std::size_t middle = ends[run];
        const std::size_t end = ends[std::min(run + 1, ends.size() - 1)];
        merge(rows.subspan(begin, middle - begin), rows.subspan(middle, end - middle), merged);
        fewer.push_back(end);
        begin = end;
      }
      std::ranges::copy(merged, rows.begin());
      ends = std::move(fewer);
    }
  }

  // PERF: here and in merge(), each start is unpacked once.
  std::vector<std::size_t> ends_of_runs(std::span<const std::uint32_t> rows) const {
    std::vector<std::size_t> ends;
    if (rows.empty()) return ends;
    std::int64_t before_ns = start_of(rows.front());
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const std::int64_t start_ns = start_of(rows[i]);
      if (start_ns < before_ns || (start_ns == before_ns && is_before(rows[i], rows[i - 1]))) {
        ends.push_back(i);
      }
      before_ns = start_ns;
    }
    ends.push_back(rows.size());
    return ends;
  }

  void merge(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
             RowNumbers& merged) const {
    if (!a.empty() && !b.empty()) {
      std::int64_t a_ns = start_of(a.front());
      std::int64_t b_ns = start_of(b.front());
      for (;;) {
        if (b_ns < a_ns || (b_ns == a_ns && is_before(b.front(), a.front()))) {
          merged.push_back(b.front());
          b = b.subspan(1);
          if (b.empty()) break;
          b_ns = start_of(b.front());
        } else {
          merged.push_back(a.front());
          a = a.subspan(1);
          if (a.empty()) break;
          a_ns = start_of(a.front());
        }
      }
    }
    merged.insert(merged.end(), a.begin(), a.end());
    merged.insert(merged.end(), b.begin(), b.end());
  }

  // Of two that start together, the longer one contains the other and ends after it.
  bool is_in_order(std::size_t earlier, std::size_t later) const {
    return start_of(earlier) != start_of(later) ||
           slices_.durations_ns[first_ + earlier] <= slices_.durations_ns[first_ + later];
  }

  // Counted from the first one that occurs.
  std::size_t track_of(std::size_t row) const {
    return slices_.tracks[first_ + row].index() - first_track_;
  }
  std::int64_t start_of(std::size_t row) const { return slices_.starts_ns[first_ + row]; }

  const Slices& slices_;
  std::size_t first_;
  std::size_t count_;
  std::size_t first_track_ = 0;
  std::size_t tracks_ = 0;
};

template <class T>
void move_rows(const RowMoves& moves, std::vector<T>& column) {
  std::vector<T> moved;
  moved.reserve(moves.from.size());
  for (const std::uint32_t row : moves.from) moved.push_back(column[moves.first + row]);
  for (std::size_t i = 0; i < moved.size(); ++i) column[moves.first + moves.to[i]] = moved[i];
}

}  // namespace

std::vector<std::uint32_t> RowMoves::new_rows() const {
  if (from.empty()) return {};
  RowNumbers new_rows(rows);
  std::iota(new_rows.begin(), new_rows.end(), static_cast<std::uint32_t>(first));
  for (std::size_t i = 0; i < from.size(); ++i) {
    new_rows[from[i]] = static_cast<std::uint32_t>(first) + to[i];
  }
  return new_rows;
}

namespace {

RowMoves order_rows(const StartOrder<SliceVectors>& orders, SliceVectors& slices) {
  std::optional<RowMoves> moves = orders.by_neighbours();
  if (!moves && orders.is_given()) return {};
  if (!moves) moves = orders.moves_of(orders.by_nesting_or_sorting());
  std::apply([&](auto&... columns) { (move_rows(*moves, columns), ...); }, columns_of(slices));
  moves->from.shrink_to_fit();
  moves->to.shrink_to_fit();
  return std::move(*moves);
}

}  // namespace

RowMoves order_by_start(SliceVectors& slices, std::size_t first) {
  return order_rows(StartOrder<SliceVectors>(slices, first), slices);
}

RowMoves order_track_by_start(SliceVectors& slices, std::size_t first) {
  return order_rows(StartOrder<SliceVectors>::of_track(slices, first), slices);
}

void pack_by_start(TraceBuilder& builder) {
  builder.pack_all_slices();
  const StartOrder orders(builder.all_packed_slices(), 0);
  if (!orders.is_given()) builder.reorder_slices(orders.by_nesting_or_sorting());
}

void undo(RowMoves moves, SliceVectors& slices) {
  std::swap(moves.from, moves.to);
  std::apply([&](auto&... columns) { (move_rows(moves, columns), ...); }, columns_of(slices));
}

}  // namespace strobe::readers

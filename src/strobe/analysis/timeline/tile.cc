#include "strobe/analysis/timeline/tile.h"

#include <algorithm>
#include <cmath>

#include "strobe/base/time_columns.h"

namespace strobe::analysis {
namespace {

// Up to this many slices in a column are examined one by one.
constexpr std::uint32_t kFewSlots = TimelineBlock::kSlots;
// Columns are joined if their covered shares differ by at most this much.
constexpr double kAlike = 0.1;

// Adds up the time that slices of each look cover, column by column.
class LeaderVote {
 public:
  explicit LeaderVote(std::size_t looks) : places_(looks, kNone) {}

  void add(LookId look, double covered_ns) {
    std::uint32_t& place = places_[look.index()];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(candidates_.size());
      candidates_.push_back({look, 0.0});
    }
    candidates_[place].covered_ns += covered_ns;
  }
  LookId take() {
    LookId leader;
    double most_ns = -1;
    for (const Candidate& candidate : candidates_) {
      places_[candidate.look.index()] = kNone;
      if (candidate.covered_ns <= most_ns) continue;
      most_ns = candidate.covered_ns;
      leader = candidate.look;
    }
    candidates_.clear();
    return leader;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct Candidate {
    LookId look;
    double covered_ns = 0;
  };
  std::vector<std::uint32_t> places_;  // per look: in candidates_
  std::vector<Candidate> candidates_;
};

// Joins columns that look alike.
class Stretches {
 public:
  Stretches(const TimeColumns& columns, std::vector<DenseStretch>& out)
      : columns_(columns), out_(out) {}

  void add(std::uint32_t column, std::int64_t covered_ns, std::uint64_t slices,
           const Look& leader) {
    const double share = share_of(covered_ns, column, column + 1);
    const bool joins = touches(column) && out_.back().leader.name == leader.name &&
                       out_.back().leader.kind == leader.kind &&
                       std::abs(share - out_.back().covered_share) <= kAlike;
    if (!joins) {
      covered_ns_ = 0;
      out_.push_back({column, 0, 0, 0, leader});
    }
    extend(covered_ns);
    out_.back().slices += slices;
  }
  // The end of the last slice of the stretch before it.
  void add_rest(std::int64_t covered_ns) { extend(covered_ns); }

 private:
  bool touches(std::uint32_t column) const {
    return !out_.empty() && out_.back().first_column + out_.back().columns == column;
  }
  void extend(std::int64_t covered_ns) {
    DenseStretch& stretch = out_.back();
    ++stretch.columns;
    covered_ns_ += covered_ns;
    stretch.covered_share =
        share_of(covered_ns_, stretch.first_column, stretch.first_column + stretch.columns);
  }
  double share_of(std::int64_t covered_ns, std::uint32_t begin, std::uint32_t end) const {
    const std::int64_t length_ns = columns_.begin_ns(end) - columns_.begin_ns(begin);
    return length_ns == 0 ? 0.0 : static_cast<double>(covered_ns) / static_cast<double>(length_ns);
  }

  const TimeColumns& columns_;
  std::vector<DenseStretch>& out_;
  std::int64_t covered_ns_ = 0;  // by the last stretch
};

class RowTiler {
 public:
  RowTiler(const Timeline& timeline, const TimeColumns& columns)
      : timeline_(timeline),
        columns_(columns),
        wide_ns_(static_cast<float>(columns.wide_ns())),
        vote_(timeline.looks().size()) {}

  TileRow tile(const TimelineRow& row) {
    TileRow result{row.track, row.row, {}, {}};
    Stretches stretches(columns_, result.dense);
    const Timeline::Slots slots = timeline_.visible(row, columns_.window());
    std::int64_t rest_ns = 0;  // of the slice before, in the column after its own
    std::uint32_t rest_column = 0;
    for (std::uint32_t i = slots.begin; i < slots.end;) {
      const std::uint32_t column = columns_.at(timeline_.start_ns(i));
      const std::uint32_t end = end_of_column(row, i, slots.end, columns_.end_ns(column));
      if (rest_ns > 0 && rest_column != column) {
        stretches.add_rest(rest_ns);
        rest_ns = 0;
      }
      const std::size_t wide_before = result.wide.size();
      std::int64_t covered_ns = timeline_.sum_ns(i, end) - take_wide(row, i, end, result.wide);
      const std::uint64_t narrow = end - i - (result.wide.size() - wide_before);
      if (narrow > 0) {
        if (is_narrow(i)) covered_ns -= std::max<std::int64_t>(0, before_window_ns(i));
        const std::int64_t over_ns = is_narrow(end - 1) ? after_column_ns(end - 1, column) : 0;
        stretches.add(column, covered_ns + rest_ns - over_ns, narrow,
                      timeline_.looks()[vote_.take().index()]);
        rest_column = column + 1;
        rest_ns = rest_column == columns_.count() ? 0 : over_ns;
      } else if (rest_ns > 0) {
        stretches.add_rest(rest_ns);
        rest_ns = 0;
      }
      i = end;
    }
    if (rest_ns > 0) stretches.add_rest(rest_ns);
    return result;
  }

 private:
  // Most columns hold few slices; a linear scan is then faster than any search.
  std::uint32_t end_of_column(const TimelineRow& row, std::uint32_t begin, std::uint32_t end,
                              std::int64_t end_ns) const {
    const std::uint32_t near = std::min(end, begin + kFewSlots);
    for (std::uint32_t i = begin + 1; i < near; ++i) {
      if (timeline_.start_ns(i) >= end_ns) return i;
    }
    return near == end ? end : std::min(end, timeline_.first_from(row, end_ns, near - 1));
  }

  bool is_narrow(std::uint32_t slot) const {
    return timeline_.duration_ns(slot) < columns_.wide_ns();
  }
  std::int64_t before_window_ns(std::uint32_t slot) const {
    return columns_.window().start_ns - timeline_.start_ns(slot);
  }
  std::int64_t after_column_ns(std::uint32_t slot, std::uint32_t column) const {
    return std::max<std::int64_t>(0, timeline_.end_ns(slot) - columns_.end_ns(column));
  }

  // Lists the wide slices of [begin, end), lets the others vote, and returns the total length of
  // the wide ones.
  std::int64_t take_wide(const TimelineRow& row, std::uint32_t begin, std::uint32_t end,
                         std::vector<SliceId>& wide) {
    if (end - begin < kFewSlots) return take_each(begin, end, wide);
    std::int64_t wide_sum_ns = 0;
    std::uint32_t first = (begin - row.begin) / TimelineBlock::kSlots;
    for (std::uint32_t i = begin; i < end; ++first) {
      const std::uint32_t block_begin = row.begin + first * TimelineBlock::kSlots;
      const std::uint32_t block_end = std::min(block_begin + TimelineBlock::kSlots, row.end);
      const std::uint32_t stop = std::min(end, block_end);
      const TimelineBlock& block = timeline_.blocks()[row.first_block + first];
      if (block.longest_ns >= wide_ns_) {
        wide_sum_ns += take_each(i, stop, wide);
      } else {
        const double part = static_cast<double>(stop - i) / (block_end - block_begin);
        vote_.add(block.leader, part * static_cast<double>(block.leader_ns));
      }
      i = stop;
    }
    return wide_sum_ns;
  }

  std::int64_t take_each(std::uint32_t begin, std::uint32_t end, std::vector<SliceId>& wide) {
    std::int64_t wide_sum_ns = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::int64_t length_ns = timeline_.duration_ns(i);
      if (length_ns >= columns_.wide_ns()) {
        wide.push_back(timeline_.slice(i));
        wide_sum_ns += length_ns;
      } else {
        vote_.add(timeline_.look(i), static_cast<double>(length_ns));
      }
    }
    return wide_sum_ns;
  }

  const Timeline& timeline_;
  const TimeColumns& columns_;
  float wide_ns_;  // rounded up or down: longest_ns, rounded up, decides which blocks are examined
  LeaderVote vote_;
};

}  // namespace

std::vector<TileRow> make_tile(const Timeline& timeline, const TileRequest& request) {
  const TimeColumns columns(request.window, request.columns);
  RowTiler tiler(timeline, columns);
  std::vector<TileRow> tile;
  const auto add_rows = [&](std::span<const TimelineRow> rows) {
    for (const TimelineRow& row : rows) {
      TileRow tiled = tiler.tile(row);
      if (!tiled.wide.empty() || !tiled.dense.empty()) tile.push_back(std::move(tiled));
    }
  };
  if (request.tracks) {
    for (const TrackId track : *request.tracks) add_rows(timeline.rows_of(track));
  } else {
    add_rows(timeline.rows());
  }
  return tile;
}

}  // namespace strobe::analysis

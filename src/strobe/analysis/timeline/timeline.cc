#include "strobe/analysis/timeline/timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "strobe/base/check.h"
#include "strobe/base/interval.h"
#include "strobe/base/natural_sort.h"

namespace strobe::analysis {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t kFirstLeaves = 16;

}  // namespace

std::uint32_t RowLayout::place(Interval slice) {
  while (free_from_ > 0 && end_ns(free_from_ - 1) <= slice.start_ns) --free_from_;
  // A row that ends exactly where an empty slice is does not contain it.
  const std::int64_t inside_until_ns = std::max(slice.end_ns, slice.start_ns + 1);
  std::size_t row = free_from_;
  const bool lowest_contains = free_from_ > 0 && end_ns(free_from_ - 1) >= inside_until_ns;
  if (free_from_ > 0 && !lowest_contains) {
    row = first_free(rows_around(inside_until_ns), slice.start_ns);
  }
  if (row == leaves_) grow();
  set_end(row, slice.end_ns);
  free_from_ = std::max(free_from_, row + 1);
  return static_cast<std::uint32_t>(row);
}

void RowLayout::set_end(std::size_t row, std::int64_t end_ns) {
  std::size_t node = leaves_ + row;
  tree_[node] = {end_ns, end_ns};
  for (node /= 2; node > 0; node /= 2) {
    const Ends& left = tree_[2 * node];
    const Ends& right = tree_[2 * node + 1];
    const Ends both{std::min(left.earliest_ns, right.earliest_ns),
                    std::max(left.latest_ns, right.latest_ns)};
    if (both.earliest_ns == tree_[node].earliest_ns && both.latest_ns == tree_[node].latest_ns) {
      return;
    }
    tree_[node] = both;
  }
}

// The number of rows up to the last one that does not end before `end_ns`.
std::size_t RowLayout::rows_around(std::int64_t end_ns) const {
  if (tree_[1].latest_ns < end_ns) return 0;
  std::size_t node = 1;
  while (node < leaves_) node = 2 * node + (tree_[2 * node + 1].latest_ns >= end_ns ? 1 : 0);
  return node - leaves_ + 1;
}

// The first row from `row` on that has ended by `time_ns`; leaves_ if there is none yet.
std::size_t RowLayout::first_free(std::size_t row, std::int64_t time_ns) const {
  if (row == leaves_) return leaves_;
  std::size_t node = leaves_ + row;
  while (tree_[node].earliest_ns > time_ns) {
    while (node % 2 == 1) node /= 2;  // a right child: its parent is finished
    if (node == 0) return leaves_;
    ++node;
  }
  while (node < leaves_) {
    node *= 2;
    if (tree_[node].earliest_ns > time_ns) ++node;
  }
  return node - leaves_;
}

void RowLayout::grow() {
  std::vector<Ends> old(std::max(2 * kFirstLeaves, 2 * tree_.size()), Ends{kNever, kNever});
  old.swap(tree_);
  const std::size_t old_leaves = leaves_;
  leaves_ = tree_.size() / 2;
  for (std::size_t row = 0; row < old_leaves; ++row) {
    set_end(row, old[old_leaves + row].latest_ns);
  }
}

namespace {

// Grows over what is added.
class Stretch {
 public:
  void add(std::int64_t start_ns, std::int64_t end_ns) {
    interval_.start_ns = std::min(interval_.start_ns, start_ns);
    interval_.end_ns = std::max(interval_.end_ns, end_ns);
  }
  void add(const Stretch& other) {
    if (!other.is_empty()) add(other.interval_.start_ns, other.interval_.end_ns);
  }
  bool is_empty() const { return interval_.start_ns > interval_.end_ns; }
  Interval interval() const { return is_empty() ? Interval{} : interval_; }

 private:
  Interval interval_{std::numeric_limits<std::int64_t>::max(),
                     std::numeric_limits<std::int64_t>::min()};
};

struct SliceStretches {
  Stretch conditions;
  Stretch others;
};

SliceStretches stretches_of(const SliceColumns& slices) {
  SliceStretches found;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const bool is_condition = slices.kinds[row] == SliceKind::kCondition;
    (is_condition ? found.conditions : found.others)
        .add(slices.starts_ns[row], slices.starts_ns[row] + slices.durations_ns[row]);
  }
  return found;
}

// Those of a recorded run are on tracks of their own.
Stretch samples_of(const Trace& trace, bool of_every_tool) {
  const CounterColumns& counters = trace.counters();
  Stretch samples;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const bool counts =
        of_every_tool || trace.tracks()[counters.tracks[i].index()].kind == TrackKind::kOther;
    if (counts) samples.add(counters.times_ns[i], counters.times_ns[i]);
  }
  return samples;
}

Stretch reach_of(const Trace& trace, const SliceStretches& slices) {
  Stretch reach = samples_of(trace, slices.others.is_empty());
  reach.add(slices.conditions);
  reach.add(slices.others);
  return reach;
}

Interval extent_of(const Trace& trace, const SliceStretches& slices) {
  return slices.others.is_empty() ? reach_of(trace, slices).interval() : slices.others.interval();
}

std::vector<std::vector<SliceId>> slices_by_track(const Trace& trace) {
  const auto& tracks = trace.slices().tracks;
  std::vector<std::size_t> counts(trace.tracks().size());
  for (const TrackId track : tracks) ++counts[track.index()];
  std::vector<std::vector<SliceId>> lists(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) lists[i].reserve(counts[i]);
  for (std::size_t row = 0; row < tracks.size(); ++row) {
    lists[tracks[row].index()].push_back(SliceId(row));
  }
  return lists;
}

float rounded_up(std::int64_t length_ns) {
  const float rounded = static_cast<float>(length_ns);
  return static_cast<double>(rounded) < static_cast<double>(length_ns)
             ? std::nextafter(rounded, std::numeric_limits<float>::infinity())
             : rounded;
}

}  // namespace

// Finds or adds looks. Nearly every name has only one.
class Timeline::LookIndex {
 public:
  LookIndex(const Trace& trace, std::vector<Look>& looks)
      : slices_(trace.slices()), looks_(looks), first_(trace.strings().size()) {}

  LookId of(SliceId slice) {
    const Look look{slices_.names[slice.index()], slices_.kinds[slice.index()],
                    (slices_.flags[slice.index()] & kCommunicates) != 0};
    LookId* found = &first_[look.name.index()];
    while (found->valid() && !is_same_kind(looks_[found->index()], look)) {
      found = &next_[found->index()];
    }
    if (found->valid()) return *found;
    const LookId added(looks_.size());
    *found = added;
    looks_.push_back(look);
    next_.emplace_back();
    return added;
  }

 private:
  static bool is_same_kind(const Look& a, const Look& b) {
    return a.kind == b.kind && a.communicates == b.communicates;
  }

  const SliceColumns& slices_;
  std::vector<Look>& looks_;
  std::vector<LookId> first_;  // per name
  std::vector<LookId> next_;   // per look: another of the same name
};

Interval shown_time(const Trace& trace) {
  return reach_of(trace, stretches_of(trace.slices())).interval();
}

Interval slice_extent(const Trace& trace) { return extent_of(trace, stretches_of(trace.slices())); }

Timeline::Timeline(const Trace& trace) : trace_(&trace) {
  const SliceStretches stretches = stretches_of(trace.slices());
  reach_ = reach_of(trace, stretches).interval();
  extent_ = extent_of(trace, stretches);
  const std::size_t count = trace.slice_count();
  slices_.resize(count);
  looks_of_slots_.resize(count);
  starts_ns_.resize(count);
  sums_ns_.resize(count + 1);
  blocks_.reserve(count / TimelineBlock::kSlots + 1);
  const auto lists = slices_by_track(trace);
  LookIndex index(trace, looks_);
  for (std::size_t i = 0; i < lists.size(); ++i) add_track(TrackId(i), lists[i], index);
  row_begins_.push_back(static_cast<std::uint32_t>(rows_.size()));
}

void Timeline::add_track(TrackId track, const std::vector<SliceId>& slices, LookIndex& index) {
  struct Item {
    Interval interval;
    SliceId slice;
    std::uint32_t row = 0;
  };
  std::vector<Item> items;
  items.reserve(slices.size());
  for (const SliceId slice : slices) items.push_back({trace_->interval(slice), slice});
  natural_sort(items, [](const Item& a, const Item& b) {
    return a.interval.start_ns != b.interval.start_ns ? a.interval.start_ns < b.interval.start_ns
                                                      : a.interval.end_ns > b.interval.end_ns;
  });
  RowLayout layout;
  CoveredTime busy;
  std::vector<std::uint32_t> counts;
  for (Item& item : items) {
    if (is_busy(trace_->kind(item.slice))) busy.add(item.interval);
    item.row = layout.place(item.interval);
    if (item.row == counts.size()) counts.push_back(0);
    ++counts[item.row];
  }
  busy_ns_.push_back(busy.total_ns());

  const std::size_t first_row = rows_.size();
  row_begins_.push_back(static_cast<std::uint32_t>(first_row));
  std::uint32_t slot = rows_.empty() ? 0 : rows_.back().end;
  for (std::uint32_t row = 0; row < counts.size(); ++row) {
    rows_.push_back({track, row, slot, slot, 0});
    slot += counts[row];
  }
  for (const Item& item : items) {
    slot = rows_[first_row + item.row].end++;
    slices_[slot] = item.slice;
    looks_of_slots_[slot] = index.of(item.slice);
    starts_ns_[slot] = item.interval.start_ns;
    sums_ns_[slot + 1] = static_cast<std::uint64_t>(item.interval.length_ns());
  }
  for (std::size_t row = first_row; row < rows_.size(); ++row) {
    for (std::uint32_t i = rows_[row].begin; i < rows_[row].end; ++i)
      sums_ns_[i + 1] += sums_ns_[i];
    add_blocks(rows_[row]);
  }
}

void Timeline::add_blocks(TimelineRow& row) {
  row.first_block = static_cast<std::uint32_t>(blocks_.size());
  for (std::uint32_t begin = row.begin; begin < row.end; begin += TimelineBlock::kSlots) {
    const std::uint32_t end = std::min(row.end, begin + TimelineBlock::kSlots);
    std::uint32_t leader = begin;
    std::int64_t leader_ns = -1;
    std::int64_t longest_ns = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      longest_ns = std::max(longest_ns, duration_ns(i));
      std::int64_t covered_ns = 0;
      for (std::uint32_t k = i; k < end; ++k) {
        if (looks_of_slots_[k] == looks_of_slots_[i]) covered_ns += duration_ns(k);
      }
      if (covered_ns <= leader_ns) continue;
      leader = i;
      leader_ns = covered_ns;
    }
    blocks_.push_back(
        {looks_of_slots_[leader], static_cast<float>(leader_ns), rounded_up(longest_ns)});
  }
}

std::uint64_t Timeline::slices_on(TrackId track) const {
  const auto rows = rows_of(track);
  return rows.empty() ? 0 : rows.back().end - rows.front().begin;
}

std::uint32_t Timeline::first_from(const TimelineRow& row, std::int64_t time_ns,
                                   std::uint32_t from) const {
  std::size_t begin = from;
  std::size_t step = 1;
  while (begin + step < row.end && starts_ns_[begin + step] < time_ns) {
    begin += step;
    step *= 2;
  }
  const auto at = [&](std::size_t i) {
    return starts_ns_.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const std::size_t end = std::min<std::size_t>(row.end, begin + step);
  return static_cast<std::uint32_t>(std::lower_bound(at(begin), at(end), time_ns) -
                                    starts_ns_.begin());
}

std::uint32_t Timeline::first_from(const TimelineRow& row, std::int64_t time_ns) const {
  const auto begin = starts_ns_.begin();
  return static_cast<std::uint32_t>(std::lower_bound(begin + row.begin, begin + row.end, time_ns) -
                                    begin);
}

Timeline::Slots Timeline::visible(const TimelineRow& row, Interval window) const {
  Slots slots{first_from(row, window.start_ns), first_from(row, window.end_ns)};
  if (slots.begin > row.begin && end_ns(slots.begin - 1) > window.start_ns) --slots.begin;
  return slots;
}

const TimelineRow& Timeline::row_of(SliceId slice) const {
  const std::int64_t start_ns = trace_->start_ns(slice);
  for (const TimelineRow& row : rows_of(trace_->slices().tracks[slice.index()])) {
    for (std::uint32_t i = first_from(row, start_ns); i < row.end && starts_ns_[i] == start_ns;
         ++i) {
      if (slices_[i] == slice) return row;
    }
  }
  STROBE_CHECK(false, "every slice of the trace has a row");
  return rows_.front();
}

SliceId Timeline::innermost_at(TrackId track, std::int64_t time_ns) const {
  SliceId just_ended;
  const auto rows = rows_of(track);
  for (std::size_t i = rows.size(); i-- > 0;) {
    const TimelineRow& row = rows[i];
    const std::uint32_t after = first_from(row, time_ns + 1);
    if (after == row.begin) continue;
    const Interval latest = interval(after - 1);
    if (latest.end_ns > time_ns || latest.start_ns == time_ns) return slices_[after - 1];
    if (latest.end_ns == time_ns && !just_ended.valid()) just_ended = slices_[after - 1];
  }
  return just_ended;
}

}  // namespace strobe::analysis

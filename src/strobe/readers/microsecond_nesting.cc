#include "strobe/readers/microsecond_nesting.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace strobe::readers {
namespace {

constexpr std::int64_t kClockStep_ns = 1'000;

using Row = std::uint32_t;

std::int64_t end_of(const SliceVectors& slices, Row row) {
  return slices.starts_ns[row] + slices.durations_ns[row];
}

bool is_empty(const SliceVectors& slices, Row row) { return slices.durations_ns[row] == 0; }

// Per track the ranges of its tree, in file order. None if a time has a fraction, or if no range is
// too short for its nesting to be seen.
std::optional<std::vector<std::vector<Row>>> ranges_in_doubt(const std::vector<Track>& all_tracks,
                                                             const SliceVectors& slices) {
  bool has_empty = false;
  std::vector<std::vector<Row>> tracks(all_tracks.size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (!is_tree_kind(slices.kinds[i])) continue;
    if (slices.starts_ns[i] % kClockStep_ns != 0) return std::nullopt;
    if (slices.durations_ns[i] % kClockStep_ns != 0) return std::nullopt;
    const auto row = static_cast<Row>(i);
    has_empty = has_empty || is_empty(slices, row);
    const std::size_t track = slices.tracks[i].index();
    if (all_tracks[track].kind == TrackKind::kHostThread) tracks[track].push_back(row);
  }
  if (!has_empty) return std::nullopt;
  return tracks;
}

// What a range was seen to hold and to be followed by, of those that leave no doubt.
class Habits {
 public:
  void add_child(StringId parent, StringId child) {
    ++nested_[key(parent, child)];
    with_children_.insert(parent);
  }
  void add_follower(StringId first, StringId second) { ++followed_[key(first, second)]; }
  void add_long(StringId name) { long_.insert(name); }

  bool holds(StringId parent, StringId child, bool both_empty) const {
    const std::uint32_t inside = count(nested_, key(parent, child));
    const std::uint32_t after = count(followed_, key(parent, child));
    if (inside != after) return inside > after;
    // Two separate calls in one microsecond are rare; a call in a call is not.
    const bool may_have_children = with_children_.contains(parent) || !long_.contains(parent);
    return both_empty && inside == 0 && may_have_children;
  }

 private:
  using Counts = std::unordered_map<std::uint64_t, std::uint32_t>;

  static std::uint64_t key(StringId first, StringId second) {
    return (static_cast<std::uint64_t>(first.value) << 32) | second.value;
  }
  static std::uint32_t count(const Counts& counts, std::uint64_t pair) {
    const auto found = counts.find(pair);
    return found == counts.end() ? 0 : found->second;
  }

  Counts nested_;
  Counts followed_;
  std::unordered_set<StringId> with_children_;
  std::unordered_set<StringId> long_;
};

class ThreadNesting {
 public:
  ThreadNesting(const SliceVectors& slices, const std::vector<Row>& in_file_order)
      : slices_(slices), rows_(in_file_order), is_exact_(says_nesting(in_file_order)) {
    std::ranges::sort(rows_, [&](Row a, Row b) {
      if (slices_.starts_ns[a] != slices_.starts_ns[b]) {
        return slices_.starts_ns[a] < slices_.starts_ns[b];
      }
      if (end_of(slices_, a) != end_of(slices_, b)) return end_of(slices_, a) > end_of(slices_, b);
      return is_exact_ && slices_.externals[a] != slices_.externals[b]
                 ? slices_.externals[a] < slices_.externals[b]
                 : a < b;
    });
  }

  void learn(Habits& habits) const {
    struct Open {
      Row row;
      std::optional<Row> last_child;
    };
    std::vector<Open> open;
    for (const Row row : rows_) {
      if (!is_empty(slices_, row)) habits.add_long(slices_.names[row]);
      while (!open.empty() && !is_around(open.back().row, row)) open.pop_back();
      if (!open.empty()) {
        std::optional<Row>& before = open.back().last_child;
        if (before && end_of(slices_, *before) < slices_.starts_ns[row]) {
          habits.add_follower(slices_.names[*before], slices_.names[row]);
        }
        before = row;
        habits.add_child(slices_.names[open.back().row], slices_.names[row]);
      }
      open.push_back({row, std::nullopt});
    }
  }

  // Adds to the end of each range as many nanoseconds as there are levels of ranges inside that
  // start where it ends. True if there are any.
  bool extend(const Habits& habits, std::vector<std::int64_t>& ends_ns) const {
    bool has_extended = false;
    std::vector<Row> open;
    for (const Row row : rows_) {
      while (!open.empty() && !is_around(open.back(), row) && !holds(habits, open.back(), row)) {
        open.pop_back();
      }
      std::int64_t inner_ns = ends_ns[row];
      for (std::size_t i = open.size(); i-- > 0;) {
        if (end_of(slices_, open[i]) != end_of(slices_, row) || !is_empty(slices_, row)) break;
        ends_ns[open[i]] = std::max(ends_ns[open[i]], inner_ns + 1);
        inner_ns = ends_ns[open[i]];
        has_extended = true;
      }
      open.push_back(row);
    }
    return has_extended;
  }

 private:
  // Listed by end and numbered by start, as writers of 2021 do.
  bool says_nesting(const std::vector<Row>& in_file_order) const {
    bool starts_return = false;
    for (std::size_t i = 0; i < in_file_order.size(); ++i) {
      if (slices_.externals[in_file_order[i]] == kNoLaunchId) return false;
      if (i == 0) continue;
      const Row before = in_file_order[i - 1];
      const Row row = in_file_order[i];
      if (end_of(slices_, row) < end_of(slices_, before)) return false;
      starts_return = starts_return || slices_.starts_ns[row] < slices_.starts_ns[before];
    }
    return starts_return;
  }

  // Without doubt, given that the outer one did not start later.
  bool is_around(Row outer, Row inner) const {
    return end_of(slices_, outer) > slices_.starts_ns[inner] &&
           end_of(slices_, outer) >= end_of(slices_, inner);
  }

  bool holds(const Habits& habits, Row outer, Row inner) const {
    if (!is_empty(slices_, inner) || end_of(slices_, outer) != slices_.starts_ns[inner]) {
      return false;
    }
    if (is_exact_) return inner < outer && slices_.externals[inner] > slices_.externals[outer];
    return habits.holds(slices_.names[outer], slices_.names[inner], is_empty(slices_, outer));
  }

  const SliceVectors& slices_;
  std::vector<Row> rows_;  // by start, outer ones first
  bool is_exact_;
};

}  // namespace

void hint_nesting_of_microseconds(TraceBuilder& builder) {
  const SliceVectors& slices = builder.slices();
  const auto tracks = ranges_in_doubt(builder.tracks(), slices);
  if (!tracks) return;
  std::vector<ThreadNesting> threads;
  Habits habits;
  for (const std::vector<Row>& rows : *tracks) threads.emplace_back(slices, rows).learn(habits);
  std::vector<std::int64_t> ends_ns(slices.size());
  for (std::size_t i = 0; i < slices.size(); ++i) ends_ns[i] = end_of(slices, static_cast<Row>(i));
  bool has_extended = false;
  for (const ThreadNesting& thread : threads) {
    has_extended = thread.extend(habits, ends_ns) || has_extended;
  }
  if (has_extended) builder.nesting_hints().ends_ns = std::move(ends_ns);
}

}  // namespace strobe::readers

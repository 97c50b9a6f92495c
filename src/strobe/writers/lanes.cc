#include "strobe/writers/lanes.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "strobe/writers/kineto_frame.h"

namespace strobe::writers {
namespace {

using Row = std::uint32_t;

constexpr std::uint32_t kNoThread = 0xFFFFFFFFu;

struct Threads {
  std::vector<std::uint32_t> of_track;  // kNoThread for asynchronous ones
  std::vector<ViewerLine> lines;
};

Threads threads_of(const Trace& trace) {
  Threads threads;
  std::map<ViewerLine, std::uint32_t> known;
  for (const Track& track : trace.tracks()) {
    if (track.kind == TrackKind::kAsync) {
      threads.of_track.push_back(kNoThread);
      continue;
    }
    const ViewerLine line = line_of(trace, track);
    const auto [found, is_new] =
        known.try_emplace(line, static_cast<std::uint32_t>(threads.lines.size()));
    if (is_new) threads.lines.push_back(line);
    threads.of_track.push_back(found->second);
  }
  return threads;
}

// The slices of each thread, end to end, and where each thread's begin.
struct RowsByThread {
  std::vector<Row> rows;
  std::vector<std::size_t> begins;  // one more than there are threads
};

RowsByThread rows_by_thread(const Trace& trace, const Threads& threads) {
  const auto& tracks = trace.slices().tracks;
  RowsByThread sorted;
  sorted.begins.resize(threads.lines.size() + 1);
  for (const TrackId track : tracks) {
    const std::uint32_t thread = threads.of_track[track.index()];
    if (thread != kNoThread) ++sorted.begins[thread + 1];
  }
  for (std::size_t i = 1; i < sorted.begins.size(); ++i) sorted.begins[i] += sorted.begins[i - 1];
  sorted.rows.resize(sorted.begins.back());
  std::vector<std::size_t> next(sorted.begins.begin(), sorted.begins.end());
  for (std::size_t row = 0; row < tracks.size(); ++row) {
    const std::uint32_t thread = threads.of_track[tracks[row].index()];
    if (thread != kNoThread) sorted.rows[next[thread]++] = static_cast<Row>(row);
  }
  return sorted;
}

// The open slices of a thread, outermost first, by their ends.
class OpenSlices {
 public:
  // Given in the order of starts, longer ones first.
  bool takes(std::int64_t start_ns, std::int64_t end_ns) {
    while (!ends_ns_.empty() && ends_ns_.back() <= start_ns) ends_ns_.pop_back();
    if (!ends_ns_.empty() && end_ns > ends_ns_.back()) return false;
    ends_ns_.push_back(end_ns);
    return true;
  }

 private:
  std::vector<std::int64_t> ends_ns_;
};

// Until when each lane has room for a slice. A tree, whose nodes hold the latest of the times below
// them, finds the first lane with enough room. A lane that nobody has used yet has room for ever.
class LaneRooms {
 public:
  static constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

  std::size_t first_with_room(std::int64_t end_ns) {
    if (until_ns_[kRoot] < end_ns) double_leaves();
    std::size_t node = kRoot;
    while (node < leaves_) node = until_ns_[2 * node] >= end_ns ? 2 * node : 2 * node + 1;
    return node - leaves_;
  }

  void set(std::size_t lane, std::int64_t until_ns) {
    std::size_t node = leaves_ + lane;
    until_ns_[node] = until_ns;
    while (node > kRoot) {
      node /= 2;
      until_ns_[node] = std::max(until_ns_[2 * node], until_ns_[2 * node + 1]);
    }
  }

 private:
  static constexpr std::size_t kRoot = 1;

  void double_leaves() {
    std::vector<std::int64_t> larger(4 * leaves_, kForEver);
    std::copy(until_ns_.begin() + static_cast<std::ptrdiff_t>(leaves_), until_ns_.end(),
              larger.begin() + static_cast<std::ptrdiff_t>(2 * leaves_));
    leaves_ *= 2;
    until_ns_ = std::move(larger);
    for (std::size_t node = leaves_ - 1; node >= kRoot; --node) {
      until_ns_[node] = std::max(until_ns_[2 * node], until_ns_[2 * node + 1]);
    }
  }

  std::size_t leaves_ = 1;
  std::vector<std::int64_t> until_ns_ = std::vector<std::int64_t>(2, kForEver);  // root, leaf
};

// The lanes of one thread. A slice goes to the first one that has room for it.
class SideLanes {
 public:
  // Given in the order of starts, longer ones first. Returns the number of the lane, from 0.
  std::size_t take(std::int64_t start_ns, std::int64_t end_ns) {
    for (; !by_end_.empty() && by_end_.top().first <= start_ns; by_end_.pop()) {
      close_innermost(by_end_.top().second);
    }
    const std::size_t lane = rooms_.first_with_room(end_ns);
    if (lane == ends_ns_.size()) ends_ns_.emplace_back();
    ends_ns_[lane].push_back(end_ns);
    rooms_.set(lane, end_ns);
    by_end_.emplace(end_ns, lane);
    return lane;
  }

 private:
  void close_innermost(std::size_t lane) {
    std::vector<std::int64_t>& ends_ns = ends_ns_[lane];
    ends_ns.pop_back();
    rooms_.set(lane, ends_ns.empty() ? LaneRooms::kForEver : ends_ns.back());
  }

  using EndOnLane = std::pair<std::int64_t, std::size_t>;
  std::vector<std::vector<std::int64_t>> ends_ns_;  // of open slices by lane, outermost first
  LaneRooms rooms_;
  // All open slices. The next one to end is the innermost of its lane.
  std::priority_queue<EndOnLane, std::vector<EndOnLane>, std::greater<>> by_end_;
};

}  // namespace

ViewerLine line_of(const Trace& trace, const Track& track) {
  return {track.process, track.thread, track.device.has_value() && !comes_from_events(trace)};
}

Lanes::Lanes(const Trace& trace) {
  const SliceColumns& slices = trace.slices();
  const Threads threads = threads_of(trace);
  RowsByThread sorted = rows_by_thread(trace, threads);
  const auto is_before = [&](Row a, Row b) {
    if (slices.starts_ns[a] != slices.starts_ns[b]) {
      return slices.starts_ns[a] < slices.starts_ns[b];
    }
    if (slices.durations_ns[a] != slices.durations_ns[b]) {
      return slices.durations_ns[a] > slices.durations_ns[b];
    }
    return a < b;
  };
  for (std::size_t thread = 0; thread < threads.lines.size(); ++thread) {
    const auto begin = sorted.rows.begin() + static_cast<std::ptrdiff_t>(sorted.begins[thread]);
    const auto end = sorted.rows.begin() + static_cast<std::ptrdiff_t>(sorted.begins[thread + 1]);
    if (!std::is_sorted(begin, end, is_before)) std::sort(begin, end, is_before);
    OpenSlices open;
    SideLanes beside;
    const auto first_lane = static_cast<std::uint32_t>(lanes_.size());
    for (auto row = begin; row != end; ++row) {
      const std::int64_t start_ns = slices.starts_ns[*row];
      const std::int64_t end_ns = start_ns + slices.durations_ns[*row];
      if (open.takes(start_ns, end_ns)) continue;
      const auto number = static_cast<std::uint32_t>(beside.take(start_ns, end_ns));
      const std::uint32_t lane = first_lane + number;
      if (lane == lanes_.size()) lanes_.push_back({threads.lines[thread], number + 1});
      moved_.push_back({*row, lane});
      by_start_[threads.lines[thread]].push_back({start_ns, lane});
    }
  }
  std::ranges::sort(moved_, {}, &Moved::slice);
}

std::optional<std::uint32_t> Lanes::lane_at(const ViewerLine& thread, std::int64_t start_ns) const {
  const auto of_thread = by_start_.find(thread);
  if (of_thread == by_start_.end()) return std::nullopt;
  const auto& moved = of_thread->second;
  const auto after = std::ranges::upper_bound(moved, start_ns, {}, &MovedStart::start_ns);
  if (after == moved.begin() || std::prev(after)->start_ns != start_ns) return std::nullopt;
  return std::prev(after)->lane;
}

}  // namespace strobe::writers

#include "strobe/writers/lanes.h"

#include <algorithm>
#include <map>

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

// The open slices of one lane, outermost first, by their ends.
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
    std::vector<OpenSlices> open(1);  // the thread itself, then its lanes
    const auto first_lane = static_cast<std::uint32_t>(lanes_.size());
    for (auto row = begin; row != end; ++row) {
      const std::int64_t start_ns = slices.starts_ns[*row];
      const std::int64_t end_ns = start_ns + slices.durations_ns[*row];
      std::uint32_t number = 0;
      while (!open[number].takes(start_ns, end_ns)) {
        if (++number == open.size()) open.emplace_back();
      }
      if (number == 0) continue;
      const std::uint32_t lane = first_lane + number - 1;
      if (lane == lanes_.size()) {
        lanes_.push_back({threads.lines[thread], number});
      }
      moved_.push_back({*row, lane});
      by_start_.emplace(start_ns, lane);
    }
  }
  std::ranges::sort(moved_, {}, &Moved::slice);
}

std::optional<std::uint32_t> Lanes::lane_at(const ViewerLine& thread, std::int64_t start_ns) const {
  const auto [begin, end] = by_start_.equal_range(start_ns);
  for (auto found = begin; found != end; ++found) {
    if (lanes_[found->second].of == thread) return found->second;
  }
  return std::nullopt;
}

}  // namespace strobe::writers

#include "strobe/readers/ascend/launch_arrows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "strobe/readers/ascend/tasks.h"
#include "strobe/readers/equal_rows.h"

namespace strobe::readers {
namespace {

constexpr std::uint32_t kNoSlice = 0xFFFFFFFFu;
// How many ranges that cross a call are looked at, and how many slices that start together: real
// ones nest.
constexpr std::size_t kMostTogether = 64;

std::int64_t slice_end_ns(const SliceVectors& slices, std::uint32_t row) {
  return slices.starts_ns[row] + slices.durations_ns[row];
}

// By track and start, a slice before what it contains.
void sort_by_time(const SliceVectors& slices, std::vector<std::uint32_t>& rows) {
  std::ranges::sort(rows, {}, [&](std::uint32_t row) {
    return std::tuple(slices.tracks[row], slices.starts_ns[row], -slices.durations_ns[row], row);
  });
}

// A moment or a stretch of a track.
struct TrackStretch {
  TrackId track;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::uint32_t around = kNoSlice;  // the answer
};

// Finds the innermost of `ranges`, sorted by time, around each stretch; in one pass per track.
void find_ranges_around(const SliceVectors& slices, const std::vector<std::uint32_t>& ranges,
                        std::vector<TrackStretch>& stretches) {
  std::vector<std::uint32_t> order(stretches.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    return std::tuple(stretches[i].track, stretches[i].start_ns, i);
  });
  std::vector<std::uint32_t> open;
  TrackId track;
  auto next = ranges.begin();
  for (const std::uint32_t i : order) {
    TrackStretch& stretch = stretches[i];
    if (stretch.track != track) open.clear();
    track = stretch.track;
    const auto is_before = [&](std::uint32_t row) {
      return std::tuple(slices.tracks[row], slices.starts_ns[row]) <=
             std::tuple(track, stretch.start_ns);
    };
    for (; next != ranges.end() && is_before(*next); ++next) {
      if (slices.tracks[*next] != track) continue;
      while (!open.empty() && slice_end_ns(slices, open.back()) <= slices.starts_ns[*next]) {
        open.pop_back();
      }
      open.push_back(*next);
    }
    while (!open.empty() && slice_end_ns(slices, open.back()) < stretch.start_ns) open.pop_back();
    for (std::size_t up = 1; up <= std::min(open.size(), kMostTogether); ++up) {
      const std::uint32_t range = open[open.size() - up];
      if (slice_end_ns(slices, range) < stretch.end_ns) continue;
      stretch.around = range;
      break;
    }
  }
}

// One end of an arrow, as it is looked for.
struct ArrowEnd {
  std::uint64_t id;
  std::uint32_t flow;
};

class NpuArrows {
 public:
  NpuArrows(TraceBuilder& builder, std::string_view category) : flows_(builder.flows()) {
    for (std::uint32_t i = 0; i < flows_.size(); ++i) {
      const Category& own = builder.categories()[flows_.categories[i].index()];
      if (builder.strings()[own.name] != category) continue;
      if (flows_.phases[i] == FlowPhase::kStart) starts_.push_back({flows_.ids[i], i});
      if (flows_.phases[i] == FlowPhase::kEnd) ends_.push_back({flows_.ids[i], i});
    }
    std::ranges::sort(starts_, {}, [](const ArrowEnd& end) { return std::tie(end.id, end.flow); });
  }

  const std::vector<ArrowEnd>& starts() const { return starts_; }
  const std::vector<ArrowEnd>& ends() const { return ends_; }
  // The place of its start in starts().
  std::optional<std::size_t> start_of(const ArrowEnd& end) const {
    const auto found = std::ranges::lower_bound(starts_, end.id, {}, &ArrowEnd::id);
    if (found == starts_.end() || found->id != end.id) return std::nullopt;
    return static_cast<std::size_t>(found - starts_.begin());
  }
  TrackId track_of(const ArrowEnd& end) const { return flows_.tracks[end.flow]; }
  std::int64_t time_of(const ArrowEnd& end) const { return flows_.times_ns[end.flow]; }

 private:
  const FlowVectors& flows_;
  std::vector<ArrowEnd> starts_;  // by id
  std::vector<ArrowEnd> ends_;
};

class LaunchJoin {
 public:
  explicit LaunchJoin(TraceBuilder& builder) : builder_(builder), slices_(builder.slices()) {
    // The parts of calls are no ranges yet: they lie in the calls, not around them.
    ranges_ = rows_of_kinds(is_tree_kind);
    tell_calls_from_parts();
    calls_ = rows_of_kinds([](SliceKind kind) { return kind == SliceKind::kRuntimeCall; });
    works_ = rows_of_kinds(is_device_work);
    for (std::vector<std::uint32_t>* rows : {&calls_, &works_, &ranges_}) {
      sort_by_time(slices_, *rows);
    }
  }

  void number_launches() {
    std::ranges::fill(slices_.correlations, kNoLaunchId);
    const NpuArrows arrows(builder_, kLaunchArrow);
    std::vector<TrackStretch> starts;
    for (const ArrowEnd& start : arrows.starts()) {
      starts.push_back({arrows.track_of(start), arrows.time_of(start), arrows.time_of(start)});
    }
    find_ranges_around(slices_, calls_, starts);
    for (const ArrowEnd& end : arrows.ends()) {
      const auto start = arrows.start_of(end);
      if (!start || starts[*start].around == kNoSlice) continue;
      join(starts[*start].around, arrows.track_of(end), arrows.time_of(end));
    }
  }

  // Only where calls are made by a thread of their own; else their place says whose they are.
  void find_owners() {
    const std::vector<std::uint32_t> sources = queued_by();
    if (sources.empty()) return;
    std::vector<TrackStretch> stretches;
    for (const std::uint32_t call : calls_) {
      stretches.push_back(
          {slices_.tracks[call], slices_.starts_ns[call], slice_end_ns(slices_, call)});
    }
    find_ranges_around(slices_, ranges_, stretches);
    std::vector<SliceId>& owners = builder_.nesting_hints().owners;
    owners.assign(slices_.size(), SliceId());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const std::uint32_t around = stretches[i].around;
      if (around == kNoSlice) continue;
      const std::uint32_t source = sources[around];
      owners[calls_[i]] = SliceId(source == kNoSlice ? around : source);
    }
  }

 private:
  std::vector<std::uint32_t> rows_of_kinds(bool (*is_meant)(SliceKind)) const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < slices_.size(); ++row) {
      if (is_meant(slices_.kinds[row])) rows.push_back(row);
    }
    return rows;
  }

  // What a lower layer did inside of a call is a part of it.
  void tell_calls_from_parts() {
    std::vector<std::uint32_t> calls =
        rows_of_kinds([](SliceKind kind) { return kind == SliceKind::kRuntimeCall; });
    const CategoryId program = builder_.category(kProgramLayer);
    const auto is_part = [&](std::uint32_t row) { return slices_.categories[row] != program; };
    std::ranges::sort(calls, {}, [&](std::uint32_t row) {
      return std::tuple(slices_.tracks[row], slices_.starts_ns[row], -slices_.durations_ns[row],
                        is_part(row), row);
    });
    std::vector<std::uint32_t> open;
    for (const std::uint32_t call : calls) {
      if (!open.empty() && slices_.tracks[open.back()] != slices_.tracks[call]) open.clear();
      while (!open.empty() && slice_end_ns(slices_, open.back()) < slice_end_ns(slices_, call))
        open.pop_back();
      if (!open.empty() && is_part(call)) slices_.kinds[call] = SliceKind::kDynamicLaunch;
      open.push_back(call);
    }
  }

  auto starting_at(const std::vector<std::uint32_t>& rows, TrackId track,
                   std::int64_t time_ns) const {
    const auto place = [&](std::uint32_t row) {
      return std::tuple(slices_.tracks[row], slices_.starts_ns[row]);
    };
    const auto found = equal_rows(rows, std::tuple(track, time_ns), place);
    return found.first(std::min(found.size(), kMostTogether));
  }

  void join(std::uint32_t call, TrackId track, std::int64_t time_ns) {
    for (const std::uint32_t work : starting_at(works_, track, time_ns)) {
      std::uint32_t& number = slices_.correlations[call];
      if (number == kNoLaunchId) number = ++last_number_;
      slices_.correlations[work] = number;
    }
  }

  // Per slice: the one that queued what it runs; empty if there is none at all.
  std::vector<std::uint32_t> queued_by() const {
    const NpuArrows arrows(builder_, kQueueArrow);
    std::vector<std::uint32_t> sources;
    for (const ArrowEnd& end : arrows.ends()) {
      const auto start = arrows.start_of(end);
      if (!start) continue;
      const ArrowEnd& from = arrows.starts()[*start];
      const std::uint32_t target = launch_at(arrows.track_of(end), arrows.time_of(end));
      const std::uint32_t source = launch_at(arrows.track_of(from), arrows.time_of(from));
      if (target == kNoSlice || source == kNoSlice || target == source) continue;
      if (sources.empty()) sources.assign(slices_.size(), kNoSlice);
      sources[target] = source;
    }
    return sources;
  }

  // A range around launches that starts there.
  std::uint32_t launch_at(TrackId track, std::int64_t time_ns) const {
    for (const std::uint32_t row : starting_at(ranges_, track, time_ns)) {
      if (slices_.kinds[row] == SliceKind::kDynamicLaunch) return row;
    }
    return kNoSlice;
  }

  TraceBuilder& builder_;
  SliceVectors& slices_;
  std::vector<std::uint32_t> calls_;
  std::vector<std::uint32_t> works_;
  std::vector<std::uint32_t> ranges_;
  std::uint32_t last_number_ = 0;
};

}  // namespace

void join_npu_launches(TraceBuilder& builder) {
  LaunchJoin join(builder);
  join.number_launches();
  join.find_owners();
}

}  // namespace strobe::readers

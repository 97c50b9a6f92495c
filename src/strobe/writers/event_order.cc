#include "strobe/writers/event_order.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace strobe::writers {

LaunchCalls::LaunchCalls(const SliceColumns& slices) {
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (slices.kinds[row] != SliceKind::kRuntimeCall) continue;
    if (slices.correlations[row] == kNoLaunchId) continue;
    calls_.emplace_back(slices.correlations[row], static_cast<std::uint32_t>(row));
  }
  std::ranges::sort(calls_);
  is_used_.resize(calls_.size());
}

std::optional<LaunchCalls::Found> LaunchCalls::find(std::uint32_t correlation) {
  const std::pair highest{correlation, std::numeric_limits<std::uint32_t>::max()};
  const auto after = std::ranges::upper_bound(calls_, highest);
  if (after == calls_.begin() || std::prev(after)->first != correlation) return std::nullopt;
  const auto at = static_cast<std::size_t>(std::prev(after) - calls_.begin());
  const bool is_first_use = !is_used_[at];
  is_used_[at] = true;
  return Found{calls_[at].second, is_first_use};
}

namespace {

// Finds the place of each allocation among slices that are written thread by thread.
class AllocationPlaces {
 public:
  explicit AllocationPlaces(const Trace& trace)
      : slices_(trace.slices()),
        all_(static_cast<std::uint32_t>(slices_.size())),
        first_of_track_(trace.tracks().size(), all_) {
    for (std::uint32_t row = all_; row-- > 0;) {
      if (!is_on_device(slices_.kinds[row])) first_of_track_[slices_.tracks[row].index()] = row;
    }
  }

  // In the order of the file.
  std::uint32_t next(TrackId track, SliceId owner) {
    if (owner.valid()) {
      at_ = std::max(at_, owner.value + 1);
    } else if (first_of_track_[track.index()] < all_) {
      at_ = std::max(at_, first_of_track_[track.index()]);
    } else {
      skip_thread();  // a thread without slices comes between two others
    }
    return at_;
  }
  std::uint32_t last() const { return at_; }

 private:
  void skip_thread() {
    if (skipped_at_ == at_) return;  // stands before another thread already
    TrackId thread;
    for (std::uint32_t row = at_; row-- > 0 && !thread.valid();) {
      if (!is_on_device(slices_.kinds[row])) thread = slices_.tracks[row];
    }
    const auto is_of_thread = [&](std::uint32_t row) {
      return is_on_device(slices_.kinds[row]) || slices_.tracks[row] == thread;
    };
    while (thread.valid() && at_ < all_ && is_of_thread(at_)) ++at_;
    skipped_at_ = at_;
  }

  const SliceColumns& slices_;
  std::uint32_t all_;
  std::vector<std::uint32_t> first_of_track_;  // all_ if there is none
  std::uint32_t at_ = 0;
  std::optional<std::uint32_t> skipped_at_ = {};  // where the last skip has led
};

}  // namespace

std::vector<std::uint32_t> slices_before_instants(const Trace& trace) {
  const InstantColumns& instants = trace.instants();
  const MemoryColumns& memory = trace.memory();
  std::vector<std::uint32_t> before(instants.size(),
                                    static_cast<std::uint32_t>(trace.slice_count()));
  if (!memory.owners_are_known) return before;
  AllocationPlaces places(trace);
  std::size_t next = 0;
  for (std::size_t i = 0; i < instants.size(); ++i) {
    const bool is_allocation = next < memory.size() &&
                               memory.times_ns[next] == instants.times_ns[i] &&
                               memory.tracks[next] == instants.tracks[i];
    if (!is_allocation) {
      before[i] = places.last();
    } else {
      before[i] = places.next(memory.tracks[next], memory.owners[next]);
      ++next;
    }
  }
  return before;
}

namespace {

constexpr std::int64_t kMostInDouble_ns = std::int64_t{1} << 53;
constexpr std::int64_t kClockStep_ns = 52 * std::int64_t{86'400'000'000'000};

// The earliest and the latest of many times, and whether all are whole microseconds.
struct TimeRange {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  bool is_whole = true;

  void add(const Column<std::int64_t>& times_ns) {
    for (const std::int64_t time_ns : times_ns) {
      first_ns = std::min(first_ns, time_ns);
      last_ns = std::max(last_ns, time_ns);
      is_whole = is_whole && time_ns % 1000 == 0;
    }
  }
};

}  // namespace

std::int64_t clock_to_take_off(const Trace& trace) {
  TimeRange range;
  range.add(trace.slices().starts_ns);
  range.add(trace.flows().times_ns);
  range.add(trace.instants().times_ns);
  range.add(trace.counters().times_ns);
  if (range.is_whole || range.last_ns < kMostInDouble_ns || range.first_ns < 0) return 0;
  return range.first_ns / kClockStep_ns * kClockStep_ns;
}

}  // namespace strobe::writers

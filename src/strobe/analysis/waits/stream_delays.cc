#include "strobe/analysis/waits/stream_delays.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "strobe/analysis/waits/interval_parts.h"
#include "strobe/base/natural_sort.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

// Times at which works begin to wait and cease to.
struct WaitTimes {
  std::vector<std::int64_t> begins_ns;
  std::vector<std::int64_t> ends_ns;
  std::int64_t total_ns = 0;

  void add(Interval wait) {
    if (wait.length_ns() <= 0) return;
    begins_ns.push_back(wait.start_ns);
    ends_ns.push_back(wait.end_ns);
    total_ns += wait.length_ns();
  }
  void sort() {
    natural_sort(begins_ns, std::less<>());
    natural_sort(ends_ns, std::less<>());
  }
  // After sort(): calls `use` with each time at which something changes and the number that waits
  // from then on. A work that ceases to wait makes room for one that begins at that time.
  template <class Use>
  void replay(Use use) const {
    std::size_t begun = 0;
    std::size_t ended = 0;
    while (ended < ends_ns.size()) {
      const bool begins = begun < begins_ns.size() && begins_ns[begun] < ends_ns[ended];
      const std::int64_t time_ns = begins ? begins_ns[begun] : ends_ns[ended];
      while (ended < ends_ns.size() && ends_ns[ended] == time_ns) ++ended;
      while (begun < begins_ns.size() && begins_ns[begun] == time_ns) ++begun;
      use(time_ns, begun - ended);
    }
  }
  // After sort(): the most that wait at one time, which is so right before one of them ceases to.
  std::size_t longest_queue() const {
    std::size_t begun = 0;
    std::size_t longest = 0;
    for (std::size_t ended = 0; ended < ends_ns.size(); ++ended) {
      while (begun < begins_ns.size() && begins_ns[begun] < ends_ns[ended]) ++begun;
      longest = std::max(longest, begun - ended);
    }
    return longest;
  }
};

// The time from the end of the launching call to the start of the work, empty if that started
// before; nothing if no call is known.
std::optional<Interval> wait_of(const AttributedTrace& input, std::uint32_t work) {
  const auto& works = input.attribution.works;
  const CallId call = works.calls[work];
  if (!call.valid()) return std::nullopt;
  const std::int64_t start_ns = input.trace.start_ns(works.slices[work]);
  const std::int64_t launched_ns = input.trace.end_ns(input.attribution.calls.slices[call.index()]);
  return Interval{std::min(launched_ns, start_ns), start_ns};
}

struct StreamSum {
  StreamRow row;
  UncoveredPart uncovered;
  std::vector<std::int64_t> delays_ns;
  WaitTimes waits;
};

// Of delays, of which there is at least one.
class DelayQuantiles {
 public:
  explicit DelayQuantiles(std::vector<std::int64_t>& delays_ns)
      : delays_ns_(delays_ns), larger_(delays_ns.begin()) {}

  // The smallest delay that this share of all delays does not exceed. By ascending share.
  std::int64_t at(std::size_t percent) {
    const std::size_t rank = (delays_ns_.size() * percent + 99) / 100;
    const auto found =
        delays_ns_.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
    std::nth_element(larger_, found, delays_ns_.end());
    larger_ = found;
    return *found;
  }

 private:
  std::vector<std::int64_t>& delays_ns_;
  std::vector<std::int64_t>::iterator larger_;  // from here on none is smaller than the last answer
};

class StreamSums {
 public:
  StreamSums(const AttributedTrace& input, const IntervalSet& span)
      : input_(input),
        span_(span),
        waiting_span_(span),
        span_ns_(total_ns(span)),
        sums_of_tracks_(input.trace.tracks().size()) {}

  // By ascending start.
  void add(std::uint32_t work) {
    const SliceId slice = input_.attribution.works.slices[work];
    StreamSum& sum = sum_of(input_.trace.slices().tracks[slice.index()]);
    const std::optional<Interval> wait = wait_of(input_, work);
    if (wait) {
      waiting_span_.parts_of(*wait, [&](Interval part) { sum.waits.add(part); });
    }
    const Interval interval = input_.trace.interval(slice);
    const Interval part = sum.uncovered.of(interval);
    const std::int64_t busy_ns = span_.overlap_ns(part);
    if (busy_ns == 0 && !span_.meets(interval)) return;
    ++sum.row.works;
    sum.row.busy_ns += busy_ns;
    if (wait) add_delay(*wait, sum);
  }

  std::vector<StreamRow> take() {
    std::vector<StreamRow> rows;
    for (StreamSum& sum : sums_) {
      if (sum.row.works == 0) continue;
      finish(sum);
      rows.push_back(std::move(sum.row));
    }
    return rows;
  }

 private:
  StreamSum& sum_of(TrackId id) {
    std::optional<std::uint32_t>& position = sums_of_tracks_[id.index()];
    if (!position) {
      const Track& track = input_.trace.tracks()[id.index()];
      position = static_cast<std::uint32_t>(sums_.size());
      sums_.emplace_back();
      sums_.back().row.device = track.device.value_or(0);
      sums_.back().row.stream = std::string(input_.trace.strings()[track.thread]);
    }
    return sums_[*position];
  }
  static void add_delay(Interval wait, StreamSum& sum) {
    const std::int64_t delay_ns = wait.length_ns();
    if (sum.delays_ns.empty() || delay_ns > sum.row.max_delay_ns) {
      sum.row.max_delay_ns = delay_ns;
      sum.row.max_delay_at_ns = wait.end_ns;
    }
    sum.delays_ns.push_back(delay_ns);
  }
  void finish(StreamSum& sum) const {
    sum.row.with_launch = sum.delays_ns.size();
    if (!sum.delays_ns.empty()) {
      DelayQuantiles quantiles(sum.delays_ns);
      sum.row.median_delay_ns = quantiles.at(50);
      sum.row.p90_delay_ns = quantiles.at(90);
    }
    sum.waits.sort();
    sum.row.longest_queue = sum.waits.longest_queue();
    if (span_ns_ > 0) {
      sum.row.mean_queue = static_cast<double>(sum.waits.total_ns) / static_cast<double>(span_ns_);
    }
  }

  const AttributedTrace& input_;
  OverlapCursor span_;
  OverlapCursor waiting_span_;
  std::int64_t span_ns_;
  std::vector<std::optional<std::uint32_t>> sums_of_tracks_;
  std::vector<StreamSum> sums_;
};

std::vector<QueuePoint> points_of(WaitTimes& waits) {
  std::vector<QueuePoint> points;
  waits.sort();
  waits.replay([&](std::int64_t time_ns, std::size_t waiting) {
    const auto count = static_cast<std::uint32_t>(waiting);
    if (points.empty() || points.back().waiting != count) points.push_back({time_ns, count});
  });
  return points;
}

}  // namespace

void sort_streams(std::vector<StreamRow>& rows) {
  const auto key_of = [](const StreamRow& row) {
    const std::optional<std::int64_t> number = parse_whole_number(row.stream);
    return std::tuple(row.device, !number.has_value(), number.value_or(0),
                      std::string_view(row.stream));
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const StreamRow& a, const StreamRow& b) { return key_of(a) < key_of(b); });
}

std::vector<StreamRow> measure_streams(const AttributedTrace& input, const IntervalSet& span) {
  StreamSums sums(input, span);
  for (const std::uint32_t work : input.attribution.works.time_order) sums.add(work);
  std::vector<StreamRow> rows = sums.take();
  sort_streams(rows);
  return rows;
}

std::vector<QueueLine> list_queues(const AttributedTrace& input) {
  std::map<std::int32_t, WaitTimes> waits_of_devices;
  for (const std::uint32_t work : input.attribution.works.time_order) {
    const std::optional<Interval> wait = wait_of(input, work);
    if (!wait) continue;
    const Track& track = input.trace.track(input.attribution.works.slices[work]);
    waits_of_devices[track.device.value_or(0)].add(*wait);
  }
  std::vector<QueueLine> lines;
  for (auto& [device, waits] : waits_of_devices) lines.push_back({device, points_of(waits)});
  return lines;
}

}  // namespace strobe::analysis

#include "strobe/compare/measure/wait_times.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "strobe/analysis/waits/idle_gaps.h"
#include "strobe/analysis/waits/idle_stretches.h"
#include "strobe/analysis/waits/thread_activity.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

using analysis::AttributedTrace;
using analysis::IdleGaps;
using analysis::IdleStretch;

std::string name_text(const Trace& trace, StringId name) {
  return name.valid() ? canonical_name(trace.strings()[name]) : std::string();
}

// Idle time per cycle, first by the numbers of the causes, then by their names: several names may
// have one canonical form.
class IdleSums {
 public:
  explicit IdleSums(std::size_t cycles) : cycles_(cycles) {}

  void add(const IdleStretch& stretch, std::size_t cycle) {
    if (stretch.cause.index() >= sums_.size()) sums_.resize(stretch.cause.index() + 1);
    std::vector<std::int64_t>& sum = sums_[stretch.cause.index()];
    sum.resize(cycles_);
    sum[cycle] += stretch.interval.length_ns();
  }

  std::vector<IdleCycles> rows(const Trace& trace, const analysis::CauseList& causes) const {
    std::map<IdleCause, std::vector<std::int64_t>> by_cause;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const std::vector<std::int64_t>& sum = sums_[i];
      if (sum.empty()) continue;
      const analysis::Cause& cause = causes[analysis::CauseId(i)];
      auto& joined =
          by_cause[{cause.kind, name_text(trace, cause.name), name_text(trace, cause.inside)}];
      joined.resize(cycles_);
      std::transform(sum.begin(), sum.end(), joined.begin(), joined.begin(), std::plus<>());
    }
    std::vector<IdleCycles> rows;
    for (auto& [cause, idle_ns] : by_cause) rows.push_back({cause, std::move(idle_ns)});
    return rows;
  }

 private:
  std::size_t cycles_;
  std::vector<std::vector<std::int64_t>> sums_;  // per cause; empty: without idle time
};

// The part of a gap in one cycle.
struct GapPart {
  std::size_t gap;
  std::size_t cycle;
  Interval interval;
};

std::vector<GapPart> parts_of_gaps(const IntervalSet& gaps, const TimeParts& cycles) {
  std::vector<GapPart> parts;
  std::size_t near = 0;
  for (std::size_t gap = 0; gap < gaps.size(); ++gap) {
    near = cycles.first_after(gaps[gap].start_ns, near);
    cycles.for_each_piece(gaps[gap], near, [&](std::size_t cycle, Interval piece) {
      parts.push_back({gap, cycle, piece});
    });
  }
  return parts;
}

std::vector<IdleCycles> idle_of(const AttributedTrace& input, const TimeParts& cycles) {
  const Interval hull = {cycles[0].start_ns, cycles[cycles.size() - 1].end_ns};
  const IdleGaps gaps = analysis::find_idle_gaps(input, hull);
  const std::vector<GapPart> parts = parts_of_gaps(gaps.intervals, cycles);
  IntervalSet idle;
  for (const GapPart& part : parts) idle.push_back(part.interval);
  analysis::IdleExplainer explainer(input, idle);
  IdleSums sums(cycles.size());
  for (const GapPart& part : parts) {
    const analysis::LaunchEnd launch = analysis::find_launch_end(input, gaps, part.gap);
    explainer.explain(launch, part.interval,
                      [&](const IdleStretch& stretch) { sums.add(stretch, part.cycle); });
  }
  return sums.rows(input.trace, explainer.causes());
}

// The launched work of one device.
struct DeviceLaunches {
  std::vector<std::vector<double>> delays_ns;  // per cycle, of the work that starts in it
  std::vector<std::int64_t> waited_ns;         // per cycle, added over all work
};

LaunchCycles launch_cycles_of(const std::string& device, const DeviceLaunches& launches,
                              const TimeParts& cycles) {
  LaunchCycles row;
  row.device = device;
  for (std::size_t cycle = 0; cycle < cycles.size(); ++cycle) {
    const std::vector<double>& delays_ns = launches.delays_ns[cycle];
    const auto length_ns = static_cast<double>(cycles[cycle].length_ns());
    const bool is_known = !delays_ns.empty() && length_ns > 0;
    row.median_delay_ns.push_back(is_known ? stats::median_of(delays_ns) : std::nan(""));
    // The time that all works together wait, over the time in which they do: how many wait.
    row.mean_queue.push_back(is_known ? static_cast<double>(launches.waited_ns[cycle]) / length_ns
                                      : std::nan(""));
  }
  return row;
}

std::vector<LaunchCycles> launches_of(const AttributedTrace& input, const FunctionIndex& index,
                                      const TimeParts& cycles) {
  const auto& works = input.attribution.works;
  std::vector<DeviceLaunches> devices(index.devices.size());
  for (DeviceLaunches& device : devices) {
    device.delays_ns.resize(cycles.size());
    device.waited_ns.resize(cycles.size());
  }
  std::size_t near = 0;
  std::size_t near_launch = 0;
  for (const std::uint32_t work : works.time_order) {
    const std::uint32_t function = index.of_slice[works.slices[work].index()];
    if (!works.calls[work].valid() || function == FunctionIndex::kNone) continue;
    DeviceLaunches& device = devices[index.device_of[function]];
    const std::int64_t start_ns = input.trace.start_ns(works.slices[work]);
    const analysis::LaunchEnd launch = analysis::find_launch_end(input, work);
    const Interval wait = {std::min(launch.end_ns, start_ns), start_ns};
    near = cycles.first_after(start_ns, near);
    if (cycles.contains(near, start_ns)) {
      device.delays_ns[near].push_back(static_cast<double>(wait.length_ns()));
    }
    near_launch = cycles.first_after(wait.start_ns, near_launch);
    cycles.for_each_piece(wait, near_launch, [&](std::size_t cycle, Interval piece) {
      device.waited_ns[cycle] += piece.length_ns();
    });
  }
  std::vector<LaunchCycles> rows;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (index.devices[i] != kHostDevice) {
      rows.push_back(launch_cycles_of(index.devices[i], devices[i], cycles));
    }
  }
  return rows;
}

}  // namespace

WaitTimes measure_wait_times(const AttributedTrace& input, const FunctionIndex& index,
                             const TimeParts& cycles) {
  const bool has_devices = index.devices.size() > 1;
  if (!has_devices || cycles.size() == 0) return {};
  if (input.attribution.works.size() == 0) return {};
  return {idle_of(input, cycles), launches_of(input, index, cycles)};
}

}  // namespace strobe::compare

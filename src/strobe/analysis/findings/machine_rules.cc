#include "strobe/analysis/findings/machine_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "strobe/analysis/findings/sampled_counters.h"
#include "strobe/base/row_index.h"
#include "strobe/base/text.h"
#include "strobe/device/metric_info.h"
#include "strobe/device/vendor_names.h"

namespace strobe::analysis {
namespace {

using device::MetricRole;
using device::RuntimeCall;

// A thread that loses less than a twentieth of its time delays the work by less than steps vary.
constexpr double kLeastWait = 0.05;
// A quota stops all threads at once, so less of it is felt.
constexpr double kLeastStop = 0.02;
// A limit that holds for less than a fifth of the work comes and goes with the load.
constexpr double kLeastLimited = 0.2;
// A clock within 5 % of the highest one costs less than kernels vary.
constexpr double kNearlyFull = 0.95;
// A desktop takes about one percent, and its counter is right to about two.
constexpr double kLeastForeignPercent = 5;

IntervalSet idle_time(const Evidence& e) { return difference_of(e.whole, e.device_time.busy); }

// What the lost time of the host costs: if there is device work, only what the device is idle in
// it.
std::int64_t cost_ns(const Evidence& e, const IntervalSet& lost) {
  return e.device_slices == 0 ? total_ns(lost) : total_ns(intersection_of(lost, idle_time(e)));
}

// Lost time in which the device works does little harm.
void doubt_lost_time(const Evidence& e, std::string_view what, double idle_share,
                     Finding& finding) {
  if (e.device_slices == 0 || idle_share >= 0.25) return;
  finding.weight = FindingWeight::kNote;
  finding.against.push_back(fmt::format("the {} works {} of {}: they cost little", e.device,
                                        share_text(1 - idle_share), what));
}

// "python3 (4711)" of "waits: python3 (4711) runs"; "" if nobody knows.
std::string_view runner_in(std::string_view wait) {
  constexpr std::string_view kBefore = "waits: ";
  constexpr std::string_view kAfter = " runs";
  if (!wait.starts_with(kBefore) || !wait.ends_with(kAfter)) return {};
  wait.remove_prefix(kBefore.size());
  wait.remove_suffix(kAfter.size());
  return wait;
}

// The waits of one thread for a core.
struct CoreWaits {
  std::string_view process;
  std::string_view thread;
  std::uint64_t waits = 0;
  IntervalSet time;  // in steps, or in the trace without them
  std::map<std::string_view, std::int64_t> by_runner_ns;
};

// The threads with waits, by the tracks that show these: "4711 waits for a core".
std::map<TrackId, CoreWaits> threads_with_waits(const Trace& trace) {
  constexpr std::string_view kWaits = " waits for a core";
  std::map<TrackId, CoreWaits> threads;
  for (std::size_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    const std::string_view text = trace.strings()[track.thread];
    if (track.kind != TrackKind::kOther || !text.ends_with(kWaits)) continue;
    CoreWaits& waits = threads[TrackId(i)];
    waits.process = trace.strings()[track.process];
    waits.thread = text.substr(0, text.size() - kWaits.size());
  }
  return threads;
}

std::vector<const Track*> launching_threads(const Trace& trace) {
  const SliceColumns& slices = trace.slices();
  OncePerName launches(trace.strings(), [](std::string_view name) {
    return device::runtime_call(name) == RuntimeCall::kLaunch;
  });
  std::vector<bool> is_found(trace.tracks().size());
  std::vector<const Track*> tracks;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::size_t track = slices.tracks[i].index();
    if (slices.kinds[i] != SliceKind::kRuntimeCall || is_found[track]) continue;
    if (!launches(slices.names[i])) continue;
    is_found[track] = true;
    tracks.push_back(&trace.tracks()[track]);
  }
  return tracks;
}

std::int64_t part_inside_ns(const IntervalSet& set, Interval interval) {
  std::int64_t sum_ns = 0;
  auto part = std::ranges::partition_point(
      set, [&](const Interval& one) { return one.end_ns <= interval.start_ns; });
  for (; part != set.end() && part->start_ns < interval.end_ns; ++part) {
    sum_ns += std::min(part->end_ns, interval.end_ns) - std::max(part->start_ns, interval.start_ns);
  }
  return sum_ns;
}

void add_wait_slices(const Evidence& e, std::map<TrackId, CoreWaits>& threads) {
  const SliceColumns& slices = e.trace.slices();
  std::map<TrackId, std::vector<Interval>> intervals;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (slices.kinds[i] != SliceKind::kCondition) continue;
    const auto thread = threads.find(slices.tracks[i]);
    if (thread == threads.end()) continue;
    const Interval wait = e.trace.interval(SliceId(i));
    const std::int64_t part_ns = part_inside_ns(e.whole, wait);
    if (part_ns == 0) continue;
    ++thread->second.waits;
    intervals[slices.tracks[i]].push_back(wait);
    thread->second.by_runner_ns[runner_in(e.trace.strings()[slices.names[i]])] += part_ns;
  }
  for (auto& [track, list] : intervals) {
    threads[track].time = intersection_of(union_of(std::move(list)), e.whole);
  }
}

// The launching thread that waited longest; nothing if none has exact waits.
std::optional<CoreWaits> longest_core_waits(const Evidence& e) {
  std::map<TrackId, CoreWaits> threads = threads_with_waits(e.trace);
  if (threads.empty()) return {};
  const std::vector<const Track*> launching = launching_threads(e.trace);
  std::erase_if(threads, [&](const auto& entry) {
    return std::ranges::none_of(launching, [&](const Track* track) {
      return e.trace.strings()[track->process] == entry.second.process &&
             e.trace.strings()[track->thread] == entry.second.thread;
    });
  });
  add_wait_slices(e, threads);
  std::optional<CoreWaits> longest;
  for (auto& [track, waits] : threads) {
    if (!longest || total_ns(waits.time) > total_ns(longest->time)) longest = std::move(waits);
  }
  return longest;
}

// ", mostly while stress (88) ran"; "" if nobody knows.
std::string runner_text(const CoreWaits& waits) {
  std::string_view most;
  std::int64_t most_ns = 0;
  for (const auto& [runner, ns] : waits.by_runner_ns) {
    if (!runner.empty() && ns > most_ns) std::tie(most, most_ns) = std::pair(runner, ns);
  }
  if (most.empty()) return "";
  const std::string_view how = 2 * most_ns >= total_ns(waits.time) ? "mostly" : "most often";
  const bool is_own = most.ends_with(fmt::format("({})", waits.process));
  return fmt::format(", {} while {} ran", how,
                     is_own ? "other threads of the process" : std::string(most));
}

// The foreign process with the most use, of a device or of the cores; "" if none has a name.
struct ForeignProcess {
  std::string name;
  double percent = 0;
};
ForeignProcess largest_process(const Evidence& e, MetricRole role,
                               std::optional<std::int32_t> device) {
  ForeignProcess most;
  const auto whole_ns = static_cast<double>(std::max<std::int64_t>(1, total_ns(e.whole)));
  for (const SampledCounter& counter : sampled_counters(e.trace, role)) {
    if (counter.device != device || counter.key.empty() || device::is_recorder(counter.key)) {
      continue;
    }
    // Without a sample, it used nothing.
    const double percent = time_in(counter, e.whole).sum_ns / whole_ns;
    if (percent > most.percent) most = {counter.key, percent};
  }
  return most;
}

constexpr std::string_view kCoresAdvice =
    "give the process cores of its own (taskset, cpusets), or move the other work away";

// From the times of each wait.
std::optional<Finding> cores_taken_exactly(const Evidence& e, const CoreWaits& waits) {
  constexpr std::uint64_t kEnoughWaits = 10;
  const std::int64_t waited_ns = total_ns(waits.time);
  const double share = e.share_of_ns(waited_ns);
  if (waits.waits < kEnoughWaits || share < kLeastWait) return {};
  const std::int64_t cost = cost_ns(e, waits.time);
  Finding finding{
      "cores_taken", weight_of(e.share_of_ns(cost), 0.15), e.share_of_ns(cost),
      fmt::format("thread {}, which launches, waited for a core {} in {}{}", waits.thread,
                  part_text(e, waited_ns), counted(waits.waits, "wait"), runner_text(waits)),
      std::string(kCoresAdvice)};
  doubt_lost_time(e, "these waits", ratio_ns(cost, waited_ns), finding);
  return finding;
}

// From samples of how long each thread waited.
std::optional<Finding> cores_taken_by_samples(const Evidence& e) {
  const auto counters = sampled_counters(e.trace, MetricRole::kThreadRunQueue);
  if (counters.empty()) return {};
  const std::vector<const Track*> launching = launching_threads(e.trace);
  double most = 0;
  const Track* thread = nullptr;
  for (const SampledCounter& counter : counters) {
    const Track& track = e.trace.tracks()[counter.track.index()];
    if (std::ranges::find(launching, &track) == launching.end()) continue;
    const SampledTime time = time_in(counter, e.whole);
    if (!time.is_enough_for(total_ns(e.whole)) || time.mean() <= most) continue;
    most = time.mean();
    thread = &track;
  }
  const double share = most / 100;
  if (thread == nullptr || share < kLeastWait) return {};
  Finding finding{"cores_taken", weight_of(share, 0.15), share,
                  fmt::format("thread {}, which launches, waited for a core {} of {}",
                              e.trace.strings()[thread->thread], share_text(share), e.whole_text()),
                  std::string(kCoresAdvice)};
  const ForeignProcess other = largest_process(e, MetricRole::kOneForeignCpuUse, {});
  if (!other.name.empty()) {
    finding.headline += fmt::format(
        "; of the processes outside of the program, {} used most, {:.1f} "
        "cores",
        other.name, other.percent / 100);
  }
  doubt_lost_time(e, "the time", e.share_of_ns(e.idle_ns), finding);
  return finding;
}

}  // namespace

std::optional<Finding> cores_are_taken(const Evidence& e) {
  if (const std::optional<CoreWaits> waits = longest_core_waits(e)) {
    return cores_taken_exactly(e, *waits);
  }
  return e.trace.counters().size() == 0 ? std::nullopt : cores_taken_by_samples(e);
}

std::optional<Finding> quota_stops(const Evidence& e) {
  if (e.trace.counters().size() == 0) return {};
  double most_ms_per_s = 0;
  for (const SampledCounter& counter : sampled_counters(e.trace, MetricRole::kQuotaThrottled)) {
    const SampledTime time = time_in(counter, e.whole);
    if (time.is_enough_for(total_ns(e.whole))) most_ms_per_s = std::max(most_ms_per_s, time.mean());
  }
  const double share = most_ms_per_s / 1000;
  if (share < kLeastStop) return {};
  std::string quota;
  for (const SampledCounter& counter : sampled_counters(e.trace, MetricRole::kCpuQuota)) {
    const double cores = time_in(counter, e.whole).mean();
    if (cores > 0) quota = fmt::format(" of {:.1f} cores", cores);
  }
  Finding finding{"cpu_quota", weight_of(share, 0.1), std::min(1.0, share),
                  fmt::format("a CPU quota{} stopped the process for {} of {}, cores added up",
                              quota, share_text(share), e.whole_text()),
                  "raise the quota (cpu.max of the container or service), or use fewer threads"};
  doubt_lost_time(e, "the time", e.share_of_ns(e.idle_ns), finding);
  return finding;
}

namespace {

// When a device works, in steps or in the trace without them.
IntervalSet busy_time_of(const Evidence& e, std::int32_t device) {
  const SliceColumns& slices = e.trace.slices();
  std::vector<Interval> works;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (!is_device_work(slices.kinds[i])) continue;
    if (e.trace.tracks()[slices.tracks[i].index()].device != device) continue;
    works.push_back(e.trace.interval(SliceId(i)));
  }
  return intersection_of(union_of(std::move(works)), e.whole);
}

// The clock of a device while its limit held, and the highest that it had.
struct LimitedClock {
  double limited_mhz = 0;  // 0 if it was not sampled
  double highest_mhz = 0;
};

LimitedClock limited_clock(const Evidence& e, std::int32_t device, const IntervalSet& limited) {
  LimitedClock clock;
  for (const SampledCounter& counter : sampled_counters(e.trace, MetricRole::kCoreClock)) {
    if (counter.device != device) continue;
    clock.limited_mhz = time_in(counter, limited).mean();
    for (const SampledPiece& piece : counter.pieces) {
      clock.highest_mhz = std::max(clock.highest_mhz, piece.value);
    }
  }
  return clock;
}

constexpr std::uint64_t kLimits =
    device::kPowerReasons | device::kThermalReasons | device::kHardwareReason;

// One device whose clock was limited while it worked.
struct ClockLimitation {
  std::int32_t device = 0;
  std::uint64_t bits = 0;  // that hold for most of the limited time
  std::int64_t limited_ns = 0;
  std::int64_t busy_ns = 0;
  LimitedClock clock;

  double share() const { return ratio_ns(limited_ns, busy_ns); }
  bool is_slower() const {
    return clock.limited_mhz > 0 && clock.limited_mhz < kNearlyFull * clock.highest_mhz;
  }
};

std::optional<ClockLimitation> limitation_of(const Evidence& e, const SampledCounter& reasons) {
  ClockLimitation found;
  found.device = *reasons.device;
  const IntervalSet busy = busy_time_of(e, found.device);
  found.busy_ns = total_ns(busy);
  if (!time_in(reasons, busy).is_enough_for(found.busy_ns)) return {};
  const IntervalSet limited = intersection_of(time_with_bits(reasons, kLimits), busy);
  found.limited_ns = total_ns(limited);
  for (std::uint64_t bit = 1; bit <= kLimits; bit <<= 1) {
    if ((kLimits & bit) == 0) continue;
    const IntervalSet with = intersection_of(time_with_bits(reasons, bit), limited);
    if (2 * total_ns(with) > found.limited_ns) found.bits |= bit;
  }
  found.clock = limited_clock(e, found.device, limited);
  if (found.share() < kLeastLimited) return {};
  return found;
}

std::string limits_text(std::uint64_t bits) {
  return bits == 0 ? "power or heat" : device::clock_limits_text(bits);
}

std::string_view limits_advice(std::uint64_t bits) {
  if ((bits & device::kThermalReasons) != 0) {
    return "check the cooling: fans, filters, the temperature of the air and of the neighbours";
  }
  return "see whether the power limit was lowered; at the board's own limit, only less power per "
         "work helps: other data types, less idle spinning, fewer processes on the device";
}

}  // namespace

std::optional<Finding> clock_is_limited(const Evidence& e) {
  if (e.device_slices == 0 || e.trace.counters().size() == 0) return {};
  std::optional<ClockLimitation> most;
  for (const SampledCounter& reasons : sampled_counters(e.trace, MetricRole::kThrottleReasons)) {
    if (!reasons.device) continue;
    std::optional<ClockLimitation> found = limitation_of(e, reasons);
    if (found && (!most || found->share() > most->share())) most = found;
  }
  if (!most) return {};
  const auto& [limited_mhz, highest_mhz] = most->clock;
  const double lost = most->is_slower() ? most->share() * (1 - limited_mhz / highest_mhz) : 0;
  Finding finding{
      "clock_limited", most->is_slower() ? weight_of(lost, 0.1) : FindingWeight::kNote, lost,
      fmt::format("the clock of {} {} was limited ({}) for {} of the {} in which it worked",
                  e.device, most->device, limits_text(most->bits), share_text(most->share()),
                  duration_text(most->busy_ns)),
      std::string(limits_advice(most->bits))};
  if (limited_mhz > 0) {
    finding.headline += fmt::format(": {} MHz then, {} MHz at most", three_digits(limited_mhz),
                                    three_digits(highest_mhz));
  }
  if (limited_mhz > 0 && !most->is_slower()) {
    finding.against.emplace_back("the clock was hardly lower: the limit costs little");
  }
  return finding;
}

namespace {

// In a container the list of processes may show other numbers than those inside: then the program
// itself looks foreign.
bool list_misses_own_work(const Evidence& e, std::int32_t device) {
  constexpr double kMustShow = 0.2;
  constexpr double kNothingPercent = 1;
  const double busy = ratio_ns(total_ns(busy_time_of(e, device)), total_ns(e.whole));
  for (const SampledCounter& own : sampled_counters(e.trace, MetricRole::kProcessDeviceUse)) {
    if (own.device != device) continue;
    return busy >= kMustShow && time_in(own, e.whole).mean() < kNothingPercent;
  }
  return false;
}

struct SharedDevice {
  std::int32_t device = 0;
  double percent = 0;
};

std::optional<SharedDevice> most_shared_device(const Evidence& e) {
  std::optional<SharedDevice> most;
  for (const SampledCounter& others : sampled_counters(e.trace, MetricRole::kForeignDeviceUse)) {
    if (!others.device) continue;
    const SampledTime time = time_in(others, e.whole);
    if (!time.is_enough_for(total_ns(e.whole)) || time.mean() < kLeastForeignPercent) continue;
    if (most && most->percent >= time.mean()) continue;
    const bool is_used = !busy_time_of(e, *others.device).empty();
    if (!is_used || list_misses_own_work(e, *others.device)) continue;
    most = {*others.device, time.mean()};
  }
  return most;
}

}  // namespace

std::optional<Finding> device_is_shared(const Evidence& e) {
  constexpr std::int64_t kPromptNs = 20'000;  // from launch to start: nothing waited
  if (e.device_slices == 0 || e.trace.counters().size() == 0) return {};
  const std::optional<SharedDevice> shared = most_shared_device(e);
  if (!shared) return {};
  const double share = std::min(1.0, shared->percent / 100);
  const ForeignProcess largest =
      largest_process(e, MetricRole::kOneForeignDeviceUse, shared->device);
  Finding finding{"device_shared", weight_of(share, 0.2), share,
                  fmt::format("another process used {} {}: {} of it on average during {}", e.device,
                              shared->device, share_text(share), e.whole_text()),
                  "run it elsewhere, or at another time: it delays this program's work, and both "
                  "draw on one power limit"};
  if (!largest.name.empty()) {
    const bool is_most = 2 * largest.percent >= shared->percent;
    finding.headline +=
        fmt::format(", {} {}", is_most ? "most of it" : "the largest part", largest.name);
  }
  if (!e.launches.stream.empty() && e.launches.late_ns < kPromptNs) {
    finding.against.push_back(
        fmt::format("nine tenths of the work on stream {} start within {} of their launch: they "
                    "hardly wait for it",
                    e.launches.stream, duration_text(e.launches.late_ns)));
  }
  return finding;
}

}  // namespace strobe::analysis

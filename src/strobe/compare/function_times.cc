#include "strobe/compare/function_times.h"

#include <algorithm>
#include <utility>

#include "strobe/base/json_value.h"

namespace strobe::compare {
namespace {

// Sums of one function in one cycle, side by side in memory because they change together.
struct Sum {
  std::int64_t time_ns = 0;
  std::int64_t covered_ns = 0;
  std::uint32_t calls = 0;
};

// Most functions run on one track, and most traces are in order of time: then a union grows at its
// end. Those that do not are noticed, and gathered in a second look.
struct Frontier {
  std::int64_t start_ns = INT64_MIN;  // of the last slice
  std::int64_t end_ns = INT64_MIN;    // of the union so far
  bool is_ordered = true;

  // How far the union already reaches.
  std::int64_t pass(Interval interval) {
    is_ordered &= interval.start_ns >= start_ns;
    start_ns = interval.start_ns;
    return std::exchange(end_ns, std::max(end_ns, interval.end_ns));
  }
};

// The intervals of several groups, each group's track by track: a track is mostly in order of time,
// so that a group is a few sorted lists end to end, which union_of merges. Counted first, then
// filled.
class Gathering {
 public:
  Gathering(std::size_t groups, std::size_t tracks) : tracks_(tracks), ends_(groups * tracks + 1) {}

  void count(std::size_t group, TrackId track) { ++ends_[place(group, track) + 1]; }
  void allocate() {
    for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
    intervals_.resize(ends_.back());
  }
  void add(std::size_t group, TrackId track, Interval interval) {
    intervals_[ends_[place(group, track)]++] = interval;
  }
  // When all are added: where a list began is where the one before ends now.
  IntervalSet union_of_group(std::size_t group) const {
    const auto at = [&](std::size_t list) {
      return intervals_.begin() + static_cast<std::ptrdiff_t>(list == 0 ? 0 : ends_[list - 1]);
    };
    return union_of(std::vector<Interval>(at(group * tracks_), at((group + 1) * tracks_)));
  }

 private:
  std::size_t place(std::size_t group, TrackId track) const {
    return group * tracks_ + track.index();
  }

  std::size_t tracks_;
  std::vector<std::size_t> ends_;  // per group and track
  std::vector<Interval> intervals_;
};

class Addition {
 public:
  Addition(const Trace& trace, const FunctionIndex& index, const TimeParts& cycles)
      : trace_(trace),
        index_(index),
        cycles_(cycles),
        sums_(index.keys.size() * cycles.size()),
        frontiers_(index.keys.size()),
        device_frontiers_(index.devices.size()),
        works_(index.devices.size()) {
    for (DeviceWork& work : works_) work.slices.resize(cycles.size());
    for (const FunctionKey& key : index.keys) keeps_busy_.push_back(keeps_busy(key.kind));
  }

  FunctionTimes run() {
    add_all();
    gather_unordered();
    return {functions(), std::move(works_)};
  }

 private:
  void add_all() {
    const SliceColumns& slices = trace_.slices();
    std::vector<std::size_t> near(trace_.tracks().size());
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const std::uint32_t function = index_.of_slice[i];
      if (function == FunctionIndex::kNone) continue;
      const Interval interval = interval_of(i);
      std::size_t& cycle = near[slices.tracks[i].index()];
      cycle = cycles_.first_after(interval.start_ns, cycle);
      if (cycles_.contains(cycle, interval.start_ns)) {
        ++sum(function, cycle).calls;
        ++works_[index_.device_of[function]].slices[cycle];
      }
      const std::int64_t covered_until_ns = frontiers_[function].pass(interval);
      cycles_.for_each_piece(interval, cycle, [&](std::size_t part, Interval piece) {
        Sum& sum_here = sum(function, part);
        sum_here.time_ns += piece.length_ns();
        sum_here.covered_ns +=
            std::max<std::int64_t>(0, piece.end_ns - std::max(piece.start_ns, covered_until_ns));
      });
      if (keeps_busy_[function]) add_busy(index_.device_of[function], interval);
    }
  }

  void add_busy(std::uint32_t device, Interval interval) {
    const std::int64_t busy_until_ns = device_frontiers_[device].pass(interval);
    if (!device_frontiers_[device].is_ordered) return;
    IntervalSet& busy = works_[device].busy;
    if (interval.start_ns > busy_until_ns) {
      busy.push_back(interval);
    } else {
      busy.back().end_ns = std::max(busy_until_ns, interval.end_ns);
    }
  }

  // Groups: first the functions that are out of order, then the devices.
  void gather_unordered() {
    std::vector<std::uint32_t> functions;
    std::vector<std::uint32_t> group_of(frontiers_.size(), FunctionIndex::kNone);
    for (std::uint32_t function = 0; function < frontiers_.size(); ++function) {
      if (frontiers_[function].is_ordered) continue;
      group_of[function] = static_cast<std::uint32_t>(functions.size());
      functions.push_back(function);
    }
    std::vector<std::uint32_t> devices;
    std::vector<std::uint32_t> group_of_device(works_.size(), FunctionIndex::kNone);
    for (std::uint32_t device = 0; device < works_.size(); ++device) {
      if (device_frontiers_[device].is_ordered) continue;
      group_of_device[device] = static_cast<std::uint32_t>(functions.size() + devices.size());
      devices.push_back(device);
    }
    if (functions.empty() && devices.empty()) return;

    Gathering gathering(functions.size() + devices.size(), trace_.tracks().size());
    const auto for_each = [&](auto&& f) {
      for (std::size_t i = 0; i < index_.of_slice.size(); ++i) {
        const std::uint32_t function = index_.of_slice[i];
        if (function == FunctionIndex::kNone) continue;
        if (group_of[function] != FunctionIndex::kNone) f(group_of[function], i);
        const std::uint32_t device = group_of_device[index_.device_of[function]];
        if (device != FunctionIndex::kNone && keeps_busy_[function]) f(device, i);
      }
    };
    const auto& tracks = trace_.slices().tracks;
    for_each([&](std::uint32_t group, std::size_t i) { gathering.count(group, tracks[i]); });
    gathering.allocate();
    for_each([&](std::uint32_t group, std::size_t i) {
      gathering.add(group, tracks[i], interval_of(i));
    });

    for (std::size_t group = 0; group < functions.size(); ++group) {
      const auto covered_ns = cycles_.covered_ns(gathering.union_of_group(group));
      for (std::size_t cycle = 0; cycle < cycles_.size(); ++cycle) {
        sum(functions[group], cycle).covered_ns = covered_ns[cycle];
      }
    }
    for (std::size_t i = 0; i < devices.size(); ++i) {
      works_[devices[i]].busy = gathering.union_of_group(functions.size() + i);
    }
  }

  std::vector<FunctionCycles> functions() const {
    std::vector<FunctionCycles> functions(index_.keys.size());
    for (std::size_t i = 0; i < functions.size(); ++i) {
      functions[i].key = index_.keys[i];
      for (std::size_t cycle = 0; cycle < cycles_.size(); ++cycle) {
        const Sum& sum_here = sums_[i * cycles_.size() + cycle];
        functions[i].time_ns.push_back(sum_here.time_ns);
        functions[i].covered_ns.push_back(sum_here.covered_ns);
        functions[i].calls.push_back(sum_here.calls);
      }
    }
    return functions;
  }

  static bool keeps_busy(FunctionKind kind) {
    return is_on_device(kind) || kind == FunctionKind::kRuntimeCall;
  }
  Sum& sum(std::size_t function, std::size_t cycle) {
    return sums_[function * cycles_.size() + cycle];
  }
  Interval interval_of(std::size_t slice) const {
    const std::int64_t start_ns = trace_.slices().starts_ns[slice];
    return {start_ns, start_ns + trace_.slices().durations_ns[slice]};
  }

  const Trace& trace_;
  const FunctionIndex& index_;
  const TimeParts& cycles_;
  std::vector<Sum> sums_;  // per function and cycle
  std::vector<Frontier> frontiers_;
  std::vector<std::uint8_t> keeps_busy_;  // per function
  std::vector<Frontier> device_frontiers_;
  std::vector<DeviceWork> works_;
};

// Arguments lie compressed, so that only copies are asked for theirs.
void add_copied_bytes(const Trace& trace, const FunctionIndex& index, const TimeParts& cycles,
                      std::vector<FunctionCycles>& functions) {
  const SliceColumns& slices = trace.slices();
  ArgsReader args(trace.args());
  std::size_t cycle = 0;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (slices.kinds[i] != SliceKind::kMemcpy) continue;
    const std::uint32_t function = index.of_slice[i];
    if (function == FunctionIndex::kNone) continue;
    cycle = cycles.first_after(slices.starts_ns[i], cycle);
    if (!cycles.contains(cycle, slices.starts_ns[i])) continue;
    const auto bytes = find(args.text(slices.args[i]), "bytes").unquoted().as_int64();
    if (!bytes) continue;
    auto& copied_bytes = functions[function].copied_bytes;
    copied_bytes.resize(cycles.size());
    copied_bytes[cycle] += *bytes;
  }
}

}  // namespace

FunctionTimes add_up_functions(const Trace& trace, const FunctionIndex& index,
                               const TimeParts& cycles) {
  FunctionTimes times = Addition(trace, index, cycles).run();
  add_copied_bytes(trace, index, cycles, times.functions);
  return times;
}

}  // namespace strobe::compare

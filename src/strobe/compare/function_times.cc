#include "strobe/compare/function_times.h"

#include <algorithm>

#include "strobe/base/json_value.h"

namespace strobe::compare {
namespace {

// Sums of one function in one cycle, side by side in memory because they change together.
struct Sum {
  std::int64_t time_ns = 0;
  std::int64_t covered_ns = 0;
  std::uint32_t calls = 0;
};

// Most functions run on one track and their slices come in order of time, so that their union grows
// at its end. The others are noticed, and gathered in a second look.
struct Frontier {
  std::int64_t start_ns = INT64_MIN;  // of the last slice
  std::int64_t end_ns = INT64_MIN;    // of the union so far
  bool is_ordered = true;
};

// Intervals of several groups, kept track by track: a track is mostly in order of time, so that the
// union of a group is the merging of a few sorted lists.
class Gathering {
 public:
  Gathering(std::size_t groups, std::size_t tracks) : tracks_(tracks), lists_(groups * tracks) {}

  void add(std::size_t group, TrackId track, Interval interval) {
    lists_[group * tracks_ + track.index()].push_back(interval);
  }
  IntervalSet take_union(std::size_t group) {
    std::vector<Interval> all;
    for (std::size_t track = 0; track < tracks_; ++track) {
      auto& list = lists_[group * tracks_ + track];
      if (all.empty()) {
        all = std::move(list);
      } else {
        all.insert(all.end(), list.begin(), list.end());
      }
      list = {};
    }
    return union_of(std::move(all));
  }

 private:
  std::size_t tracks_;
  std::vector<std::vector<Interval>> lists_;
};

class Addition {
 public:
  Addition(const Trace& trace, const FunctionIndex& index, const TimeParts& cycles)
      : trace_(trace),
        index_(index),
        cycles_(cycles),
        sums_(index.keys.size() * cycles.size()),
        frontiers_(index.keys.size()),
        works_(index.devices.size()) {
    for (DeviceWork& work : works_) work.slices.resize(cycles.size());
  }

  FunctionTimes run() {
    add_all();
    cover_unordered();
    return {functions(), std::move(works_)};
  }

 private:
  void add_all() {
    const SliceColumns& slices = trace_.slices();
    Gathering busy(index_.devices.size(), trace_.tracks().size());
    std::vector<std::size_t> near(trace_.tracks().size());
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const std::uint32_t function = index_.of_slice[i];
      if (function == FunctionIndex::kNone) continue;
      const TrackId track = slices.tracks[i];
      const Interval interval{slices.starts_ns[i], slices.starts_ns[i] + slices.durations_ns[i]};
      std::size_t& cycle = near[track.index()];
      cycle = cycles_.first_after(interval.start_ns, cycle);
      if (cycles_.contains(cycle, interval.start_ns)) {
        ++sum(function, cycle).calls;
        ++works_[index_.device_of[function]].slices[cycle];
      }
      add(function, interval, cycle);
      if (keeps_busy(slices.kinds[i])) {
        busy.add(index_.device_of[function], track, interval);
      }
    }
    for (std::size_t device = 0; device < works_.size(); ++device) {
      works_[device].busy = busy.take_union(device);
    }
  }

  void add(std::uint32_t function, Interval interval, std::size_t cycle) {
    Frontier& frontier = frontiers_[function];
    frontier.is_ordered &= interval.start_ns >= frontier.start_ns;
    frontier.start_ns = interval.start_ns;
    cycles_.for_each_piece(interval, cycle, [&](std::size_t part, Interval piece) {
      Sum& sum_here = sum(function, part);
      sum_here.time_ns += piece.length_ns();
      sum_here.covered_ns +=
          std::max<std::int64_t>(0, piece.end_ns - std::max(piece.start_ns, frontier.end_ns));
    });
    frontier.end_ns = std::max(frontier.end_ns, interval.end_ns);
  }

  void cover_unordered() {
    std::vector<std::uint32_t> unordered;
    std::vector<std::uint32_t> group_of(frontiers_.size(), FunctionIndex::kNone);
    for (std::uint32_t function = 0; function < frontiers_.size(); ++function) {
      if (frontiers_[function].is_ordered) continue;
      group_of[function] = static_cast<std::uint32_t>(unordered.size());
      unordered.push_back(function);
    }
    if (unordered.empty()) return;
    const SliceColumns& slices = trace_.slices();
    Gathering gathering(unordered.size(), trace_.tracks().size());
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const std::uint32_t function = index_.of_slice[i];
      if (function == FunctionIndex::kNone || group_of[function] == FunctionIndex::kNone) continue;
      gathering.add(group_of[function], slices.tracks[i],
                    {slices.starts_ns[i], slices.starts_ns[i] + slices.durations_ns[i]});
    }
    for (std::size_t group = 0; group < unordered.size(); ++group) {
      const auto covered_ns = cycles_.covered_ns(gathering.take_union(group));
      for (std::size_t cycle = 0; cycle < cycles_.size(); ++cycle) {
        sum(unordered[group], cycle).covered_ns = covered_ns[cycle];
      }
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

  // Annotations and phases span what their authors liked; they say nothing about being busy.
  static bool keeps_busy(SliceKind kind) {
    return is_device_work(kind) || kind == SliceKind::kRuntimeCall ||
           kind == SliceKind::kOperator || kind == SliceKind::kPythonOp ||
           kind == SliceKind::kDataLoader;
  }
  Sum& sum(std::size_t function, std::size_t cycle) {
    return sums_[function * cycles_.size() + cycle];
  }

  const Trace& trace_;
  const FunctionIndex& index_;
  const TimeParts& cycles_;
  std::vector<Sum> sums_;  // per function and cycle
  std::vector<Frontier> frontiers_;
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

double blocks_of(std::string_view args) {
  double blocks = 1;
  const JsonValue grid = find(args, "grid");
  if (grid.type != JsonType::kArray) return 0;
  for_each_element(grid.text, [&](JsonValue side) { blocks *= side.as_double().value_or(0); });
  return blocks;
}

// One cycle in the middle speaks for all, because every launch asked costs a look into its
// arguments.
void add_launch_sizes(const Trace& trace, const FunctionIndex& index, const TimeParts& cycles,
                      std::vector<FunctionCycles>& functions) {
  const SliceColumns& slices = trace.slices();
  ArgsReader args(trace.args());
  std::vector<std::uint32_t> launches(functions.size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::uint32_t function = index.of_slice[i];
    if (slices.kinds[i] != SliceKind::kKernel || function == FunctionIndex::kNone) continue;
    if (!cycles.contains(cycles.size() / 2, slices.starts_ns[i])) continue;
    const double blocks = blocks_of(args.text(slices.args[i]));
    if (blocks == 0) continue;
    functions[function].blocks += blocks;
    ++launches[function];
  }
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (launches[i] > 0) functions[i].blocks /= launches[i];
  }
}

}  // namespace

FunctionTimes add_up_functions(const Trace& trace, const FunctionIndex& index,
                               const TimeParts& cycles) {
  FunctionTimes times = Addition(trace, index, cycles).run();
  add_copied_bytes(trace, index, cycles, times.functions);
  add_launch_sizes(trace, index, cycles, times.functions);
  return times;
}

}  // namespace strobe::compare

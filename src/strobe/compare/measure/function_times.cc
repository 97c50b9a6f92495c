#include "strobe/compare/measure/function_times.h"

#include <algorithm>
#include <utility>

#include "strobe/base/json_value.h"

namespace strobe::compare {
namespace {

// Sums of one function in one cycle, together in memory because they change together.
struct Sum {
  std::int64_t time_ns = 0;
  std::int64_t covered_ns = 0;
  std::uint32_t calls = 0;
};

// Most functions run on one track, and most traces are in order of time: then a union only grows at
// its end. Other functions are detected, and their slices visited again in order of time.
struct Frontier {
  std::int64_t start_ns = INT64_MIN;  // of the last slice
  std::int64_t end_ns = INT64_MIN;    // of the union so far
  bool is_ordered = true;

  // Returns the previous end of the union.
  std::int64_t pass(Interval interval) {
    is_ordered &= interval.start_ns >= start_ns;
    start_ns = interval.start_ns;
    return std::exchange(end_ns, std::max(end_ns, interval.end_ns));
  }
};

// Slices in order of time. A track is mostly in order by itself, so its slices are only listed, and
// the tracks are merged while they are read: 4 bytes per slice.
class TimeOrder {
 public:
  explicit TimeOrder(const Trace& trace)
      : starts_ns_(trace.slices().starts_ns), lists_(trace.tracks().size()) {}

  void add(TrackId track, std::size_t slice) {
    lists_[track.index()].push_back(static_cast<std::uint32_t>(slice));
  }

  // f(slice)
  template <class Function>
  void visit(Function&& f) {
    const auto starts_earlier = [&](std::uint32_t a, std::uint32_t b) {
      return starts_ns_[a] < starts_ns_[b];
    };
    std::vector<Head> heads;  // a heap, the earliest on top
    for (auto& list : lists_) {
      if (list.empty()) continue;
      if (!std::is_sorted(list.begin(), list.end(), starts_earlier)) {
        std::stable_sort(list.begin(), list.end(), starts_earlier);
      }
      heads.push_back({starts_ns_[list.front()], list.data(), list.data() + list.size()});
    }
    std::make_heap(heads.begin(), heads.end());
    while (!heads.empty()) {
      std::pop_heap(heads.begin(), heads.end());
      Head head = heads.back();
      heads.pop_back();
      // While no other track is earlier, the heap does not change.
      const std::int64_t until_ns = heads.empty() ? INT64_MAX : heads.front().start_ns;
      do {
        f(*head.next);
        if (++head.next != head.end) head.start_ns = starts_ns_[*head.next];
      } while (head.next != head.end && head.start_ns <= until_ns);
      if (head.next == head.end) continue;
      heads.push_back(head);
      std::push_heap(heads.begin(), heads.end());
    }
  }

 private:
  struct Head {
    std::int64_t start_ns;
    const std::uint32_t* next;
    const std::uint32_t* end;
    bool operator<(const Head& other) const { return start_ns > other.start_ns; }
  };

  const Column<std::int64_t>& starts_ns_;
  std::vector<std::vector<std::uint32_t>> lists_;  // per track
};

class Addition {
 public:
  Addition(const Trace& trace, const FunctionIndex& index, const CycleTimes& times)
      : trace_(trace),
        index_(index),
        cycles_(times.cycles),
        host_marks_(times.host_marks),
        sums_(index.keys.size() * cycles_.size()),
        frontiers_(index.keys.size()),
        device_frontiers_(index.devices.size()),
        works_(index.devices.size()) {
    for (DeviceWork& work : works_) work.slices.resize(cycles_.size());
  }

  FunctionTimes run() {
    add_all();
    cover_unordered();
    return {functions(), std::move(works_)};
  }

 private:
  void add_all() {
    const SliceColumns& slices = trace_.slices();
    std::vector<std::size_t> near(trace_.tracks().size());
    std::vector<std::size_t> near_mark(trace_.tracks().size());
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const std::uint32_t function = index_.of_slice[i];
      if (function == FunctionIndex::kNone) continue;
      const Interval interval = interval_of(i);
      std::size_t& cycle = near[slices.tracks[i].index()];
      cycle = cycles_.first_after(interval.start_ns, cycle);
      const bool is_inside = cycles_.contains(cycle, interval.start_ns);
      if (is_inside) ++works_[index_.device_of[function]].slices[cycle];
      if (index_.device_of[function] == kHostFirst) {
        count_between_marks(function, interval.start_ns, near_mark[slices.tracks[i].index()]);
      } else if (is_inside) {
        ++sum(function, cycle).calls;
      }
      cycles_.for_each_piece(interval, cycle, [&](std::size_t part, Interval piece) {
        sum(function, part).time_ns += piece.length_ns();
      });
      cover(function, interval, cycle);
      if (keeps_busy(slices.kinds[i])) add_busy(index_.device_of[function], interval);
    }
  }

  void count_between_marks(std::uint32_t function, std::int64_t start_ns, std::size_t& near) {
    near = host_marks_.first_after(start_ns, near);
    if (host_marks_.contains(near, start_ns)) ++sum(function, near).calls;
  }

  void cover(std::uint32_t function, Interval interval, std::size_t cycle) {
    const std::int64_t covered_until_ns = frontiers_[function].pass(interval);
    interval.start_ns = std::max(interval.start_ns, covered_until_ns);
    cycles_.for_each_piece(interval, cycle, [&](std::size_t part, Interval piece) {
      sum(function, part).covered_ns += piece.length_ns();
    });
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

  void cover_unordered() {
    const SliceColumns& slices = trace_.slices();
    std::vector<std::uint8_t> covers(index_.keys.size());  // per function: must be done again
    std::vector<std::uint8_t> occupies(index_.keys.size());
    for (std::size_t function = 0; function < covers.size(); ++function) {
      covers[function] = !frontiers_[function].is_ordered;
      occupies[function] = !device_frontiers_[index_.device_of[function]].is_ordered;
    }
    TimeOrder order(trace_);
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const std::uint32_t function = index_.of_slice[i];
      if (function == FunctionIndex::kNone) continue;
      if (covers[function] || (occupies[function] && keeps_busy(slices.kinds[i]))) {
        order.add(slices.tracks[i], i);
      }
    }
    for (std::size_t function = 0; function < covers.size(); ++function) {
      if (!covers[function]) continue;
      frontiers_[function] = {};
      for (std::size_t cycle = 0; cycle < cycles_.size(); ++cycle) {
        sum(function, cycle).covered_ns = 0;
      }
    }
    for (std::size_t device = 0; device < works_.size(); ++device) {
      if (device_frontiers_[device].is_ordered) continue;
      device_frontiers_[device] = {};
      works_[device].busy.clear();
    }
    std::size_t cycle = 0;
    order.visit([&](std::size_t slice) {
      const std::uint32_t function = index_.of_slice[slice];
      const Interval interval = interval_of(slice);
      cycle = cycles_.first_after(interval.start_ns, cycle);
      if (covers[function]) cover(function, interval, cycle);
      if (occupies[function] && keeps_busy(slices.kinds[slice])) {
        add_busy(index_.device_of[function], interval);
      }
    });
  }

  std::vector<FunctionCycles> functions() const {
    std::vector<FunctionCycles> functions(index_.keys.size());
    for (std::size_t i = 0; i < functions.size(); ++i) {
      functions[i].key = index_.keys[i];
      functions[i].is_operator = index_.is_operator[i];
      for (std::size_t cycle = 0; cycle < cycles_.size(); ++cycle) {
        const Sum& sum_here = sums_[i * cycles_.size() + cycle];
        functions[i].time_ns.push_back(sum_here.time_ns);
        functions[i].covered_ns.push_back(sum_here.covered_ns);
        functions[i].calls.push_back(sum_here.calls);
      }
    }
    return functions;
  }

  // Annotations and phases may span anything; they do not show that the host is busy.
  static bool keeps_busy(SliceKind kind) {
    return is_device_work(kind) || kind == SliceKind::kRuntimeCall ||
           kind == SliceKind::kOperator || kind == SliceKind::kPythonOp ||
           kind == SliceKind::kDataLoader;
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
  static constexpr std::uint32_t kHostFirst = 0;  // of the index's devices

  const TimeParts& cycles_;
  const TimeParts& host_marks_;
  std::vector<Sum> sums_;  // per function and cycle
  std::vector<Frontier> frontiers_;
  std::vector<Frontier> device_frontiers_;
  std::vector<DeviceWork> works_;
};

// Arguments are stored compressed, so only those of copies are read.
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

// One cycle in the middle represents all, because reading the arguments of each launch is
// expensive.
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
                               const CycleTimes& times) {
  FunctionTimes result = Addition(trace, index, times).run();
  add_copied_bytes(trace, index, times.cycles, result.functions);
  add_launch_sizes(trace, index, times.cycles, result.functions);
  return result;
}

}  // namespace strobe::compare

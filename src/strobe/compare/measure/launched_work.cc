#include "strobe/compare/measure/launched_work.h"

#include <algorithm>
#include <cstddef>

namespace strobe::compare {
namespace {

using analysis::AttributedTrace;

class LaunchedAddition {
 public:
  LaunchedAddition(const AttributedTrace& input, const FunctionIndex& index,
                   const TimeParts& cycles)
      : input_(input),
        index_(index),
        cycles_(cycles),
        known_functions_(index.keys.size()),
        known_devices_(index.devices.size()),
        ends_ns_(index.devices.size(), std::vector<std::int64_t>(cycles.size(), INT64_MIN)) {
    sums_.functions.resize(index.keys.size());
    for (std::size_t i = 0; i < index.keys.size(); ++i) {
      if (!is_on_device(index.keys[i].kind)) continue;
      sums_.functions[i].calls.resize(cycles.size());
      sums_.functions[i].time_ns.resize(cycles.size());
    }
    sums_.devices.resize(index.devices.size());
    for (LaunchedWork& device : sums_.devices) device.busy_ns.resize(cycles.size());
  }

  LaunchedWorks run() {
    const auto& works = input_.attribution.works;
    for (const std::uint32_t work : works.time_order) {
      const std::uint32_t function = index_.of_slice[works.slices[work].index()];
      if (function != FunctionIndex::kNone) add(work, function);
    }
    forget_unknown();
    return std::move(sums_);
  }

 private:
  void add(std::uint32_t work, std::uint32_t function) {
    const std::uint32_t device = index_.device_of[function];
    const analysis::CallId call = input_.attribution.works.calls[work];
    known_functions_[function].count(call.valid());
    known_devices_[device].count(call.valid());
    if (!call.valid()) return;
    const std::int64_t launch_ns =
        input_.trace.start_ns(input_.attribution.calls.slices[call.index()]);
    near_ = cycles_.first_after(launch_ns, near_);
    if (!cycles_.contains(near_, launch_ns)) return;
    add_to_cycle(input_.attribution.works.slices[work], function, device);
  }

  // Works come in order of their start, so the union of a cycle's works only grows at its end.
  void add_to_cycle(SliceId slice, std::uint32_t function, std::uint32_t device) {
    const std::int64_t start_ns = input_.trace.start_ns(slice);
    const std::int64_t length_ns = input_.trace.slices().durations_ns[slice.index()];
    const std::int64_t end_ns = start_ns + length_ns;
    ++sums_.functions[function].calls[near_];
    sums_.functions[function].time_ns[near_] += length_ns;
    std::int64_t& union_end_ns = ends_ns_[device][near_];
    LaunchedWork& work = sums_.devices[device];
    work.busy_ns[near_] += std::max<std::int64_t>(0, end_ns - std::max(start_ns, union_end_ns));
    union_end_ns = std::max(union_end_ns, end_ns);
    const std::int64_t cycles_end_ns = cycles_[cycles_.size() - 1].end_ns;
    work.overhang_ns = std::max(work.overhang_ns, end_ns - cycles_end_ns);
  }

  void forget_unknown() {
    for (std::size_t i = 0; i < known_functions_.size(); ++i) {
      if (!known_functions_[i].are_enough()) sums_.functions[i] = {};
    }
    for (std::size_t i = 0; i < known_devices_.size(); ++i) {
      if (!known_devices_[i].are_enough()) sums_.devices[i] = {};
    }
  }

  const AttributedTrace& input_;
  const FunctionIndex& index_;
  const TimeParts& cycles_;
  LaunchedWorks sums_;
  std::vector<KnownLaunches> known_functions_;
  std::vector<KnownLaunches> known_devices_;
  std::vector<std::vector<std::int64_t>> ends_ns_;  // per device and cycle, of the union so far
  std::size_t near_ = 0;
};

}  // namespace

LaunchedWorks add_up_launched_work(const AttributedTrace& input, const FunctionIndex& index,
                                   const TimeParts& cycles) {
  return LaunchedAddition(input, index, cycles).run();
}

}  // namespace strobe::compare

#include "strobe/analysis/waits/runtime_calls.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "strobe/analysis/waits/interval_parts.h"
#include "strobe/analysis/waits/thread_activity.h"
#include "strobe/base/row_index.h"

namespace strobe::analysis {
namespace {

struct CallSum {
  StringId name;
  TimeStat host;
  std::vector<std::int64_t> durations_ns;
  std::int64_t in_steps_ns = 0;
  std::int64_t device_idle_ns = 0;
  std::uint32_t longest = 0;  // a call
  std::uint32_t longest_thread = OpTree::kNoThread;
  std::uint32_t thread = OpTree::kNoThread;  // that `uncovered` is about
  UncoveredPart uncovered;
};

// Adds the calls thread by thread, each thread by start.
class CallSums {
 public:
  CallSums(const AttributedTrace& input, const IntervalSet& span, const IntervalSet& steps,
           const IntervalSet& idle)
      : input_(input), span_(span), steps_(steps), idle_(idle), rows_(input.trace.strings()) {}

  void add(std::uint32_t call, std::uint32_t thread) {
    const SliceId slice = input_.attribution.calls.slices[call];
    const Interval interval = input_.trace.interval(slice);
    const std::int64_t inside_ns = span_.overlap_ns(interval);
    if (inside_ns == 0 && !span_.meets(interval)) return;
    CallSum& sum = sum_of(input_.trace.slices().names[slice.index()]);
    if (sum.thread != thread) {
      sum.thread = thread;
      sum.uncovered = {};
    }
    add_time(inside_ns, call, thread, sum);
    const Interval part = sum.uncovered.of(interval);
    sum.host.total_ns += part == interval ? inside_ns : span_.overlap_ns(part);
    sum.in_steps_ns += steps_.overlap_ns(part);
    sum.device_idle_ns += idle_.overlap_ns(part);
  }
  std::vector<CallSum> take() { return std::move(sums_); }

 private:
  CallSum& sum_of(StringId name) {
    const std::size_t row = rows_.row_of(name);
    if (row == sums_.size()) {
      sums_.emplace_back();
      sums_.back().name = name;
    }
    return sums_[row];
  }
  static void add_time(std::int64_t duration_ns, std::uint32_t call, std::uint32_t thread,
                       CallSum& sum) {
    if (sum.host.calls == 0 || duration_ns > sum.host.max_ns) {
      sum.longest = call;
      sum.longest_thread = thread;
    }
    ++sum.host.calls;
    sum.durations_ns.push_back(duration_ns);
    sum.host.max_ns = std::max(sum.host.max_ns, duration_ns);
    sum.host.min_ns = std::min(sum.host.min_ns, duration_ns);
  }

  const AttributedTrace& input_;
  OverlapCursor span_;
  OverlapCursor steps_;
  OverlapCursor idle_;
  NameRows rows_;
  std::vector<CallSum> sums_;
};

std::int64_t median_of_calls_ns(std::vector<std::int64_t>& durations_ns) {
  const auto middle = durations_ns.begin() + static_cast<std::ptrdiff_t>(durations_ns.size() / 2);
  std::nth_element(durations_ns.begin(), middle, durations_ns.end());
  if (durations_ns.size() % 2 != 0) return *middle;
  return std::midpoint(*std::max_element(durations_ns.begin(), middle), *middle);
}

RuntimeCallRow row_of_calls(const AttributedTrace& input, CallSum& sum) {
  const auto& calls = input.attribution.calls;
  RuntimeCallRow row;
  row.name = std::string(input.trace.strings()[sum.name]);
  row.purpose = device::runtime_call(row.name);
  row.host = sum.host;
  row.median_ns = median_of_calls_ns(sum.durations_ns);
  row.in_steps_ns = sum.in_steps_ns;
  row.device_idle_ns = sum.device_idle_ns;
  row.longest = input.trace.interval(calls.slices[sum.longest]);
  const NodeId around = operator_or_range(input.tree, calls.owners[sum.longest]);
  if (around.valid()) row.longest_inside = std::string(input.trace.strings()[input.name(around)]);
  return row;
}

}  // namespace

CallTable add_up_calls(const AttributedTrace& input, const IntervalSet& span,
                       const IntervalSet& steps, const IntervalSet& idle) {
  const auto& begins = input.attribution.calls.thread_begins;
  CallSums sums(input, span, steps, idle);
  for (std::uint32_t thread = 0; thread + 1 < begins.size(); ++thread) {
    for (std::size_t call = begins[thread]; call < begins[thread + 1]; ++call) {
      sums.add(static_cast<std::uint32_t>(call), thread);
    }
  }
  std::vector<CallSum> sorted = sums.take();
  const auto& strings = input.trace.strings();
  std::sort(sorted.begin(), sorted.end(), [&](const CallSum& a, const CallSum& b) {
    return std::tuple(-a.host.total_ns, strings[a.name]) <
           std::tuple(-b.host.total_ns, strings[b.name]);
  });
  CallTable table;
  for (CallSum& sum : sorted) {
    table.rows.push_back(row_of_calls(input, sum));
    table.threads.push_back(sum.longest_thread);
  }
  return table;
}

}  // namespace strobe::analysis

#include "strobe/analysis/waits/idle_gaps.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>

namespace strobe::analysis {
namespace {

std::uint32_t thread_of(const AttributedTrace& input, SliceId slice) {
  return input.tree.threads_of_tracks[input.trace.slices().tracks[slice.index()].index()];
}

struct ThreadCounts {
  std::uint64_t launches = 0;
  std::uint64_t steps = 0;
  std::uint64_t ranges = 0;
  bool has_process_number = false;  // as its own: the first thread of a process
};

std::vector<ThreadCounts> count_threads(const AttributedTrace& input) {
  const OpTree& tree = input.tree;
  const auto& works = input.attribution.works;
  std::vector<ThreadCounts> counts(tree.threads.size());
  for (std::size_t t = 0; t < counts.size(); ++t) {
    const HostThread& thread = tree.threads[t];
    if (thread.is_async) continue;
    counts[t].has_process_number = thread.process == thread.thread;
    counts[t].ranges = thread.end.value - thread.root.value - 1;
    const auto begin = tree.roles.begin() + static_cast<std::ptrdiff_t>(thread.root.index());
    const auto end = tree.roles.begin() + static_cast<std::ptrdiff_t>(thread.end.index());
    counts[t].steps = static_cast<std::uint64_t>(std::count(begin, end, SliceKind::kStep));
  }
  for (std::uint32_t work = 0; work < works.size(); ++work) {
    const SliceId launch = input.launch_of(work);
    if (launch.valid()) ++counts[thread_of(input, launch)].launches;
  }
  return counts;
}

// The position of the largest, the first of equal ones; kNoThread if `first` == `last`.
template <class Key>
std::uint32_t largest(std::size_t first, std::size_t last, Key key_of) {
  std::uint32_t best = OpTree::kNoThread;
  for (std::size_t i = first; i < last; ++i) {
    if (best == OpTree::kNoThread || key_of(i) > key_of(best)) best = static_cast<std::uint32_t>(i);
  }
  return best;
}

}  // namespace

LaunchEnd find_launch_end(const AttributedTrace& input, std::uint32_t work) {
  const SliceId launch = input.launch_of(work);
  if (!launch.valid()) return {};
  return {thread_of(input, launch), input.trace.end_ns(launch),
          input.attribution.works.calls[work].valid()};
}

LaunchEnd find_launch_end(const AttributedTrace& input, const IdleGaps& gaps, std::size_t gap) {
  const std::uint32_t work = gaps.next_works[gap];
  return work == IdleGaps::kNoWork ? LaunchEnd() : find_launch_end(input, work);
}

IdleGaps find_idle_gaps(const AttributedTrace& input, Interval hull) {
  const auto& works = input.attribution.works;
  IdleGaps gaps;
  if (works.size() == 0) return gaps;
  gaps.intervals.reserve(works.size() + 1);  // untouched memory costs nothing
  gaps.next_works.reserve(works.size() + 1);
  const auto add = [&](Interval gap, std::uint32_t next_work) {
    gaps.intervals.push_back(gap);
    gaps.next_works.push_back(next_work);
  };
  std::int64_t busy_until_ns = std::numeric_limits<std::int64_t>::min();
  for (const std::uint32_t work : works.time_order) {
    const Interval interval = input.trace.interval(works.slices[work]);
    if (interval.start_ns > busy_until_ns) {
      const bool is_first = busy_until_ns == std::numeric_limits<std::int64_t>::min();
      const std::int64_t start_ns = is_first ? hull.start_ns : busy_until_ns;
      if (start_ns >= hull.end_ns) return gaps;
      if (interval.start_ns > std::max(start_ns, hull.start_ns)) {
        add({start_ns, interval.start_ns}, work);
      }
    } else if (gaps.size() > 0 && gaps.intervals.back().end_ns == interval.start_ns &&
               !works.calls[gaps.next_works.back()].valid()) {
      gaps.next_works.back() = work;
    }
    busy_until_ns = std::max(busy_until_ns, interval.end_ns);
  }
  const std::int64_t rest_ns = std::max(busy_until_ns, hull.start_ns);
  if (rest_ns < hull.end_ns) add({rest_ns, hull.end_ns}, IdleGaps::kNoWork);
  return gaps;
}

LaunchingThreads find_launching_threads(const AttributedTrace& input) {
  const auto& threads = input.tree.threads;
  const std::vector<ThreadCounts> counts = count_threads(input);
  LaunchingThreads result;
  result.busiest = largest(0, threads.size(), [&](std::size_t t) {
    return std::tuple(counts[t].launches, counts[t].steps, counts[t].ranges);
  });
  result.script_threads.resize(threads.size(), OpTree::kNoThread);
  for (std::size_t begin = 0; begin < threads.size();) {
    std::size_t end = begin;
    while (end < threads.size() && threads[end].process == threads[begin].process) ++end;
    const std::uint32_t script = largest(begin, end, [&](std::size_t t) {
      return std::tuple(counts[t].steps, counts[t].has_process_number, counts[t].launches,
                        counts[t].ranges);
    });
    for (; begin < end; ++begin) result.script_threads[begin] = script;
  }
  result.watched.resize(threads.size());
  for (std::size_t t = 0; t < threads.size(); ++t) {
    if (counts[t].launches == 0 && t != result.busiest) continue;
    result.watched[t] = 1;
    result.watched[result.script_threads[t]] = 1;
  }
  return result;
}

}  // namespace strobe::analysis

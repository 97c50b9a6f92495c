#include "strobe/analysis/steps/step_launches.h"

#include <algorithm>

#include "strobe/analysis/tables/natural_sort.h"

namespace strobe::analysis {
namespace {

struct Launch {
  std::int64_t time_ns;
  StepLaunches sum;  // of this launch; later, of all up to this one
};

void add_work(const AttributedTrace& input, std::size_t work, StepLaunches& sum) {
  const SliceId slice = input.attribution.works.slices[work];
  const std::int64_t duration_ns = input.trace.duration_ns(slice);
  sum.device_ns += duration_ns;
  if (input.trace.kind(slice) == SliceKind::kKernel) sum.kernel_ns += duration_ns;
}

// The launches of one process by time, with running sums.
std::vector<Launch> launches_of(const AttributedTrace& input, StringId process) {
  const auto& calls = input.attribution.calls;
  const auto& works = input.attribution.works;
  std::vector<Launch> launches(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    launches[i].time_ns = input.trace.start_ns(calls.slices[i]);
  }
  for (std::size_t work = 0; work < works.size(); ++work) {
    const NodeId owner = works.owners[work];
    if (!owner.valid()) continue;
    if (works.calls[work].valid()) {
      add_work(input, work, launches[works.calls[work].index()].sum);
    } else if (!input.tree.is_thread(owner)) {
      // The call is not known but its operator is: then that is when it was launched.
      const SliceId slice = input.tree.slices[owner.index()];
      if (input.trace.track(slice).process != process) continue;
      launches.push_back({input.trace.start_ns(slice), {}});
      add_work(input, work, launches.back().sum);
    }
  }
  for (std::size_t i = 0; i < input.tree.threads.size(); ++i) {
    if (input.tree.threads[i].process == process) continue;
    for (std::size_t j = calls.thread_begins[i]; j < calls.thread_begins[i + 1]; ++j) {
      launches[j].sum = {};
    }
  }
  natural_sort(launches, [](const Launch& a, const Launch& b) { return a.time_ns < b.time_ns; });
  StepLaunches running;
  for (Launch& launch : launches) {
    running.kernel_ns += launch.sum.kernel_ns;
    running.device_ns += launch.sum.device_ns;
    launch.sum = running;
  }
  return launches;
}

StepLaunches sum_before(const std::vector<Launch>& launches, std::int64_t time_ns) {
  const auto end = std::lower_bound(
      launches.begin(), launches.end(), time_ns,
      [](const Launch& launch, std::int64_t limit_ns) { return launch.time_ns < limit_ns; });
  return end == launches.begin() ? StepLaunches{} : (end - 1)->sum;
}

}  // namespace

std::vector<StepLaunches> add_up_step_launches(const AttributedTrace& input,
                                               const std::vector<Step>& steps,
                                               bool cover_all_threads) {
  std::vector<StepLaunches> sums(steps.size());
  if (!cover_all_threads) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (const SliceId slice : steps[i].slices) {
        const NodeId node = input.tree.nodes_of_slices[slice.index()];
        if (!node.valid()) continue;
        sums[i].kernel_ns += input.kernel_ns(node);
        sums[i].device_ns += input.device_ns(node);
      }
    }
    return sums;
  }
  std::vector<StringId> processes;
  for (const Step& step : steps) {
    if (std::find(processes.begin(), processes.end(), step.process) == processes.end()) {
      processes.push_back(step.process);
    }
  }
  for (const StringId process : processes) {
    const std::vector<Launch> launches = launches_of(input, process);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].process != process) continue;
      const StepLaunches before = sum_before(launches, steps[i].interval.start_ns);
      const StepLaunches until = sum_before(launches, steps[i].interval.end_ns);
      sums[i] = {until.kernel_ns - before.kernel_ns, until.device_ns - before.device_ns};
    }
  }
  return sums;
}

StepLaunches add_up_all_launches(const AttributedTrace& input) {
  StepLaunches sum;
  for (std::size_t work = 0; work < input.attribution.works.size(); ++work) {
    if (input.attribution.works.is_orphan(work) || !input.counts_work(work)) continue;
    add_work(input, work, sum);
  }
  return sum;
}

}  // namespace strobe::analysis

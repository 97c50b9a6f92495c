#include "strobe/tensorboard/span_communication.h"

#include <algorithm>

namespace strobe::tensorboard {
namespace {

void sort_by_start(Ranges& ranges) { std::ranges::stable_sort(ranges, starts_before<Range>); }

std::vector<const CommNode*> by_start(const std::vector<CommNode>& nodes) {
  std::vector<const CommNode*> sorted;
  for (const CommNode& node : nodes) sorted.push_back(&node);
  std::ranges::stable_sort(
      sorted, [](const CommNode* a, const CommNode* b) { return starts_before(*a, *b); });
  return sorted;
}

// Finds the step of each call in turn. It stands still at a call that no step holds, and moves on
// only when a call starts behind the step.
class StepCursor {
 public:
  explicit StepCursor(const std::vector<Step>& steps) : steps_(steps) {}

  std::optional<std::string> step_of(const CommNode& node) {
    for (; next_ < steps_.size(); ++next_) {
      const auto& [name, range] = steps_[next_];
      if (node.start >= range.start && node.end <= range.end) return name;
      if (node.start < range.end) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  const std::vector<Step>& steps_;
  std::size_t next_ = 0;
};

bool calls_match(const std::vector<CommCall>& a, const std::vector<CommCall>& b) {
  return std::ranges::equal(a, b, [](const CommCall& x, const CommCall& y) {
    return x.ranges.size() == y.ranges.size();
  });
}

// All workers end a transfer together: the shortest is the one that waited for nobody.
void find_transfers(std::vector<WorkerCommunication>& workers) {
  const std::size_t calls = workers.front().calls.size();
  for (std::size_t call = 0; call < calls; ++call) {
    const std::size_t ranges = workers.front().calls[call].ranges.size();
    for (std::size_t i = 0; i < ranges; ++i) {
      const auto length = [&](const WorkerCommunication& worker) {
        const Range& range = worker.calls[call].ranges[i];
        return range.end - range.start;
      };
      Number shortest = length(workers.front());
      for (const WorkerCommunication& worker : workers)
        shortest = smaller(shortest, length(worker));
      for (WorkerCommunication& worker : workers) {
        const Number end = worker.calls[call].ranges[i].end;
        worker.calls[call].transfers.push_back({end - shortest, end});
      }
    }
  }
}

}  // namespace

std::vector<CommCall> list_calls(const Profile& profile) {
  std::vector<CommCall> calls;
  if (profile.links.comm_libraries.size() > 1) return calls;
  StepCursor steps(profile.steps.all);
  for (const CommNode* node : by_start(profile.links.comm_nodes)) {
    CommCall call{node->event, steps.step_of(*node), node->ranges, {}};
    sort_by_start(call.ranges);
    calls.push_back(std::move(call));
  }
  return calls;
}

std::optional<SpanCommunication> join_workers(const Run& run, std::string_view span) {
  SpanCommunication joined;
  for (const WorkerProfile& worker : run.profiles) {
    if (worker.span != span) continue;
    if (std::ranges::count(joined.workers, worker.worker, &WorkerCommunication::worker) > 0) {
      continue;
    }
    if (!worker.profile->has_communication()) return std::nullopt;
    joined.workers.push_back({worker.worker, worker.profile.get(), list_calls(*worker.profile)});
    const auto& calls = joined.workers.back().calls;
    if (calls.empty() || !calls_match(calls, joined.workers.front().calls)) return std::nullopt;
  }
  if (joined.workers.empty()) return std::nullopt;
  std::ranges::sort(joined.workers, {}, &WorkerCommunication::worker);
  find_transfers(joined.workers);
  return joined;
}

}  // namespace strobe::tensorboard

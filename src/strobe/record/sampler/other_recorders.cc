#include "strobe/record/sampler/other_recorders.h"

#include <algorithm>
#include <utility>

namespace strobe::record {

void OtherRecorders::follow(std::span<const pid_t> recorders) {
  std::erase_if(trees_, [&](const auto& entry) {
    return std::find(recorders.begin(), recorders.end(), entry.first) == recorders.end();
  });
  std::unordered_map<pid_t, std::int64_t> now;
  for (const pid_t recorder : recorders) {
    ProcessTree& tree = trees_.try_emplace(recorder, host_.proc, recorder).first->second;
    tree.refresh();
    count(tree, now);
  }
  seen_ = std::move(now);
}

void OtherRecorders::count(const ProcessTree& tree, std::unordered_map<pid_t, std::int64_t>& now) {
  for (const TreeProcess& process : tree.processes()) {
    const auto cpu_ns = host_.cpu_ns(process.id);
    if (!cpu_ns) continue;
    const auto before = seen_.find(process.id);
    cpu_ns_ += std::max<std::int64_t>(0, *cpu_ns - (before == seen_.end() ? 0 : before->second));
    now.emplace(process.id, *cpu_ns);
  }
}

bool OtherRecorders::contains(pid_t process) const {
  return std::any_of(trees_.begin(), trees_.end(),
                     [&](const auto& entry) { return entry.second.contains(process); });
}

}  // namespace strobe::record

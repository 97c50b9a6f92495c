#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>

#include "strobe/record/sampler/proc_files.h"
#include "strobe/record/sampler/process_tree.h"

namespace strobe::record {

// Recorders of other ranks of the same job on this machine, and the processes that they record:
// neither this recorder's own nor foreign.
class OtherRecorders {
 public:
  explicit OtherRecorders(const HostAccess& host) : host_(host) {}

  // The recorders now. Looks at what they have started.
  void follow(std::span<const pid_t> recorders);

  bool contains(pid_t process) const;
  // Time on cores of all that were seen, so far.
  std::int64_t cpu_ns() const { return cpu_ns_; }

 private:
  void count(const ProcessTree& tree, std::unordered_map<pid_t, std::int64_t>& now);

  const HostAccess& host_;
  std::map<pid_t, ProcessTree> trees_;
  std::unordered_map<pid_t, std::int64_t> seen_;  // the clock of each process
  std::int64_t cpu_ns_ = 0;
};

}  // namespace strobe::record

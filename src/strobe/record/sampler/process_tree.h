#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "strobe/record/sampler/proc_files.h"

namespace strobe::record {

struct TreeProcess {
  pid_t id = 0;
  pid_t parent = 0;
  std::uint64_t start_ticks = 0;  // tells it from another process that gets the same number later
  std::string name;               // its program, without arguments
  std::size_t threads = 0;
};

// The recorded program and whatever it starts. A process stays in the tree when its parent ends and
// somebody else adopts it. What lives shorter than the time between two looks may be missed.
class ProcessTree {
 public:
  // Whose parent ended before it was seen is found only if `adopter` adopts it: a process that has
  // declared itself a subreaper (prctl PR_SET_CHILD_SUBREAPER). All children of that process are
  // then part of the tree. 0: there is none.
  ProcessTree(std::string proc, pid_t root, pid_t adopter = 0);

  // Looks who is there now. It asks the first thread of each process for its children, unless
  // nothing at all was started on the machine. Every fourth time it is thorough: it goes through
  // those processes of the machine that it has not seen yet, and finds what other threads started.
  void refresh();

  // Those that live, the root first, the others in the order in which they were found.
  const std::vector<TreeProcess>& processes() const { return processes_; }
  bool contains(pid_t process) const { return ids_.contains(process); }
  bool was_thorough() const { return was_thorough_; }

 private:
  struct Candidate {
    pid_t id = 0;
    pid_t parent = 0;
  };

  void remove_ended();
  bool look_at_newest();
  void add_children();
  void add_children_of(pid_t process);
  void add_from_all_processes();
  void add_descendants(std::vector<Candidate>& candidates);
  void add(pid_t process);
  std::optional<TaskStat> stat_of(pid_t process);

  std::string proc_;
  pid_t root_;
  pid_t adopter_;
  std::vector<TreeProcess> processes_;
  std::unordered_set<pid_t> ids_;
  std::unordered_set<pid_t> others_;  // processes that were seen and are not part of the tree
  bool has_seen_root_ = false;
  bool was_thorough_ = false;
  std::uint64_t newest_ = 0;  // number of the newest process or thread of the machine
  unsigned looks_ = 0;
  std::vector<char> buffer_;
  std::vector<pid_t> listed_;
};

}  // namespace strobe::record

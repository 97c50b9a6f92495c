#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "strobe/record/sampler/switch_ring.h"

namespace strobe::record {

// A time in which a thread was ready to run and had no core.
struct CoreWait {
  pid_t process = 0;
  pid_t thread = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  // Who ran on its core instead, for the longest part of the wait. 0: nobody did, the core was
  // idle (the quota of the thread's control group is used up) or worked for a process that this
  // container does not see. kNotKnown: the switches of other threads are not recorded.
  pid_t other_process = 0;

  static constexpr pid_t kNotKnown = -1;
  bool operator==(const CoreWait&) const = default;
};

// Makes waits out of context switches: from a switch out of a thread that is still ready, to its
// next switch in, on whichever core.
class CoreWaits {
 public:
  // Switches in the order of their times.
  void add_own(const SwitchRecord& record, std::vector<CoreWait>& ended);
  // A switch of a thread outside of the recorded program: tells who runs on a core that one waits
  // for.
  void add_other(const SwitchRecord& record);

  bool is_awaited(std::uint32_t core) const { return cores_.contains(core); }
  bool is_waiting(pid_t thread) const { return waiting_.contains(thread); }
  // Records were lost: a waiting thread may have got its core without a record of it.
  void forget_all();
  void forget(pid_t thread);
  // The recording ends: those who still wait have waited until now.
  void end_all(std::int64_t now_ns, std::vector<CoreWait>& ended);

 private:
  struct Turn {
    std::int64_t start_ns = 0;
    pid_t process = 0;
  };
  struct Open {
    pid_t process = 0;
    std::int64_t start_ns = 0;
    std::uint32_t core = 0;
  };
  struct Core {
    std::vector<Turn> turns;  // since the first of those who wait left it
    std::uint32_t waiting = 0;
  };

  void begin(const SwitchRecord& record);
  void end(pid_t thread, std::int64_t now_ns, std::vector<CoreWait>& ended);
  static pid_t longest_on(const Core& core, std::int64_t start_ns, std::int64_t end_ns);
  void leave(std::uint32_t core);
  void add_turn(const SwitchRecord& record);

  std::unordered_map<pid_t, Open> waiting_;  // by thread
  std::map<std::uint32_t, Core> cores_;      // those that are awaited
};

}  // namespace strobe::record

#pragma once

#include <sched.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// Real processes for tests that look at them from outside.
namespace strobe::test {

// A process that does one thing until it is destroyed.
class ChildOfTest {
 public:
  // The child ends when the work returns.
  explicit ChildOfTest(const std::function<void()>& work) {
    const pid_t parent = getpid();
    id_ = fork();
    if (id_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) work();  // else the parent ended before it was asked to end us
    _exit(0);
  }
  ChildOfTest(const ChildOfTest&) = delete;
  ChildOfTest& operator=(const ChildOfTest&) = delete;
  ~ChildOfTest() {
    if (id_ <= 0) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }

  pid_t id() const { return id_; }

 private:
  pid_t id_ = 0;
};

// Runs without a pause.
[[noreturn]] inline void spin() {
  volatile unsigned turns = 0;
  while (true) turns = turns + 1;
}

inline void stay_on_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(core), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) _exit(1);
}

// Takes as much of a core as it gets, and leaves the others alone.
class BusyNeighbour {
 public:
  explicit BusyNeighbour(int core)
      : child_([core] {
          stay_on_core(core);
          prctl(PR_SET_NAME, "busy_neighbour");
          spin();
        }) {}
  pid_t id() const { return child_.id(); }

 private:
  ChildOfTest child_;
};

// The last core that this process may use; interrupts mostly go to the first.
inline int last_usable_core() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  for (int core = CPU_SETSIZE - 1; core > 0; --core) {
    if (CPU_ISSET(static_cast<unsigned>(core), &set)) return core;
  }
  return 0;
}

// A step of one process that another waits for.
class Gate {
 public:
  Gate() {
    if (pipe(ends_) != 0) std::abort();
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    close(ends_[0]);
    close(ends_[1]);
  }
  void open() const { [[maybe_unused]] const ssize_t written = write(ends_[1], "x", 1); }
  void wait() const {
    char byte = 0;
    [[maybe_unused]] const ssize_t size = read(ends_[0], &byte, 1);
  }

 private:
  int ends_[2] = {-1, -1};
};

// A control group with a limit, where this process may make one; removed by the destructor.
class QuotaGroup {
 public:
  // Microseconds on cores in each 100 ms. nullopt without the permission.
  static std::optional<QuotaGroup> make(int quota_us) {
    const std::string name = "/strobe-test-" + std::to_string(getpid());
    for (const char* mount :
         {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup"}) {
      std::error_code failed;
      if (!std::filesystem::create_directory(mount + name, failed) || failed) continue;
      QuotaGroup group(mount + name);
      if (group.put("cpu.max", std::to_string(quota_us) + " 100000") ||
          (group.put("cpu.cfs_period_us", "100000") &&
           group.put("cpu.cfs_quota_us", std::to_string(quota_us)))) {
        return group;
      }
    }
    return std::nullopt;
  }

  QuotaGroup(QuotaGroup&& other) noexcept : folder_(std::move(other.folder_)) {
    other.folder_.clear();
  }
  QuotaGroup& operator=(QuotaGroup&&) = delete;
  ~QuotaGroup() {
    if (!folder_.empty()) rmdir(folder_.c_str());
  }

  bool add(pid_t process) const { return put("cgroup.procs", std::to_string(process)); }

  // For how long the quota has stopped the group.
  long long throttled_us() const {
    std::ifstream stream(folder_ + "/cpu.stat");
    std::string key;
    for (long long value = 0; stream >> key >> value;) {
      if (key == "throttled_usec") return value;
      if (key == "throttled_time") return value / 1000;  // nanoseconds, in the older version
    }
    return 0;
  }

 private:
  explicit QuotaGroup(std::string folder) : folder_(std::move(folder)) {}

  bool put(const std::string& file, const std::string& text) const {
    if (!std::filesystem::exists(folder_ + "/" + file)) return false;
    std::ofstream stream(folder_ + "/" + file);
    stream << text << std::flush;
    return stream.good();
  }

  std::string folder_;
};

}  // namespace strobe::test

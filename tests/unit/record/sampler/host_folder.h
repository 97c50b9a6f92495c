#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "strobe/record/sampler/proc_files.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {

// What a test sets in "stat" of a process or a thread.
struct StatLine {
  std::string name = "app";
  char state = 'S';
  pid_t parent = 1;
  int minor_faults = 0;
  int major_faults = 0;
  int user_ticks = 0;
  int system_ticks = 0;
  int reaped_ticks = 0;
  int threads = 1;
  int start_ticks = 100;
  int resident_pages = 0;
  int core = 0;
};

inline std::string stat_text(pid_t id, const StatLine& line) {
  return fmt::format(
      "{} ({}) {} {} 7 7 0 -1 4194304 {} 11 {} 22 {} {} {} 0 20 -5 {} 0 {} 2867200 {} "
      "18446744073709551615 187650068840448 187650068873744 281474760237904 0 0 0 0 0 0 0 0 0 17 "
      "{} 0 0 0 0 0 187650068970432 187650068972256 187650899013632 281474760239783 "
      "281474760239835 281474760239835 281474760241131 0\n",
      id, line.name, line.state, line.parent, line.minor_faults, line.major_faults, line.user_ticks,
      line.system_ticks, line.reaped_ticks, line.threads, line.start_ticks, line.resident_pages,
      line.core);
}

// A machine that a test invents: /proc, control groups and the clocks of cores in a folder.
class HostFolder {
 public:
  HostFolder() {
    for (const char* name : {"proc", "cgroup", "cores"}) {
      std::filesystem::create_directories(folder_.path() / name);
    }
  }

  // "proc/stat", "cgroup/cpu.max".
  void write(const std::string& name, std::string_view text) const {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    testing::put_bytes(path, text);
  }
  void remove(const std::string& name) const { std::filesystem::remove_all(folder_.path() / name); }

  // Its first thread included.
  void process(pid_t id, const StatLine& line = {}) const {
    write(fmt::format("proc/{}/stat", id), stat_text(id, line));
    thread(id, id, line);
  }
  void thread(pid_t process, pid_t id, const StatLine& line = {}) const {
    write(fmt::format("proc/{}/task/{}/stat", process, id), stat_text(id, line));
  }
  void times(pid_t process, pid_t thread, std::int64_t on_core_ns, std::int64_t waiting_ns,
             int turns = 1) const {
    write(fmt::format("proc/{}/task/{}/schedstat", process, thread),
          fmt::format("{} {} {}\n", on_core_ns, waiting_ns, turns));
  }
  void switches(pid_t process, pid_t thread, int voluntary, int forced) const {
    write(fmt::format("proc/{}/task/{}/status", process, thread),
          fmt::format("Name:\tapp\nvoluntary_ctxt_switches:\t{}\nnonvoluntary_ctxt_switches:\t{}\n",
                      voluntary, forced));
  }
  void children(pid_t process, const std::string& list) const {
    write(fmt::format("proc/{0}/task/{0}/children", process), list);
  }
  void end(pid_t process) const { remove(fmt::format("proc/{}", process)); }

  // The clock of a process; one without it has only ticks.
  void clock(pid_t process, std::int64_t cpu_ns) const { (*clocks_)[process] = cpu_ns; }

  std::string proc() const { return (folder_.path() / "proc").string(); }
  HostAccess access() const {
    HostAccess access;
    access.proc = proc();
    access.cgroups = (folder_.path() / "cgroup").string();
    access.cores = (folder_.path() / "cores").string();
    access.ns_per_tick = 10'000'000;
    access.page_bytes = 4096;
    access.cpu_ns = [clocks = clocks_](pid_t process) -> std::optional<std::int64_t> {
      const auto found = clocks->find(process);
      if (found == clocks->end()) return std::nullopt;
      return found->second;
    };
    return access;
  }

 private:
  testing::TemporaryFolder folder_;
  std::shared_ptr<std::map<pid_t, std::int64_t>> clocks_ =
      std::make_shared<std::map<pid_t, std::int64_t>>();
};

}  // namespace strobe::record

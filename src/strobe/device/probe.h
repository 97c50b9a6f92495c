#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/device/vendor_library.h"

// Facts about the machine on which strobe runs. Nothing here fails: unknown facts are absent.
// Vendor libraries are opened to read their version.
namespace strobe::device {

struct CpuFacts {
  std::string name;  // "Neoverse-V2", "AMD EPYC 9654"; "" if unknown
  std::string architecture;
  int cores = 0;         // online
  int usable_cores = 0;  // allowed to this process, by affinity and by quota
  std::vector<std::string> simd;
};
CpuFacts probe_cpu();

struct MemoryFacts {
  std::int64_t total_bytes = 0;
  std::int64_t available_bytes = 0;
  std::optional<std::int64_t> limit_bytes;  // of the control group, when below the total
};
MemoryFacts probe_memory();

struct PerfEventFacts {
  std::optional<int> paranoid_level;
  bool counts_cycles = false;
  bool is_forbidden = false;  // there are counters, but this process may not use them
  std::string obstacle;       // why not: "not permitted", "no hardware counters"
};
PerfEventFacts probe_perf_events();

// Which context switches this process may record.
struct SwitchRecordFacts {
  std::optional<int> paranoid_level;
  bool of_own_processes = false;
  bool of_all_cores = false;  // shows who runs while another waits
  bool is_forbidden = false;  // the kernel could, but this process may not
  std::string obstacle;       // why not all of them: "not permitted"; "" if all
};
SwitchRecordFacts probe_switch_records();

// What the kernel tells about waits of processes.
struct WaitFacts {
  bool per_thread = false;  // time on and waiting for a core
  bool pressure = false;    // of the whole machine
  bool cpu_quota = false;   // of a container
};
WaitFacts probe_waits(const std::string& proc = "/proc",
                      const std::string& control_groups = "/sys/fs/cgroup");

struct Found {
  std::string version;  // "" if unknown
  std::string path;
  std::string detail;  // "1 device: NVIDIA H200"
};

std::optional<Found> probe_library(Library which);

// The path of the first of `names` on the PATH or where its vendor installs it; "" if none is
// there.
std::string find_program(const std::vector<std::string>& names);

// Such a program with the version that `--version` prints. A program that does not answer in time
// has no version.
std::optional<Found> probe_program(const std::vector<std::string>& names);

struct Engine {
  std::string name;
  std::string version;
  std::string job;
};
std::vector<Engine> compression_engines();  // those this binary was built with

// "12.4" from "Cuda compilation tools, release 12.4, V12.4.131": the first text that looks like a
// version.
std::string version_in(std::string_view text);

}  // namespace strobe::device

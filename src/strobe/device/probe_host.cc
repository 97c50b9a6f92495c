#include <linux/perf_event.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "strobe/device/probe.h"

namespace strobe::device {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return number;
}

// The value behind the first "key ... : value" line, trimmed.
std::string value_of(std::string_view text, std::string_view key) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t colon = line.find(':');
    if (line.starts_with(key) && colon != std::string_view::npos) {
      const std::size_t start = line.find_first_not_of(" \t", colon + 1);
      return start == std::string_view::npos ? "" : std::string(line.substr(start));
    }
    at = end + 1;
  }
  return {};
}

// Arm cores name themselves by numbers only.
std::string arm_name(std::string_view cpuinfo) {
  struct Core {
    std::string_view implementer, part, name;
  };
  constexpr Core kCores[] = {
      {"0x41", "0xd0c", "Neoverse-N1"},  {"0x41", "0xd40", "Neoverse-V1"},
      {"0x41", "0xd49", "Neoverse-N2"},  {"0x41", "0xd4f", "Neoverse-V2"},
      {"0x41", "0xd84", "Neoverse-V3"},  {"0x41", "0xd8e", "Neoverse-N3"},
      {"0x41", "0xd08", "Cortex-A72"},   {"0x41", "0xd0b", "Cortex-A76"},
      {"0x41", "0xd42", "Cortex-A78AE"}, {"0xc0", "0xac3", "Ampere-1"},
      {"0x48", "0xd01", "Kunpeng-920"},
  };
  const std::string implementer = value_of(cpuinfo, "CPU implementer");
  const std::string part = value_of(cpuinfo, "CPU part");
  for (const Core& core : kCores) {
    if (core.implementer == implementer && core.part == part) return std::string(core.name);
  }
  return part.empty() ? "" : fmt::format("Arm implementer {} part {}", implementer, part);
}

std::vector<std::string> simd_extensions() {
  std::vector<std::string> found;
#if defined(__aarch64__)
  constexpr unsigned long kSve = 1ul << 22;  // HWCAP_SVE
  constexpr unsigned long kSve2 = 1ul << 1;  // HWCAP2_SVE2
  found.emplace_back("NEON");
  if ((getauxval(AT_HWCAP) & kSve) != 0) found.emplace_back("SVE");
  if ((getauxval(AT_HWCAP2) & kSve2) != 0) found.emplace_back("SVE2");
#elif defined(__x86_64__)
  found.emplace_back("SSE2");
  if (__builtin_cpu_supports("avx2")) found.emplace_back("AVX2");
  if (__builtin_cpu_supports("avx512f")) found.emplace_back("AVX-512");
#endif
  return found;
}

// This process's folders below the version 2 hierarchy, innermost first; limits of any count.
std::vector<std::string> control_group_folders() {
  std::vector<std::string> folders;
  const std::string groups = text_of("/proc/self/cgroup");
  const std::size_t at = groups.find("0::/");
  std::string path;
  if (at != std::string::npos) path = groups.substr(at + 3, groups.find('\n', at) - at - 3);
  while (true) {
    folders.push_back("/sys/fs/cgroup" + (path == "/" ? "" : path));
    if (path.size() <= 1) return folders;
    path.resize(path.rfind('/'));
  }
}

std::optional<std::int64_t> memory_limit_bytes() {
  std::optional<std::int64_t> least;
  std::vector<std::string> files;
  for (const std::string& folder : control_group_folders()) files.push_back(folder + "/memory.max");
  files.emplace_back("/sys/fs/cgroup/memory/memory.limit_in_bytes");  // version 1
  for (const std::string& file : files) {
    const auto limit = number_in(text_of(file));
    if (limit && (!least || *limit < *least)) least = limit;
  }
  return least;
}

std::optional<int> quota_cores() {
  std::optional<int> least;
  for (const std::string& folder : control_group_folders()) {
    std::istringstream text(text_of(folder + "/cpu.max"));
    std::int64_t quota = 0;
    std::int64_t period = 0;
    if (!(text >> quota >> period) || quota <= 0 || period <= 0) continue;
    const int cores = static_cast<int>(std::max<std::int64_t>(1, (quota + period - 1) / period));
    if (!least || cores < *least) least = cores;
  }
  return least;
}

int affinity_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

}  // namespace

CpuFacts probe_cpu() {
  CpuFacts facts;
  const std::string cpuinfo = text_of("/proc/cpuinfo");
  facts.name = value_of(cpuinfo, "model name");
  if (facts.name.empty()) facts.name = arm_name(cpuinfo);
  utsname names{};
  if (uname(&names) == 0) facts.architecture = names.machine;
  facts.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  facts.usable_cores = affinity_cores() > 0 ? affinity_cores() : facts.cores;
  if (const auto quota = quota_cores()) facts.usable_cores = std::min(facts.usable_cores, *quota);
  facts.simd = simd_extensions();
  return facts;
}

MemoryFacts probe_memory() {
  const std::string meminfo = text_of("/proc/meminfo");
  MemoryFacts facts;
  facts.total_bytes = number_in(value_of(meminfo, "MemTotal")).value_or(0) * 1024;
  facts.available_bytes = number_in(value_of(meminfo, "MemAvailable")).value_or(0) * 1024;
  const auto limit = memory_limit_bytes();
  if (limit && *limit < facts.total_bytes) facts.limit_bytes = limit;
  return facts;
}

PerfEventFacts probe_perf_events() {
  PerfEventFacts facts;
  if (const auto level = number_in(text_of("/proc/sys/kernel/perf_event_paranoid"))) {
    facts.paranoid_level = static_cast<int>(*level);
  }
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const long descriptor = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (descriptor >= 0) {
    facts.counts_cycles = true;
    close(static_cast<int>(descriptor));
  } else if (errno == EACCES || errno == EPERM) {
    facts.is_forbidden = true;
    facts.obstacle = "not permitted";
  } else if (errno == ENOSYS) {
    facts.obstacle = "the kernel has no perf events";
  } else {
    facts.obstacle = "no hardware counters";
  }
  return facts;
}

}  // namespace strobe::device

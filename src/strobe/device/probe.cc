#include "strobe/device/probe.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#ifdef STROBE_HAVE_ISAL
#include <isa-l.h>
#endif

#include "strobe/base/text.h"

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

// The value of the first "key ... : value" line, trimmed.
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

// Arm cores identify themselves only by numbers.
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

// This process's folders in the version 2 hierarchy, innermost first; limits of all of them apply.
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

namespace {

std::optional<int> paranoid_level() {
  const auto level = number_in(text_of("/proc/sys/kernel/perf_event_paranoid"));
  if (!level) return std::nullopt;
  return static_cast<int>(*level);
}

// Opens the event and closes it again: 0, or why it cannot be opened.
int try_event(perf_event_attr attributes, pid_t process, int core) {
  attributes.size = sizeof attributes;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const long descriptor =
      syscall(SYS_perf_event_open, &attributes, process, core, -1, PERF_FLAG_FD_CLOEXEC);
  if (descriptor < 0) return errno;
  close(static_cast<int>(descriptor));
  return 0;
}

bool is_forbidden(int error) { return error == EACCES || error == EPERM; }

std::string obstacle_of(int error, std::string_view otherwise) {
  if (is_forbidden(error)) return "not permitted";
  if (error == ENOSYS) return "the kernel has no perf events";
  return std::string(otherwise);
}

}  // namespace

PerfEventFacts probe_perf_events() {
  PerfEventFacts facts;
  facts.paranoid_level = paranoid_level();
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  const int error = try_event(attributes, 0, -1);
  facts.counts_cycles = error == 0;
  facts.is_forbidden = is_forbidden(error);
  if (error != 0) facts.obstacle = obstacle_of(error, "no hardware counters");
  return facts;
}

SwitchRecordFacts probe_switch_records() {
  SwitchRecordFacts facts;
  facts.paranoid_level = paranoid_level();
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.context_switch = 1;
  attributes.sample_id_all = 1;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  const int of_process = try_event(attributes, 0, -1);
  const int of_core = try_event(attributes, -1, std::max(0, sched_getcpu()));
  facts.of_own_processes = of_process == 0;
  facts.of_all_cores = of_core == 0;
  facts.is_forbidden = is_forbidden(of_process) || is_forbidden(of_core);
  const int first_error = of_process != 0 ? of_process : of_core;
  if (first_error != 0) {
    facts.obstacle = obstacle_of(first_error, "the kernel records no context switches");
  }
  return facts;
}

WaitFacts probe_waits(const std::string& proc, const std::string& control_groups) {
  const bool has_version_2 = !text_of(control_groups + "/cgroup.controllers").empty();
  std::error_code unreadable;
  return {
      .per_thread = !text_of(proc + "/self/schedstat").empty(),
      .pressure = !text_of(proc + "/pressure/cpu").empty(),
      .cpu_quota = has_version_2 || std::filesystem::exists(control_groups + "/cpu", unreadable)};
}

namespace {

// 12040 -> "12.4": how CUDA numbers its drivers.
std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

// The signatures below are those of the vendors' public headers; 0 is success in all of them.

void ask_cuda_driver(const OpenLibrary& library, Found& found) {
  const auto get_version = library.function<int(int*)>("cuDriverGetVersion");
  int number = 0;
  if (get_version != nullptr && get_version(&number) == 0) found.version = cuda_version(number);
  const auto init = library.function<int(unsigned)>("cuInit");
  const auto get_count = library.function<int(int*)>("cuDeviceGetCount");
  const auto get_device = library.function<int(int*, int)>("cuDeviceGet");
  const auto get_name = library.function<int(char*, int, int)>("cuDeviceGetName");
  if (init == nullptr || get_count == nullptr || get_device == nullptr || get_name == nullptr) {
    return;
  }
  int count = 0;
  if (init(0) != 0 || get_count(&count) != 0 || count == 0) {
    found.detail = "no device";
    return;
  }
  int device = 0;
  char name[256] = {};
  if (get_device(&device, 0) == 0) get_name(name, sizeof name, device);
  found.detail = fmt::format("{}: {}", counted(static_cast<std::uint64_t>(count), "device"), name);
}

void ask_nvml(const OpenLibrary& library, Found& found) {
  const auto init = library.function<int()>("nvmlInit_v2");
  const auto shutdown = library.function<int()>("nvmlShutdown");
  const auto get_version = library.function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  if (init == nullptr || shutdown == nullptr || get_version == nullptr) return;
  if (init() != 0) {
    found.detail = "the driver does not answer";
    return;
  }
  char version[96] = {};
  if (get_version(version, sizeof version) == 0) found.version = version;
  shutdown();
}

void ask_cupti(const OpenLibrary& library, Found& found) {
  const auto get_version = library.function<int(std::uint32_t*)>("cuptiGetVersion");
  std::uint32_t number = 0;
  if (get_version != nullptr && get_version(&number) == 0) {
    found.version = fmt::format("API {}", number);
  }
}

void ask_nvrtc(const OpenLibrary& library, Found& found) {
  const auto get_version = library.function<int(int*, int*)>("nvrtcVersion");
  int major = 0;
  int minor = 0;
  if (get_version != nullptr && get_version(&major, &minor) == 0) {
    found.version = fmt::format("{}.{}", major, minor);
  }
}

// 120805 -> "12.8.5" (cuBLASLt), 90100 -> "9.1.0" (cuDNN 9), 8904 -> "8.9.4" (cuDNN 8).
std::string packed_version(std::size_t number) {
  const std::size_t major = number >= 10000 ? 10000 : 1000;
  return fmt::format("{}.{}.{}", number / major, number % major / 100, number % 100);
}

void ask_packed(const OpenLibrary& library, const char* function, Found& found) {
  const auto get_version = library.function<std::size_t()>(function);
  if (get_version != nullptr) found.version = packed_version(get_version());
}

void ask(Library which, const OpenLibrary& library, Found& found) {
  switch (which) {
    case Library::kCudaDriver:
      return ask_cuda_driver(library, found);
    case Library::kNvml:
      return ask_nvml(library, found);
    case Library::kCupti:
      return ask_cupti(library, found);
    case Library::kNvrtc:
      return ask_nvrtc(library, found);
    case Library::kCublasLt:
      return ask_packed(library, "cublasLtGetVersion", found);
    case Library::kCudnn:
      return ask_packed(library, "cudnnGetVersion", found);
  }
}

}  // namespace

std::optional<Found> probe_library(Library which) {
  const auto library = open_library(which, kAnyCuda, OpenLibrary::at);
  if (!library) return std::nullopt;
  Found found;
  found.path = library->path();
  ask(which, *library, found);
  return found;
}

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{3};
constexpr std::size_t kEnoughBytes = 4096;

std::vector<fs::path> search_folders() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const char* tool : {"/opt/nvidia/nsight-compute", "/opt/nvidia/nsight-systems"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(tool, ignored)) {
      folders.push_back(entry.path());
      folders.push_back(entry.path() / "bin");
    }
  }
  return folders;
}

}  // namespace

std::string find_program(const std::vector<std::string>& names) {
  const std::vector<fs::path> folders = search_folders();
  for (const std::string& name : names) {
    for (const fs::path& folder : folders) {
      const fs::path candidate = folder / name;
      std::error_code ignored;
      if (fs::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0) {
        return candidate.string();
      }
    }
  }
  return {};
}

namespace {

std::string read_until_end_or(Clock::time_point deadline, int descriptor) {
  std::string text;
  char buffer[1024];
  while (text.size() < kEnoughBytes) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd waiting{descriptor, POLLIN, 0};
    if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) <= 0) break;
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

// Gives the child a moment to end by itself, so that it is not killed during its normal exit.
void reap(pid_t child, Clock::time_point deadline) {
  while (Clock::now() < deadline) {
    if (waitpid(child, nullptr, WNOHANG) != 0) return;
    usleep(2000);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

std::string output_of(const std::string& program, const std::string& flag) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = program;
  std::string argument = flag;
  char* const arguments[] = {name.data(), argument.data(), nullptr};
  pid_t child = 0;
  const bool started =
      posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  std::string text;
  if (started) {
    const Clock::time_point deadline = Clock::now() + kPatience;
    text = read_until_end_or(deadline, pipe_ends[0]);
    reap(child, deadline);
  }
  close(pipe_ends[0]);
  return text;
}

}  // namespace

std::string version_in(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    std::size_t end = at;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    while (text[end - 1] == '.') --end;
    const std::string_view candidate = text.substr(at, end - at);
    if (candidate.find('.') != std::string_view::npos) return std::string(candidate);
    at = end;
  }
  return {};
}

std::optional<Found> probe_program(const std::vector<std::string>& names) {
  const std::string path = find_program(names);
  if (path.empty()) return std::nullopt;
  return Found{.version = version_in(output_of(path, "--version")), .path = path, .detail = ""};
}

std::vector<Engine> compression_engines() {
  std::vector<Engine> engines;
#ifdef STROBE_HAVE_ISAL
  engines.push_back(
      {"isa-l", fmt::format("{}.{}.{}", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION),
       "reads .gz"});
  engines.push_back({"zlib", zlibVersion(), "spare reader for .gz"});
#else
  engines.push_back({"zlib", zlibVersion(), "reads .gz"});
#endif
  engines.push_back({"zstd", ZSTD_versionString(), "reads .zst"});
  return engines;
}

}  // namespace strobe::device

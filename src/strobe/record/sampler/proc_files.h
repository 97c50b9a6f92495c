#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The small files of /proc: reading them often at a low price, and taking them apart. Nothing here
// allocates while it reads. A file that is gone or has another layout gives nullopt.
namespace strobe::record {

// A thread of the recorded program.
struct ThreadOfTree {
  pid_t process = 0;
  pid_t thread = 0;

  auto operator<=>(const ThreadOfTree&) const = default;
};

// How many files may stay open between two samples.
class DescriptorBudget {
 public:
  explicit DescriptorBudget(std::size_t most) : left_(most) {}
  // A quarter of what this process may open, and at most 512.
  static DescriptorBudget of_this_process();

  bool take();
  void give_back() { ++left_; }

 private:
  std::size_t left_;
};

// A file that is read again and again from its start. It stays open while the budget allows it; a
// descriptor of /proc never passes to another process that gets the same number.
class ProcFile {
 public:
  ProcFile() = default;
  ProcFile(std::string path, DescriptorBudget& budget);
  ProcFile(ProcFile&& other) noexcept;
  ProcFile& operator=(ProcFile&& other) noexcept;
  ~ProcFile();

  // What fits into the buffer; nullopt if the file is gone, empty or not readable.
  std::optional<std::string_view> read(std::span<char> buffer);

 private:
  void close();

  std::string path_;
  DescriptorBudget* budget_ = nullptr;
  int descriptor_ = -1;
};

// Long enough for what is read of any file here: "status" has a few KiB on machines with many
// cores.
inline constexpr std::size_t kProcBytes = 8192;

std::optional<std::string_view> read_once(const char* path, std::span<char> buffer);

// The names in a folder that are numbers: processes in /proc, threads in /proc/<pid>/task. False if
// the folder is gone.
bool list_numbers(const char* folder, std::vector<pid_t>& numbers);

// The first number in a text, behind blanks; what is behind it stays in the text.
std::optional<std::uint64_t> take_number(std::string_view& text);

// /proc/<pid>/stat and /proc/<pid>/task/<tid>/stat.
struct TaskStat {
  pid_t id = 0;
  std::string_view name;  // inside of the text that was read
  char state = '?';
  pid_t parent = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t cpu_ticks = 0;
  std::uint64_t reaped_ticks = 0;  // of children that have ended and were waited for
  std::uint64_t threads = 0;
  std::uint64_t start_ticks = 0;  // since the machine started
  std::uint64_t resident_pages = 0;
  std::uint64_t core = 0;  // where it ran last

  bool has_ended() const { return state == 'Z' || state == 'X' || state == 'x'; }
};
std::optional<TaskStat> parse_task_stat(std::string_view text);

// /proc/<pid>/task/<tid>/schedstat.
struct SchedulerTimes {
  std::int64_t on_core_ns = 0;
  std::int64_t waiting_ns = 0;  // ready to run, without a core
  std::uint64_t turns = 0;      // times on a core

  bool operator==(const SchedulerTimes&) const = default;
};
std::optional<SchedulerTimes> parse_scheduler_times(std::string_view text);

// The switches in /proc/<pid>/task/<tid>/status.
struct SwitchCounts {
  std::uint64_t voluntary = 0;
  std::uint64_t forced = 0;
};
std::optional<SwitchCounts> parse_switch_counts(std::string_view text);

// /proc/<pid>/io: bytes that went to or came from the disk.
struct DiskBytes {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
};
std::optional<DiskBytes> parse_disk_bytes(std::string_view text);

// The first line of /proc/stat, of all cores together.
struct CoreTicks {
  std::uint64_t all = 0;
  std::uint64_t idle = 0;    // waits for the disk are idle, too
  std::uint64_t stolen = 0;  // taken by other virtual machines
};
std::optional<CoreTicks> parse_core_ticks(std::string_view text);

// The load of the last minute in hundredths, and the number that the newest process or thread got.
struct LoadAverage {
  std::int64_t hundredths = 0;
  std::uint64_t newest = 0;
};
std::optional<LoadAverage> parse_load_average(std::string_view text);

// "some ... total=" in a file of /proc/pressure: microseconds in which somebody had to wait.
std::optional<std::uint64_t> parse_pressure_us(std::string_view text);

// /proc/meminfo, in KiB.
struct MachineMemory {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};
std::optional<MachineMemory> parse_machine_memory(std::string_view text);

// Time on a core of all threads of a process so far, those that have ended included; from its
// clock, which costs a tenth of reading a file. nullopt if there is no such process.
std::optional<std::int64_t> process_cpu_ns(pid_t process);
// Of the thread that asks.
std::int64_t thread_cpu_ns();
std::int64_t ns_per_tick_of_this_machine();
std::int64_t page_bytes_of_this_machine();

// Where and how the host is read.
struct HostAccess {
  std::string proc = "/proc";
  std::string cgroups = "/sys/fs/cgroup";
  std::string cores = "/sys/devices/system/cpu";
  std::int64_t ns_per_tick = ns_per_tick_of_this_machine();
  std::int64_t page_bytes = page_bytes_of_this_machine();
  std::function<std::optional<std::int64_t>(pid_t)> cpu_ns = process_cpu_ns;
  // How names of processes and threads are written: as they are, or hashed.
  std::function<std::string(std::string_view)> shown_name = [](std::string_view name) {
    return std::string(name);
  };
};

}  // namespace strobe::record

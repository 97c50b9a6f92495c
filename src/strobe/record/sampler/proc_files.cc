#include "strobe/record/sampler/proc_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <memory>
#include <utility>

namespace strobe::record {
namespace {

constexpr std::size_t kMostKeptFiles = 512;

bool is_decimal_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

std::optional<std::string_view> read_from_start(int descriptor, std::span<char> buffer) {
  ssize_t size = 0;
  do {
    size = pread(descriptor, buffer.data(), buffer.size(), 0);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return std::nullopt;
  return std::string_view(buffer.data(), static_cast<std::size_t>(size));
}

// The number behind a key at the start of a line: "read_bytes: 4096".
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    std::string_view rest = text.substr(at + key.size());
    return take_number(rest);
  }
  return std::nullopt;
}

std::int64_t clock_ns(clockid_t clock, bool& is_known) {
  timespec now = {};
  is_known = clock_gettime(clock, &now) == 0;
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

DescriptorBudget DescriptorBudget::of_this_process() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return DescriptorBudget(0);
  return DescriptorBudget(
      static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur / 4, kMostKeptFiles)));
}

bool DescriptorBudget::take() {
  if (left_ == 0) return false;
  --left_;
  return true;
}

ProcFile::ProcFile(std::string path, DescriptorBudget& budget)
    : path_(std::move(path)), budget_(&budget) {}

ProcFile::ProcFile(ProcFile&& other) noexcept
    : path_(std::move(other.path_)),
      budget_(std::exchange(other.budget_, nullptr)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

ProcFile& ProcFile::operator=(ProcFile&& other) noexcept {
  if (this == &other) return *this;
  close();
  path_ = std::move(other.path_);
  budget_ = std::exchange(other.budget_, nullptr);
  descriptor_ = std::exchange(other.descriptor_, -1);
  return *this;
}

ProcFile::~ProcFile() { close(); }

void ProcFile::close() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  descriptor_ = -1;
  budget_->give_back();
}

std::optional<std::string_view> ProcFile::read(std::span<char> buffer) {
  if (budget_ == nullptr) return std::nullopt;
  if (descriptor_ >= 0) return read_from_start(descriptor_, buffer);
  if (!budget_->take()) return read_once(path_.c_str(), buffer);
  descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ >= 0) return read_from_start(descriptor_, buffer);
  budget_->give_back();
  return std::nullopt;
}

std::optional<std::string_view> read_once(const char* path, std::span<char> buffer) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  const auto text = read_from_start(descriptor, buffer);
  close(descriptor);
  return text;
}

bool list_numbers(const char* folder, std::vector<pid_t>& numbers) {
  numbers.clear();
  const std::unique_ptr<DIR, int (*)(DIR*)> open_folder(opendir(folder), closedir);
  if (!open_folder) return false;
  while (const dirent* entry = readdir(open_folder.get())) {
    std::string_view name = entry->d_name;
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_decimal_digit)) continue;
    if (const auto number = take_number(name)) numbers.push_back(static_cast<pid_t>(*number));
  }
  return true;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::size_t at = 0;
  while (at < text.size() && is_blank(text[at])) ++at;
  const std::size_t first = at;
  std::uint64_t number = 0;
  for (; at < text.size() && is_decimal_digit(text[at]); ++at) {
    number = number * 10 + static_cast<std::uint64_t>(text[at] - '0');
  }
  if (at == first) return std::nullopt;
  text.remove_prefix(at);
  return number;
}

namespace {

// The fields of "stat" as proc(5) numbers them.
enum StatField : std::size_t {
  kParent = 4,
  kMinorFaults = 10,
  kMajorFaults = 12,
  kUserTicks = 14,
  kSystemTicks = 15,
  kReapedUserTicks = 16,
  kReapedSystemTicks = 17,
  kThreads = 20,
  kStartTicks = 22,
  kResidentPages = 24,
  kCore = 39,
  kStatFields,
};
using StatFields = std::array<std::uint64_t, kStatFields>;

// The numbers from the fourth field on. Negative ones (a priority, a terminal) are not needed: 0.
bool take_stat_fields(std::string_view text, StatFields& fields) {
  for (std::size_t field = kParent; field < kStatFields; ++field) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return false;
    text.remove_prefix(first);
    const bool is_negative = text.front() == '-';
    if (is_negative) text.remove_prefix(1);
    const auto number = take_number(text);
    if (!number) return false;
    fields[field] = is_negative ? 0 : *number;
  }
  return true;
}

}  // namespace

std::optional<TaskStat> parse_task_stat(std::string_view text) {
  // A name may hold blanks and brackets.
  const std::size_t opens = text.find('(');
  const std::size_t closes = text.rfind(')');
  if (opens == std::string_view::npos || closes == std::string_view::npos || closes < opens ||
      closes + 3 >= text.size()) {
    return std::nullopt;
  }
  TaskStat stat;
  stat.name = text.substr(opens + 1, closes - opens - 1);
  stat.state = text[closes + 2];
  StatFields fields = {};
  std::string_view rest = text;
  const auto id = take_number(rest);
  if (!id || !take_stat_fields(text.substr(closes + 3), fields)) return std::nullopt;
  stat.id = static_cast<pid_t>(*id);
  stat.parent = static_cast<pid_t>(fields[kParent]);
  stat.minor_faults = fields[kMinorFaults];
  stat.major_faults = fields[kMajorFaults];
  stat.cpu_ticks = fields[kUserTicks] + fields[kSystemTicks];
  stat.reaped_ticks = fields[kReapedUserTicks] + fields[kReapedSystemTicks];
  stat.threads = fields[kThreads];
  stat.start_ticks = fields[kStartTicks];
  stat.resident_pages = fields[kResidentPages];
  stat.core = fields[kCore];
  return stat;
}

std::optional<SchedulerTimes> parse_scheduler_times(std::string_view text) {
  const auto on_core = take_number(text);
  const auto waiting = take_number(text);
  const auto turns = take_number(text);
  if (!on_core || !waiting || !turns) return std::nullopt;
  return SchedulerTimes{static_cast<std::int64_t>(*on_core), static_cast<std::int64_t>(*waiting),
                        *turns};
}

std::optional<SwitchCounts> parse_switch_counts(std::string_view text) {
  const auto voluntary = number_behind(text, "voluntary_ctxt_switches:");
  const auto forced = number_behind(text, "nonvoluntary_ctxt_switches:");
  if (!voluntary || !forced) return std::nullopt;
  return SwitchCounts{*voluntary, *forced};
}

std::optional<DiskBytes> parse_disk_bytes(std::string_view text) {
  const auto read = number_behind(text, "read_bytes:");
  const auto written = number_behind(text, "write_bytes:");
  if (!read || !written) return std::nullopt;
  return DiskBytes{*read, *written};
}

std::optional<CoreTicks> parse_core_ticks(std::string_view text) {
  if (!text.starts_with("cpu ")) return std::nullopt;
  text.remove_prefix(4);
  // user, nice, system, idle, waiting for the disk, interrupts, soft interrupts, stolen; what
  // follows is part of user and nice.
  std::array<std::uint64_t, 8> ticks = {};
  CoreTicks sum;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const auto number = take_number(text);
    if (!number && i < 4) return std::nullopt;
    ticks[i] = number.value_or(0);
    sum.all += ticks[i];
  }
  sum.idle = ticks[3] + ticks[4];
  sum.stolen = ticks[7];
  return sum;
}

std::optional<LoadAverage> parse_load_average(std::string_view text) {
  const auto whole = take_number(text);
  if (!whole || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const auto hundredths = take_number(text);  // always two digits
  if (!hundredths) return std::nullopt;
  LoadAverage load;
  load.hundredths = static_cast<std::int64_t>(*whole * 100 + *hundredths);
  const std::size_t last = text.find_last_of(' ');
  if (last == std::string_view::npos) return load;
  text.remove_prefix(last);
  load.newest = take_number(text).value_or(0);
  return load;
}

std::optional<std::uint64_t> parse_pressure_us(std::string_view text) {
  if (!text.starts_with("some ")) return std::nullopt;
  text = text.substr(0, text.find('\n'));
  constexpr std::string_view kTotal = "total=";
  const std::size_t at = text.find(kTotal);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + kTotal.size());
  return take_number(text);
}

std::optional<MachineMemory> parse_machine_memory(std::string_view text) {
  const auto total = number_behind(text, "MemTotal:");
  const auto available = number_behind(text, "MemAvailable:");
  if (!total || !available || *total == 0) return std::nullopt;
  return MachineMemory{*total, *available};
}

std::optional<std::int64_t> process_cpu_ns(pid_t process) {
  // clock_getcpuclockid() makes the same number and asks the kernel twice.
  constexpr unsigned kTimeOnCore = 2;
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(process) << 3) | kTimeOnCore);
  bool is_known = false;
  const std::int64_t time_ns = clock_ns(clock, is_known);
  return is_known ? std::optional(time_ns) : std::nullopt;
}

std::int64_t thread_cpu_ns() {
  bool is_known = false;
  return clock_ns(CLOCK_THREAD_CPUTIME_ID, is_known);
}

std::int64_t ns_per_tick_of_this_machine() {
  const long ticks = sysconf(_SC_CLK_TCK);
  return 1'000'000'000 / (ticks > 0 ? ticks : 100);
}

std::int64_t page_bytes_of_this_machine() { return sysconf(_SC_PAGESIZE); }

}  // namespace strobe::record

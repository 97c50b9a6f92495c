#include "strobe/record/sampler/scheduler_waits.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace strobe::record {
namespace {

constexpr std::size_t kMostCoreRingBytes = 256 * 1024;
constexpr std::size_t kThreadRingBytes = 32 * 1024;
constexpr std::int64_t kStillBeingWritten_ns = 1'000'000;
constexpr std::int64_t kBetweenNotes_ns = 10'000'000'000;
constexpr std::size_t kMostNames = 1024;
constexpr std::size_t kMostCores = 8192;
constexpr const char* kIdleCore = "idle core";

int open_in_kernel(perf_event_attr& attributes, pid_t thread, int core) {
  const long descriptor =
      syscall(SYS_perf_event_open, &attributes, thread, core, -1, PERF_FLAG_FD_CLOEXEC);
  return descriptor < 0 ? -errno : static_cast<int>(descriptor);
}

std::size_t machine_page_bytes() { return static_cast<std::size_t>(page_bytes_of_this_machine()); }

std::size_t bytes_of_thread_ring() { return std::max(kThreadRingBytes, machine_page_bytes()); }

// The largest power of two that leaves room for all rings and their first pages; 0 if none does.
std::size_t bytes_of_core_ring(std::size_t cores, std::size_t most_bytes) {
  const std::size_t page = machine_page_bytes();
  const std::size_t each = cores == 0 ? 0 : most_bytes / cores;
  if (each < 2 * page) return 0;
  return std::min(std::bit_floor(each - page), kMostCoreRingBytes);
}

// The cores that at least one of the threads may use.
std::vector<int> cores_of_threads(std::span<const pid_t> threads) {
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCores);
  cpu_set_t* const usable = CPU_ALLOC(kMostCores);
  cpu_set_t* const set = CPU_ALLOC(kMostCores);
  CPU_ZERO_S(bytes, usable);
  for (const pid_t thread : threads) {
    if (sched_getaffinity(thread, bytes, set) == 0) CPU_OR_S(bytes, usable, usable, set);
  }
  std::vector<int> cores;
  for (std::size_t core = 0; core < kMostCores; ++core) {
    if (CPU_ISSET_S(core, bytes, usable)) cores.push_back(static_cast<int>(core));
  }
  CPU_FREE(set);
  CPU_FREE(usable);
  return cores;
}

// From a list as the kernel writes it: "0-3,8".
std::vector<int> online_cores(const std::string& folder) {
  std::array<char, 1024> buffer;
  std::string_view left = read_once((folder + "/online").c_str(), buffer).value_or("");
  std::vector<int> cores;
  while (const auto first = take_number(left)) {
    auto last = first;
    if (left.starts_with('-')) {
      left.remove_prefix(1);
      last = take_number(left);
    }
    if (!last || *last >= kMostCores) break;
    for (auto core = *first; core <= *last; ++core) cores.push_back(static_cast<int>(core));
    if (left.starts_with(',')) left.remove_prefix(1);
  }
  return cores;
}

// The cores that a process may use: each of its threads may have its own.
std::vector<int> cores_of(pid_t process, const HostAccess& host) {
  std::vector<pid_t> threads;
  list_numbers(fmt::format("{}/{}/task", host.proc, process).c_str(), threads);
  std::vector<int> cores = cores_of_threads(threads);
  return cores.empty() ? online_cores(host.cores) : cores;
}

// In another namespace, processes outside of it look like an idle core.
bool is_in_first_process_namespace(const std::string& proc) {
  std::array<char, 64> link = {};
  const ssize_t size = readlink((proc + "/self/ns/pid").c_str(), link.data(), link.size());
  constexpr std::string_view kFirst = "pid:[4026531836]";
  return size > 0 && std::string_view(link.data(), static_cast<std::size_t>(size)) == kFirst;
}

std::optional<int> paranoid_level(const std::string& proc) {
  std::array<char, 32> buffer;
  auto text = read_once((proc + "/sys/kernel/perf_event_paranoid").c_str(), buffer);
  if (!text) return std::nullopt;
  const bool is_negative = text->starts_with('-');
  if (is_negative) text->remove_prefix(1);
  const auto level = take_number(*text);
  if (!level) return std::nullopt;
  return is_negative ? -static_cast<int>(*level) : static_cast<int>(*level);
}

bool is_forbidden(int error) { return error == EACCES || error == EPERM; }

constexpr std::string_view kOrCapability =
    ", or give strobe the capability: `sudo setcap cap_perfmon+ep $(command -v strobe)`; in a "
    "container, start it with `--cap-add=PERFMON`";

// Why threads cannot be watched at all.
Error explain_refusal(int error, const std::string& proc) {
  if (error == ENOSYS || error == ENOENT) {
    return {ErrorCode::kMachineLacks, "this kernel records no context switches (perf_event_open)",
            "", "waits for a core are counted all the same"};
  }
  if (error == ESRCH) return {ErrorCode::kNotFound, "the thread has ended", "", ""};
  const auto level = paranoid_level(proc);
  if (!is_forbidden(error)) {
    return {ErrorCode::kMachineLacks,
            fmt::format("context switches cannot be recorded: {}", std::strerror(error)), "",
            "waits for a core are counted all the same"};
  }
  if (level && *level <= 2) {
    return {ErrorCode::kMachineLacks,
            fmt::format("context switches may not be recorded, although "
                        "kernel.perf_event_paranoid is {}: a container or a security module "
                        "forbids perf_event_open",
                        *level),
            "",
            "start the container with `--cap-add=PERFMON`, or with `--security-opt "
            "seccomp=unconfined`"};
  }
  return {ErrorCode::kMachineLacks,
          fmt::format("context switches may not be recorded: kernel.perf_event_paranoid is {}",
                      level ? std::to_string(*level) : "not readable"),
          "",
          fmt::format("`sudo sysctl kernel.perf_event_paranoid=2` allows them for own processes, "
                      "`=0` for all, which shows who ran instead{}",
                      kOrCapability)};
}

// Why whole cores cannot be watched.
Error explain_refusal_of_core(int error, const std::string& proc) {
  if (!is_forbidden(error)) return {ErrorCode::kMachineLacks, std::strerror(error), "", ""};
  const auto level = paranoid_level(proc);
  return {ErrorCode::kMachineLacks,
          fmt::format("kernel.perf_event_paranoid is {}",
                      level ? std::to_string(*level) : "not readable"),
          "", fmt::format("`sudo sysctl kernel.perf_event_paranoid=0` allows it{}", kOrCapability)};
}

}  // namespace

Result<SchedulerWaits::Event> SchedulerWaits::Event::open(const SchedulerWaitsOptions& options,
                                                          pid_t thread, int core,
                                                          std::size_t data_bytes) {
  perf_event_attr attributes = switch_event_attributes();
  Event event;
  event.thread_ = thread;
  event.descriptor_ = options.open_event(attributes, thread, core);
  if (event.descriptor_ < 0) {
    return core >= 0 ? explain_refusal_of_core(-event.descriptor_, options.host.proc)
                     : explain_refusal(-event.descriptor_, options.host.proc);
  }
  event.bytes_ = machine_page_bytes() + data_bytes;
  void* const memory =
      mmap(nullptr, event.bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, event.descriptor_, 0);
  if (memory == MAP_FAILED) {
    return Error{
        ErrorCode::kMachineLacks,
        fmt::format("the kernel gives no memory for context switches: {}", std::strerror(errno)),
        "", "`sudo sysctl kernel.perf_event_mlock_kb=8192` allows more"};
  }
  event.memory_ = memory;
  return event;
}

SchedulerWaits::Event::Event(Event&& other) noexcept
    : is_gone(other.is_gone),
      had_own_wait(other.had_own_wait),
      descriptor_(std::exchange(other.descriptor_, -1)),
      thread_(other.thread_),
      memory_(std::exchange(other.memory_, nullptr)),
      bytes_(other.bytes_) {}

SchedulerWaits::Event& SchedulerWaits::Event::operator=(Event&& other) noexcept {
  if (this == &other) return *this;
  close();
  is_gone = other.is_gone;
  had_own_wait = other.had_own_wait;
  descriptor_ = std::exchange(other.descriptor_, -1);
  thread_ = other.thread_;
  memory_ = std::exchange(other.memory_, nullptr);
  bytes_ = other.bytes_;
  return *this;
}

SchedulerWaits::Event::~Event() { close(); }

void SchedulerWaits::Event::close() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

SwitchRing SchedulerWaits::Event::ring() const {
  const std::size_t page = machine_page_bytes();
  return {static_cast<perf_event_mmap_page*>(memory_),
          std::span(static_cast<const std::byte*>(memory_) + page, bytes_ - page)};
}

Result<SchedulerWaits> SchedulerWaits::open(SchedulerWaitsOptions options) {
  if (!options.open_event) options.open_event = open_in_kernel;
  SchedulerWaits waits(std::move(options));
  waits.sees_all_processes_ = is_in_first_process_namespace(waits.options_.host.proc);
  const Result<void> cores = waits.open_cores();
  if (cores) {
    waits.reach_ = Reach::kCores;
    return waits;
  }
  waits.events_.clear();
  waits.missing_ = fmt::format("who ran instead of a waiting thread is not known: {}",
                               what_and_hint(cores.error()));
  STROBE_TRY_VOID(waits.try_thread());
  return waits;
}

Result<void> SchedulerWaits::open_cores() {
  const std::vector<int> cores =
      options_.cores.empty() ? cores_of(options_.root, options_.host) : options_.cores;
  const std::size_t bytes = bytes_of_core_ring(cores.size(), options_.most_ring_bytes);
  if (!options_.may_watch_cores || bytes == 0) {
    return Error{
        ErrorCode::kUnsupported,
        bytes == 0 ? "there are too many cores to watch them all" : "only own threads are watched",
        "", ""};
  }
  for (const int core : cores) {
    STROBE_TRY(Event event, Event::open(options_, -1, core, bytes));
    events_.push_back(std::move(event));
  }
  return {};
}

// Whether events of threads are allowed at all: with one of this thread.
Result<void> SchedulerWaits::try_thread() {
  STROBE_TRY_VOID(Event::open(options_, 0, -1, bytes_of_thread_ring()));
  return {};
}

std::string SchedulerWaits::what_is_missing() const {
  const bool are_both = !missing_.empty() && !watch_problem_.empty();
  return missing_ + (are_both ? "; " : "") + watch_problem_;
}

std::size_t SchedulerWaits::most_threads() const {
  return options_.most_ring_bytes / (machine_page_bytes() + bytes_of_thread_ring());
}

void SchedulerWaits::watch(std::span<const ThreadOfTree> threads) {
  const bool has_more_room = reach_ == Reach::kThreads && events_.size() < most_threads() &&
                             watched_threads_.size() < threads.size();
  if (!has_more_room && std::ranges::equal(threads, named_threads_)) return;
  named_threads_.assign(threads.begin(), threads.end());
  own_processes_.clear();
  for (const ThreadOfTree& thread : threads) own_processes_.insert(thread.process);
  if (reach_ == Reach::kThreads) add_threads(threads);
}

void SchedulerWaits::add_threads(std::span<const ThreadOfTree> threads) {
  std::unordered_set<pid_t> listed;
  for (const ThreadOfTree& thread : threads) listed.insert(thread.thread);
  for (Event& event : events_) event.is_gone = !listed.contains(event.thread());
  std::erase_if(watched_threads_, [&](pid_t thread) { return !listed.contains(thread); });
  for (const ThreadOfTree& thread : threads) {
    if (watched_threads_.contains(thread.thread)) continue;
    if (events_.size() >= most_threads()) {
      watch_problem_ = fmt::format("waits for a core are recorded for {} of {} threads",
                                   most_threads(), threads.size());
      return;
    }
    auto event = Event::open(options_, thread.thread, -1, bytes_of_thread_ring());
    watched_threads_.insert(thread.thread);  // it is not tried again
    if (event) {
      events_.push_back(std::move(*event));
    } else if (event.error().code != ErrorCode::kNotFound) {
      watch_problem_ = what_and_hint(event.error());
    }
  }
}

bool SchedulerWaits::is_own(const SwitchRecord& record) const {
  // Of a process that has just ended, the end of a wait may still come.
  return reach_ == Reach::kThreads || own_processes_.contains(record.process) ||
         waits_.is_waiting(record.thread);
}

void SchedulerWaits::drain(wire::RunFileWriter& file) {
  // A core may be about to write a record that is older than what another has written.
  const std::int64_t until_ns = wire::run_clock_ns() - kStillBeingWritten_ns;
  const std::int64_t before_ns = thread_cpu_ns();
  gather();
  assemble(until_ns);
  write(file);
  keep_cheap(file, thread_cpu_ns() - before_ns);
  note_losses(file, false);
}

void SchedulerWaits::keep_cheap(wire::RunFileWriter& file, std::int64_t cost_ns) {
  const std::int64_t now_ns = wire::run_clock_ns();
  if (cost_began_ns_ == 0) cost_began_ns_ = now_ns;
  cost_ns_ += cost_ns;
  const std::int64_t elapsed_ns = now_ns - cost_began_ns_;
  if (elapsed_ns <= 0 || elapsed_ns < options_.cost_window_ns) return;
  const double share = static_cast<double>(cost_ns_) / static_cast<double>(elapsed_ns);
  if (reach_ == Reach::kCores && share > options_.most_share) leave_cores(file);
  cost_ns_ = 0;
  cost_began_ns_ = now_ns;
}

void SchedulerWaits::leave_cores(wire::RunFileWriter& file) {
  reach_ = Reach::kThreads;
  events_.clear();
  batch_.clear();
  waits_.forget_all();
  missing_ =
      "who ran instead of a waiting thread is known only at first: the cores switch too often for "
      "a cheap recording";
  file.note(wire::NoteWhat::kRemark, missing_);
  add_threads(named_threads_);
}

void SchedulerWaits::finish(wire::RunFileWriter& file) {
  gather();
  const std::int64_t now_ns = wire::run_clock_ns();
  assemble(now_ns);
  waits_.end_all(now_ns, ended_);
  write(file);
  note_losses(file, true);
}

void SchedulerWaits::gather() {
  runs_.assign(1, batch_.size());  // what was too new the last time
  for (Event& event : events_) {
    const std::uint64_t lost = gather_from(event);
    if (lost == 0) continue;
    lost_ += lost;
    has_lost_of_.push_back(event.thread());
  }
  for (const pid_t thread : has_lost_of_) forget_around_losses(thread);
  has_lost_of_.clear();
  std::erase_if(events_, [](const Event& event) { return event.is_gone; });
}

// Of a core, what other processes do is of interest only while one of the program's own waits for
// it; most records of most cores end here.
std::uint64_t SchedulerWaits::gather_from(Event& event) {
  taken_.clear();
  const std::uint64_t lost = event.ring().take(taken_);
  bool is_awaited = std::exchange(event.had_own_wait, false) ||
                    (!taken_.empty() && waits_.is_awaited(taken_.front().core));
  for (const SwitchRecord& record : taken_) {
    const bool is_own_record = is_own(record);
    if (is_own_record && record.is_out && record.is_ready) {
      is_awaited = event.had_own_wait = true;
    }
    if (is_own_record || (is_awaited && record.is_out)) batch_.push_back(record);
  }
  runs_.push_back(batch_.size());
  return lost;
}

// A wait around lost records may have had another end: it is not written.
void SchedulerWaits::forget_around_losses(pid_t thread) {
  if (reach_ == Reach::kCores) {
    waits_.forget_all();
    batch_.clear();
    runs_.clear();
    return;
  }
  waits_.forget(thread);
  for (SwitchRecord& record : batch_) {
    if (record.thread == thread) record.is_out = record.is_ready = false;
  }
}

// Each ring has its records in the order of time: these runs are merged two by two.
void SchedulerWaits::put_in_order() {
  const auto is_earlier = [](const SwitchRecord& a, const SwitchRecord& b) {
    return a.time_ns < b.time_ns;
  };
  const auto at = [&](std::size_t index) {
    return batch_.begin() + static_cast<std::ptrdiff_t>(index);
  };
  while (runs_.size() > 1) {
    std::size_t kept = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < runs_.size(); i += 2) {
      const std::size_t end = runs_[std::min(i + 1, runs_.size() - 1)];
      std::inplace_merge(at(begin), at(runs_[i]), at(end), is_earlier);
      runs_[kept++] = begin = end;
    }
    runs_.resize(kept);
  }
}

void SchedulerWaits::assemble(std::int64_t until_ns) {
  put_in_order();
  std::size_t done = 0;
  for (; done < batch_.size() && batch_[done].time_ns <= until_ns; ++done) {
    const SwitchRecord& record = batch_[done];
    if (is_own(record)) {
      waits_.add_own(record, ended_);
    } else {
      waits_.add_other(record);
    }
  }
  batch_.erase(batch_.begin(), batch_.begin() + static_cast<std::ptrdiff_t>(done));
}

void SchedulerWaits::write(wire::RunFileWriter& file) {
  if (ended_.empty()) return;
  wire::ChunkRows rows(wire::ChunkKind::kWaits);
  for (const CoreWait& wait : ended_) {
    rows.add({static_cast<std::uint64_t>(wait.process), static_cast<std::uint64_t>(wait.thread),
              static_cast<std::uint64_t>(wait.start_ns),
              static_cast<std::uint64_t>(wait.end_ns - wait.start_ns),
              static_cast<std::uint64_t>(std::max(wait.other_process, 0)),
              file.text(name_of(wait.other_process))});
  }
  file.write(rows);
  ended_.clear();
}

std::string_view SchedulerWaits::name_of(pid_t process) {
  if (process < 0) return "";
  if (process == 0) return sees_all_processes_ ? kIdleCore : "";
  if (names_.size() >= kMostNames) names_.clear();
  const auto [entry, is_new] = names_.try_emplace(process);
  if (is_new) {
    std::array<char, 128> buffer;
    const std::string path = fmt::format("{}/{}/comm", options_.host.proc, process);
    auto name = read_once(path.c_str(), buffer).value_or("");
    while (name.ends_with('\n')) name.remove_suffix(1);
    entry->second = name.empty() ? "" : options_.host.shown_name(name);
  }
  return entry->second;
}

void SchedulerWaits::note_losses(wire::RunFileWriter& file, bool is_last) {
  if (!watch_problem_.empty() && !has_noted_problem_) {
    has_noted_problem_ = true;
    file.note(wire::NoteWhat::kRemark, watch_problem_);
  }
  const std::int64_t now_ns = wire::run_clock_ns();
  if (lost_ == 0 || (!is_last && now_ns - noted_ns_ < kBetweenNotes_ns)) return;
  file.note(wire::NoteWhat::kDropped,
            "context switches were lost for want of room: waits for a core around them are missing",
            lost_);
  lost_ = 0;
  noted_ns_ = now_ns;
}

}  // namespace strobe::record

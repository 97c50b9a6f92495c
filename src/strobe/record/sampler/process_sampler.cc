#include "strobe/record/sampler/process_sampler.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

namespace strobe::record {

struct ProcessSampler::Thread {
  pid_t id = 0;
  ProcFile schedstat;
  ProcFile stat;
  std::optional<SchedulerTimes> times;  // as last read
  // A thread's time is counted when it leaves its core or at the next tick, a wait when it ends:
  // what does not fit between two samples is carried over to the next.
  std::int64_t on_core_left_ns = 0;
  std::int64_t waiting_left_ns = 0;
  std::optional<std::uint64_t> ticks;  // used only where the kernel has no "schedstat"
  std::int64_t ticks_ns = 0;           // when they were read
  std::optional<SwitchCounts> switches;
  bool is_gone = false;
  bool has_new_details = false;
  bool has_new_switches = false;
  std::string name;
  unsigned name_part = 0;
  Series on_core = {.metric = "on_cpu_pct", .scale = -1};
  Series waiting = {.metric = "waiting_for_core_pct", .scale = -1};
  Series core = {.metric = "core"};
  Series page_faults = {.metric = "page_faults"};
  Series voluntary = {.metric = "voluntary_switches"};
  Series forced = {.metric = "forced_switches"};

  // Something is left to be written, be it the 0 behind the last activity.
  bool is_settling() const {
    return on_core_left_ns > 0 || waiting_left_ns > 0 || on_core.last_value != 0 ||
           waiting.last_value != 0;
  }
};

struct ProcessSampler::Process {
  pid_t id = 0;
  pid_t parent = 0;
  std::uint64_t start_ticks = 0;
  std::string name;
  unsigned name_part = 0;
  std::vector<Thread> threads;  // by id
  ProcFile stat;
  ProcFile disk;
  ProcFile groups;
  std::optional<std::int64_t> cpu_ns;
  std::int64_t cpu_read_ns = 0;  // when
  bool has_clock = true;
  std::int64_t times_ns = 0;  // when the times of its threads were read
  bool is_settling = true;    // there is something left to write even if it does not run
  bool has_disk = true;
  std::optional<std::int64_t> reaped_ns;
  SchedulerTimes ended_times;  // of threads that have ended
  SwitchCounts ended_switches;
  Series cpu_usage = {.metric = "process_cpu_usage", .scale = -1};
  Series on_core = {.metric = "schedstat_oncpu_ns"};
  Series waiting = {.metric = "schedstat_runq_ns"};
  Series resident = {.metric = "process_rss_bytes"};
  Series read = {.metric = "process_read_bytes"};
  Series written = {.metric = "process_write_bytes"};
  Series major_faults = {.metric = "major_faults"};
  Series minor_faults = {.metric = "minor_faults"};
  Series voluntary = {.metric = "voluntary_switches"};
  Series forced = {.metric = "forced_switches"};
  Series quota_cores = {.metric = "cpu_quota_cores", .scale = -2};
  Series quota_throttled = {.metric = "cpu_quota_throttled_us"};

  SeriesOwner owner() const { return {.of = wire::SeriesOf::kProcess, .process = id}; }
  SeriesOwner owner_of(const Thread& thread) const {
    return {.of = wire::SeriesOf::kThread, .process = id, .thread = thread.id};
  }
};

ProcessSampler::ProcessSampler(const HostAccess& host, SeriesWriter& out)
    : host_(host), out_(out), quota_(host.cgroups) {}

ProcessSampler::~ProcessSampler() = default;

void ProcessSampler::follow(const ProcessTree& tree) {
  let_go_of_ended(tree);
  for (const TreeProcess& listed : tree.processes()) {
    Process& process = take_up(listed);
    // A thread may have ended and another started.
    if (tree.was_thorough() || process.threads.size() != listed.threads) list_threads(process);
  }
  out_.flush_names();
}

void ProcessSampler::let_go_of_ended(const ProcessTree& tree) {
  std::unordered_map<pid_t, std::uint64_t> start_ticks;
  start_ticks.reserve(tree.processes().size());
  for (const TreeProcess& living : tree.processes()) start_ticks[living.id] = living.start_ticks;
  const std::size_t ended = std::erase_if(processes_, [&](const Process& process) {
    const auto living = start_ticks.find(process.id);
    const bool lives = living != start_ticks.end() && living->second == process.start_ticks;
    if (!lives) let_go(process, tree.contains(process.parent));
    return !lives;
  });
  if (ended == 0) return;
  places_.clear();
  for (std::size_t i = 0; i < processes_.size(); ++i) places_[processes_[i].id] = i;
}

void ProcessSampler::let_go(const Process& process, bool has_parent) {
  add_to_ended(process, has_parent);
  for (const Thread& thread : process.threads) out_.forget(process.owner_of(thread));
  out_.forget(process.owner());
}

void ProcessSampler::add_to_ended(const Process& process, bool has_parent) {
  ended_cpu_ns_ += process.cpu_ns.value_or(0);
  if (has_parent) {
    not_yet_reaped_ns_ += process.cpu_ns.value_or(0) + process.reaped_ns.value_or(0);
  }
}

ProcessSampler::Process& ProcessSampler::take_up(const TreeProcess& listed) {
  const auto [place, is_new] = places_.try_emplace(listed.id, processes_.size());
  if (!is_new) {
    Process& known = processes_[place->second];
    known.parent = listed.parent;
    write_name(known, listed.name);
    return known;
  }
  const std::string folder = fmt::format("{}/{}/", host_.proc, listed.id);
  Process process;
  process.id = listed.id;
  process.parent = listed.parent;
  process.start_ticks = listed.start_ticks;
  process.stat = ProcFile(folder + "stat", budget_);
  process.disk = ProcFile(folder + "io", budget_);
  process.groups = ProcFile(folder + "cgroup", budget_);
  write_name(process, listed.name);
  return processes_.emplace_back(std::move(process));
}

void ProcessSampler::write_name(Process& process, std::string_view name) {
  if (process.name == name && process.name_part == out_.part()) return;
  process.name = name;
  process.name_part = out_.part();
  out_.process(process.id, process.parent, host_.shown_name(name), false);
}

void ProcessSampler::write_name(Thread& thread, std::string_view name) {
  if (thread.name == name && thread.name_part == out_.part()) return;
  thread.name = name;
  thread.name_part = out_.part();
  out_.thread(thread.id, host_.shown_name(name));
}

ProcessSampler::Thread ProcessSampler::new_thread(pid_t process, pid_t thread) {
  const std::string folder = fmt::format("{}/{}/task/{}/", host_.proc, process, thread);
  Thread made;
  made.id = thread;
  made.schedstat = ProcFile(folder + "schedstat", budget_);
  made.stat = ProcFile(folder + "stat", budget_);
  return made;
}

void ProcessSampler::list_threads(Process& process) {
  if (!list_numbers(fmt::format("{}/{}/task", host_.proc, process.id).c_str(), listed_)) return;
  std::sort(listed_.begin(), listed_.end());
  const bool are_the_same =
      std::equal(listed_.begin(), listed_.end(), process.threads.begin(), process.threads.end(),
                 [](pid_t id, const Thread& thread) { return id == thread.id; });
  if (are_the_same) return;
  std::vector<Thread> threads;
  threads.reserve(listed_.size());
  auto known = process.threads.begin();
  for (const pid_t id : listed_) {
    for (; known != process.threads.end() && known->id < id; ++known) let_go(process, *known);
    const bool is_known = known != process.threads.end() && known->id == id;
    threads.push_back(is_known ? std::move(*known++) : new_thread(process.id, id));
  }
  for (; known != process.threads.end(); ++known) let_go(process, *known);
  process.threads = std::move(threads);
}

void ProcessSampler::let_go(Process& process, const Thread& thread) {
  out_.forget(process.owner_of(thread));
  if (thread.switches) {
    process.ended_switches.voluntary += thread.switches->voluntary;
    process.ended_switches.forced += thread.switches->forced;
  }
  if (!thread.times) return;
  process.ended_times.on_core_ns += thread.times->on_core_ns;
  process.ended_times.waiting_ns += thread.times->waiting_ns;
}

void ProcessSampler::remove_gone(Process& process) {
  std::erase_if(process.threads, [&](const Thread& thread) {
    if (thread.is_gone) let_go(process, thread);
    return thread.is_gone;
  });
}

void ProcessSampler::stop_counting_waits() {
  counts_waits_ = false;
  out_.note(wire::NoteWhat::kRemark,
            fmt::format("this kernel does not count how long threads wait for a core (schedstat); "
                        "their time on a core is known in steps of {} ms",
                        host_.ns_per_tick / 1'000'000));
}

void ProcessSampler::sample_times(std::int64_t now_ns) {
  for (Process& process : processes_) {
    const bool has_run = may_have_run(process, now_ns);
    if (counts_waits_ && (has_run || process.is_settling)) sample_times(process, now_ns);
    process.times_ns = now_ns;
  }
}

void ProcessSampler::sample_times(Process& process, std::int64_t now_ns) {
  process.is_settling = false;
  for (Thread& thread : process.threads) {
    sample_thread_times(process, thread, now_ns);
    process.is_settling = process.is_settling || thread.is_settling();
  }
  remove_gone(process);
  write_sums(process, now_ns);
}

// Whether its clock went on since the last time. Without a clock nobody knows.
bool ProcessSampler::may_have_run(Process& process, std::int64_t now_ns) {
  const auto cpu_ns = host_.cpu_ns(process.id);
  if (!cpu_ns) {
    if (!process.cpu_ns) process.has_clock = false;  // ticks must do
    return true;
  }
  const bool has_run = process.cpu_ns != cpu_ns;
  write_cpu_usage(process, *cpu_ns, now_ns);
  return has_run;
}

void ProcessSampler::sample_thread_times(Process& process, Thread& thread, std::int64_t now_ns) {
  errno = 0;
  const auto text = thread.schedstat.read(buffer_);
  const auto times = text ? parse_scheduler_times(*text) : std::nullopt;
  if (!times) {
    if (errno == EMFILE || errno == ENFILE) return;  // it may be there
    thread.is_gone = !thread.stat.read(buffer_);
    if (!thread.is_gone && counts_waits_) stop_counting_waits();
    return;
  }
  const bool is_another = thread.times && times->on_core_ns < thread.times->on_core_ns;
  if (is_another) {  // a new thread got the number of one that ended
    let_go(process, thread);
    thread = new_thread(process.id, thread.id);
  }
  if (thread.times) {
    const std::int64_t on_core_ns = times->on_core_ns - thread.times->on_core_ns;
    const std::int64_t waiting_ns = times->waiting_ns - thread.times->waiting_ns;
    if (*times != *thread.times) thread.has_new_details = thread.has_new_switches = true;
    write_thread_times(process, thread, {on_core_ns, waiting_ns}, process.times_ns, now_ns);
  }
  thread.times = times;
}

void ProcessSampler::write_thread_times(const Process& process, Thread& thread,
                                        const SchedulerTimes& added, std::int64_t since_ns,
                                        std::int64_t now_ns) {
  const std::int64_t elapsed_ns = now_ns - since_ns;
  const auto write = [&](Series& series, std::int64_t& left_ns, std::int64_t added_ns) {
    left_ns += added_ns;
    const std::int64_t fitting_ns = std::min(left_ns, elapsed_ns);
    left_ns -= fitting_ns;
    out_.put_activity(process.owner_of(thread), series, now_ns,
                      tenths_of_percent(fitting_ns, elapsed_ns));
  };
  write(thread.on_core, thread.on_core_left_ns, added.on_core_ns);
  write(thread.waiting, thread.waiting_left_ns, added.waiting_ns);
}

void ProcessSampler::write_sums(Process& process, std::int64_t now_ns) {
  SchedulerTimes sum = process.ended_times;
  for (const Thread& thread : process.threads) {
    if (!thread.times) continue;
    sum.on_core_ns += thread.times->on_core_ns;
    sum.waiting_ns += thread.times->waiting_ns;
  }
  out_.put_change(process.owner(), process.on_core, now_ns, sum.on_core_ns);
  out_.put_change(process.owner(), process.waiting, now_ns, sum.waiting_ns);
}

void ProcessSampler::write_cpu_usage(Process& process, std::int64_t cpu_ns, std::int64_t now_ns) {
  if (process.cpu_ns && cpu_ns < *process.cpu_ns) return;  // another process has its number now
  if (process.cpu_ns) {
    out_.put_activity(process.owner(), process.cpu_usage, now_ns,
                      tenths_of_percent(cpu_ns - *process.cpu_ns, now_ns - process.cpu_read_ns));
  }
  process.cpu_ns = cpu_ns;
  process.cpu_read_ns = now_ns;
}

void ProcessSampler::sample_memory(std::int64_t now_ns) {
  for (Process& process : processes_) sample_memory(process, now_ns);
}

void ProcessSampler::sample_memory(Process& process, std::int64_t now_ns) {
  const auto text = process.stat.read(buffer_);
  const auto stat = text ? parse_task_stat(*text) : std::nullopt;
  if (!stat || stat->start_ticks != process.start_ticks) return;
  const SeriesOwner owner = process.owner();
  const auto write = [&](Series& series, std::uint64_t value) {
    out_.put_change(owner, series, now_ns, static_cast<std::int64_t>(value));
  };
  write(process.minor_faults, stat->minor_faults);
  write(process.major_faults, stat->major_faults);
  if (!stat->has_ended()) {
    write(process.resident, stat->resident_pages * static_cast<std::uint64_t>(host_.page_bytes));
  }
  if (!process.has_clock) {
    write_cpu_usage(process, static_cast<std::int64_t>(stat->cpu_ticks) * host_.ns_per_tick,
                    now_ns);
  }
  const std::int64_t reaped_ns = static_cast<std::int64_t>(stat->reaped_ticks) * host_.ns_per_tick;
  if (process.reaped_ns) account_for_reaped(reaped_ns - *process.reaped_ns);
  process.reaped_ns = reaped_ns;
}

// Time of children that have ended: of those that were followed it is known already.
void ProcessSampler::account_for_reaped(std::int64_t reaped_ns) {
  const std::int64_t known_ns = std::min(reaped_ns, not_yet_reaped_ns_);
  not_yet_reaped_ns_ -= known_ns;
  unseen_cpu_ns_ += reaped_ns - known_ns;
}

void ProcessSampler::sample_threads(std::int64_t now_ns) {
  cores_.clear();
  for (Process& process : processes_) {
    for (Thread& thread : process.threads) sample_thread(process, thread, now_ns);
    remove_gone(process);
  }
  std::sort(cores_.begin(), cores_.end());
  cores_.erase(std::unique(cores_.begin(), cores_.end()), cores_.end());
  out_.flush_names();
}

void ProcessSampler::sample_thread(Process& process, Thread& thread, std::int64_t now_ns) {
  const bool has_run = thread.times && thread.times->turns > 0;
  if (counts_waits_ && has_run && !thread.has_new_details) return;
  thread.has_new_details = false;
  const auto text = thread.stat.read(buffer_);
  const auto stat = text ? parse_task_stat(*text) : std::nullopt;
  if (!stat) {
    thread.is_gone = !text;
    return;
  }
  if (!did_something(process, thread, stat->cpu_ticks, now_ns)) return;
  const SeriesOwner owner = process.owner_of(thread);
  const std::uint64_t page_faults = stat->minor_faults + stat->major_faults;
  out_.put_change(owner, thread.core, now_ns, static_cast<std::int64_t>(stat->core));
  out_.put_change(owner, thread.page_faults, now_ns, static_cast<std::int64_t>(page_faults));
  write_name(thread, stat->name);
  cores_.push_back(stat->core);
}

// Since it was looked at. Without "schedstat" the ticks tell it; a kernel that has the file and
// leaves it at 0 is found out here.
bool ProcessSampler::did_something(const Process& process, Thread& thread, std::uint64_t ticks,
                                   std::int64_t now_ns) {
  const bool has_turns = thread.times && thread.times->turns > 0;
  if (counts_waits_ && !has_turns && thread.times && ticks > 0) stop_counting_waits();
  if (counts_waits_) return has_turns;
  const std::uint64_t before = thread.ticks.value_or(ticks);
  const std::uint64_t added = ticks > before ? ticks - before : 0;
  if (thread.ticks) {
    const SchedulerTimes times = {.on_core_ns =
                                      static_cast<std::int64_t>(added) * host_.ns_per_tick};
    write_thread_times(process, thread, times, thread.ticks_ns, now_ns);
  }
  thread.ticks = ticks;
  thread.ticks_ns = now_ns;
  thread.has_new_switches = thread.has_new_switches || added > 0;
  return added > 0;
}

void ProcessSampler::sample_counters(std::int64_t now_ns) {
  for (Process& process : processes_) {
    sample_switches(process, now_ns);
    sample_disk(process, now_ns);
  }
  sample_quota(now_ns);
}

// A thread's first count is read even if it did nothing: the process's sum begins with it.
void ProcessSampler::sample_switches(Process& process, std::int64_t now_ns) {
  SwitchCounts sum = process.ended_switches;
  for (Thread& thread : process.threads) {
    if (thread.has_new_switches || !thread.switches) sample_switches(process, thread, now_ns);
    if (!thread.switches) continue;
    sum.voluntary += thread.switches->voluntary;
    sum.forced += thread.switches->forced;
  }
  const SeriesOwner owner = process.owner();
  out_.put_change(owner, process.voluntary, now_ns, static_cast<std::int64_t>(sum.voluntary));
  out_.put_change(owner, process.forced, now_ns, static_cast<std::int64_t>(sum.forced));
}

void ProcessSampler::sample_switches(const Process& process, Thread& thread, std::int64_t now_ns) {
  const std::string path = fmt::format("{}/{}/task/{}/status", host_.proc, process.id, thread.id);
  const auto text = read_once(path.c_str(), buffer_);
  const auto switches = text ? parse_switch_counts(*text) : std::nullopt;
  if (!switches) return;
  thread.switches = switches;
  if (!std::exchange(thread.has_new_switches, false)) return;
  const SeriesOwner owner = process.owner_of(thread);
  out_.put_change(owner, thread.voluntary, now_ns, static_cast<std::int64_t>(switches->voluntary));
  out_.put_change(owner, thread.forced, now_ns, static_cast<std::int64_t>(switches->forced));
}

void ProcessSampler::sample_disk(Process& process, std::int64_t now_ns) {
  if (!process.has_disk) return;
  errno = 0;
  const auto text = process.disk.read(buffer_);
  const bool is_forbidden = !text && (errno == EACCES || errno == EPERM);
  const auto bytes = text ? parse_disk_bytes(*text) : std::nullopt;
  if (bytes) {
    out_.put_change(process.owner(), process.read, now_ns, static_cast<std::int64_t>(bytes->read));
    out_.put_change(process.owner(), process.written, now_ns,
                    static_cast<std::int64_t>(bytes->written));
    return;
  }
  process.has_disk = !is_forbidden;
  if (!is_forbidden || std::exchange(has_noted_disk_, true)) return;
  out_.note(wire::NoteWhat::kNotPermitted,
            fmt::format("the disk traffic of process {} is not recorded: /proc/{}/io may be read "
                        "only by its own user or with CAP_SYS_PTRACE",
                        process.id, process.id));
}

// A quota holds for all processes of a group: it is written for the first of them.
void ProcessSampler::sample_quota(std::int64_t now_ns) {
  std::vector<std::string> seen;
  for (Process& process : processes_) {
    const auto text = process.groups.read(buffer_);
    if (!text || std::find(seen.begin(), seen.end(), *text) != seen.end()) continue;
    seen.emplace_back(*text);
    const auto quota = quota_.of(seen.back());
    if (!quota) continue;
    const SeriesOwner owner = process.owner();
    out_.put_change(owner, process.quota_cores, now_ns, quota->hundredths_of_core);
    out_.put_change(owner, process.quota_throttled, now_ns, quota->throttled_us);
  }
}

std::size_t ProcessSampler::thread_count() const {
  std::size_t count = 0;
  for (const Process& process : processes_) count += process.threads.size();
  return count;
}

std::vector<ThreadOfTree> ProcessSampler::threads() const {
  std::vector<ThreadOfTree> threads;
  threads.reserve(thread_count());
  for (const Process& process : processes_) {
    for (const Thread& thread : process.threads) threads.push_back({process.id, thread.id});
  }
  return threads;
}

std::int64_t ProcessSampler::cpu_ns() const {
  std::int64_t sum = ended_cpu_ns_ + unseen_cpu_ns_;
  for (const Process& process : processes_) sum += process.cpu_ns.value_or(0);
  return sum;
}

}  // namespace strobe::record

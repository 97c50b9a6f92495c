#include "strobe/record/sampler/foreign_processes.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace strobe::record {
namespace {

constexpr SeriesOwner kWholeMachine = {};
constexpr std::size_t kMostListed = 5;
constexpr std::int64_t kLeastPercent = 1;  // of a core: a smaller process is not listed

}  // namespace

ForeignProcesses::ForeignProcesses(const HostAccess& host, SeriesWriter& out)
    : host_(host), out_(out), stat_(host.proc + "/stat", budget_) {}

void ForeignProcesses::forget() {
  seen_.clear();
  scan_ns_.reset();
  busy_ns_.reset();
}

void ForeignProcesses::scan(std::int64_t now_ns, const std::function<bool(pid_t)>& is_own,
                            std::int64_t own_cpu_ns) {
  ++scans_;
  look_at_all(is_own);
  const auto busy = busy_ns();
  if (scan_ns_ && now_ns > *scan_ns_) {
    const std::int64_t elapsed_ns = now_ns - *scan_ns_;
    out_.put(kWholeMachine, usage_, now_ns,
             tenths_of_percent(sum_ns(elapsed_ns, busy, own_cpu_ns), elapsed_ns));
    write_largest(now_ns, elapsed_ns);
    write_no_longer_large(now_ns, elapsed_ns);
    out_.flush_names();
  }
  scan_ns_ = now_ns;
  busy_ns_ = busy;
  own_cpu_ns_ = own_cpu_ns;
}

void ForeignProcesses::look_at_all(const std::function<bool(pid_t)>& is_own) {
  used_.clear();
  if (!list_numbers(host_.proc.c_str(), all_)) return;
  for (const pid_t process : all_) {
    if (is_own(process)) continue;
    const auto cpu_ns = cpu_ns_of(process);
    if (!cpu_ns) continue;
    const auto [seen, is_new] = seen_.try_emplace(process);
    const std::int64_t used_ns = *cpu_ns - seen->second.cpu_ns;  // below 0: another process
    if (!is_new && used_ns > 0) used_.push_back({process, used_ns});
    seen->second = {*cpu_ns, scans_};
  }
  std::erase_if(seen_, [this](const auto& entry) { return entry.second.scan != scans_; });
  std::sort(used_.begin(), used_.end(), [](const Used& a, const Used& b) {
    return std::pair(-a.cpu_ns, a.process) < std::pair(-b.cpu_ns, b.process);
  });
}

std::optional<TaskStat> ForeignProcesses::stat_of(pid_t process) {
  char path[512];
  std::snprintf(path, sizeof path, "%s/%d/stat", host_.proc.c_str(), process);
  const auto text = read_once(path, buffer_);
  return text ? parse_task_stat(*text) : std::nullopt;
}

std::optional<std::int64_t> ForeignProcesses::cpu_ns_of(pid_t process) {
  if (const auto cpu_ns = host_.cpu_ns(process)) return cpu_ns;
  const auto stat = stat_of(process);
  if (!stat) return std::nullopt;
  return static_cast<std::int64_t>(stat->cpu_ticks) * host_.ns_per_tick;
}

std::optional<std::int64_t> ForeignProcesses::busy_ns() {
  const auto text = stat_.read(buffer_);
  const auto ticks = text ? parse_core_ticks(*text) : std::nullopt;
  if (!ticks) return std::nullopt;
  return static_cast<std::int64_t>(ticks->all - ticks->idle - ticks->stolen) * host_.ns_per_tick;
}

std::int64_t ForeignProcesses::sum_ns(std::int64_t elapsed_ns, std::optional<std::int64_t> busy_ns,
                                      std::int64_t own_cpu_ns) const {
  std::int64_t sum = 0;
  for (const Used& used : used_) sum += used.cpu_ns;
  if (!busy_ns || !busy_ns_) return sum;
  const std::int64_t all_ns = *busy_ns - *busy_ns_;
  const std::int64_t unexplained_ns = all_ns - (own_cpu_ns - own_cpu_ns_) - sum;
  const std::int64_t inexact_ns = elapsed_ns / 10 + all_ns / 20;
  return unexplained_ns > inexact_ns ? sum + unexplained_ns : sum;
}

void ForeignProcesses::write_largest(std::int64_t now_ns, std::int64_t elapsed_ns) {
  const std::int64_t least_ns = elapsed_ns * kLeastPercent / 100;
  for (std::size_t i = 0; i < std::min(used_.size(), kMostListed); ++i) {
    const Used& used = used_[i];
    if (used.cpu_ns < least_ns) return;
    if (Listed* listed = list(used.process)) {
      write_usage(used.process, *listed, now_ns, tenths_of_percent(used.cpu_ns, elapsed_ns));
    }
  }
}

// Those that were written the last time: without one more value they would seem to go on as before.
void ForeignProcesses::write_no_longer_large(std::int64_t now_ns, std::int64_t elapsed_ns) {
  for (auto& [process, listed] : listed_) {
    if (listed.written + 1 != scans_) continue;
    const pid_t id = process;
    const auto used = std::find_if(used_.begin(), used_.end(),
                                   [id](const Used& each) { return each.process == id; });
    const std::int64_t cpu_ns = used == used_.end() ? 0 : used->cpu_ns;
    write_usage(process, listed, now_ns, tenths_of_percent(cpu_ns, elapsed_ns));
    listed.written = 0;
  }
  std::erase_if(listed_, [this](const auto& entry) { return !seen_.contains(entry.first); });
}

void ForeignProcesses::write_usage(pid_t process, Listed& listed, std::int64_t now_ns,
                                   std::int64_t usage) {
  if (listed.name_part != out_.part()) {
    listed.name_part = out_.part();
    out_.process(process, listed.parent, listed.name, true);
  }
  out_.put(kWholeMachine, listed.usage, now_ns, usage);
  listed.written = scans_;
}

ForeignProcesses::Listed* ForeignProcesses::list(pid_t process) {
  const auto stat = stat_of(process);
  if (!stat) return nullptr;
  Listed& listed = listed_[process];
  const std::string name = host_.shown_name(stat->name);
  const bool is_same = listed.start_ticks == stat->start_ticks && listed.name == name;
  if (is_same && !listed.name.empty()) return &listed;
  listed = {};
  listed.start_ticks = stat->start_ticks;
  listed.parent = stat->parent;
  listed.name = name;
  listed.usage = {.metric = "foreign_process_cpu_usage",
                  .scale = -1,
                  .key = fmt::format("{} ({})", name, process)};
  return &listed;
}

}  // namespace strobe::record

#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strobe/record/sampler/cgroup_quota.h"
#include "strobe/record/sampler/proc_files.h"
#include "strobe/record/sampler/process_tree.h"
#include "strobe/record/sampler/series_writer.h"

namespace strobe::record {

// What the processes of the recorded program and their threads do.
class ProcessSampler {
 public:
  ProcessSampler(const HostAccess& host, SeriesWriter& out);
  ProcessSampler(const ProcessSampler&) = delete;
  ProcessSampler& operator=(const ProcessSampler&) = delete;
  ~ProcessSampler();

  // Takes up processes and threads that have started, and lets go of those that have ended.
  void follow(const ProcessTree& tree);

  // Time on cores and time waiting for one.
  void sample_times(std::int64_t now_ns);
  // Page faults and memory of processes.
  void sample_memory(std::int64_t now_ns);
  // Page faults, core and name of threads that did something.
  void sample_threads(std::int64_t now_ns);
  // Switches, disk traffic, the quota of the processes' control groups.
  void sample_counters(std::int64_t now_ns);

  std::size_t thread_count() const;
  std::vector<ThreadOfTree> threads() const;
  // Where those threads ran, sorted.
  const std::vector<std::uint64_t>& cores() const { return cores_; }
  // Time on cores of all processes so far, and of children that came and went without being seen.
  std::int64_t cpu_ns() const;

 private:
  struct Thread;
  struct Process;

  void let_go_of_ended(const ProcessTree& tree);
  void let_go(const Process& process, bool has_parent);
  void add_to_ended(const Process& process, bool has_parent);
  Process& take_up(const TreeProcess& process);
  void list_threads(Process& process);
  Thread new_thread(pid_t process, pid_t thread);
  void let_go(Process& process, const Thread& thread);
  void remove_gone(Process& process);
  void stop_counting_waits();
  void sample_times(Process& process, std::int64_t now_ns);
  void sample_thread_times(Process& process, Thread& thread, std::int64_t now_ns);
  void write_thread_times(const Process& process, Thread& thread, const SchedulerTimes& added,
                          std::int64_t since_ns, std::int64_t now_ns);
  bool may_have_run(Process& process, std::int64_t now_ns);
  void write_sums(Process& process, std::int64_t now_ns);
  void write_cpu_usage(Process& process, std::int64_t cpu_ns, std::int64_t now_ns);
  void sample_memory(Process& process, std::int64_t now_ns);
  void sample_thread(Process& process, Thread& thread, std::int64_t now_ns);
  bool did_something(const Process& process, Thread& thread, std::uint64_t ticks,
                     std::int64_t now_ns);
  void account_for_reaped(std::int64_t reaped_ns);
  void sample_switches(Process& process, std::int64_t now_ns);
  void sample_switches(const Process& process, Thread& thread, std::int64_t now_ns);
  void sample_disk(Process& process, std::int64_t now_ns);
  void sample_quota(std::int64_t now_ns);
  void write_name(Process& process, std::string_view name);
  void write_name(Thread& thread, std::string_view name);

  const HostAccess& host_;
  SeriesWriter& out_;
  CgroupQuota quota_;
  DescriptorBudget budget_ = DescriptorBudget::of_this_process();
  std::vector<Process> processes_;
  std::unordered_map<pid_t, std::size_t> places_;  // of the processes, by id
  std::vector<std::uint64_t> cores_;
  bool counts_waits_ = true;  // the kernel keeps "schedstat"
  bool has_noted_disk_ = false;
  std::int64_t ended_cpu_ns_ = 0;
  std::int64_t unseen_cpu_ns_ = 0;
  // Time of ended processes that is counted here and will be found again in what their parents
  // reap.
  std::int64_t not_yet_reaped_ns_ = 0;
  std::array<char, kProcBytes> buffer_ = {};
  std::vector<pid_t> listed_;
};

}  // namespace strobe::record

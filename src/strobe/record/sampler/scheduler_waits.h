#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/record/sampler/core_waits.h"
#include "strobe/record/sampler/proc_files.h"
#include "strobe/record/sampler/switch_ring.h"
#include "strobe/wire/run_file_writer.h"

namespace strobe::record {

struct SchedulerWaitsOptions {
  HostAccess host = {};
  pid_t root = 0;                         // the recorded program
  std::vector<int> cores = {};            // those to watch; none: all that the program may use
  std::size_t most_ring_bytes = 8 << 20;  // shared with the kernel, in all
  bool may_watch_cores = true;            // false: only the program's own threads
  // Where reading the switches of all processes costs more than this share of a core, only those of
  // the program's own threads are read from then on.
  double most_share = 0.004;
  std::int64_t cost_window_ns = 2'000'000'000;  // the time over which that is measured
  // perf_event_open for a thread on any core (core -1) or for all threads of a core (thread -1): a
  // descriptor, or an error number below 0.
  std::function<int(perf_event_attr&, pid_t thread, int core)> open_event;  // none: the kernel's
};

// Each time in which a thread of the recorded program was ready to run and had no core, from the
// kernel's records of context switches.
//
// With the permission to watch whole cores, it is also known who ran instead. Otherwise each thread
// has an event of its own; it is not inherited by threads that it starts, because the kernel would
// then need one event per thread and core, and each new thread of the program would pay for them.
//
// What switches cannot show: a thread that wakes up and waits for its first turn. No record says
// when it woke up. The counter of the scheduler (schedstat_runq_ns) has these waits, too: what it
// has more than the sum of the waits here is this time.
class SchedulerWaits {
 public:
  enum class Reach { kCores, kThreads };

  // The error says what has to be allowed.
  static Result<SchedulerWaits> open(SchedulerWaitsOptions options);

  Reach reach() const { return reach_; }  // may become less during a run
  // Why it is not known who ran instead, or which threads are not watched, and how to allow that;
  // "" if nothing is missing. May become more during a run.
  std::string what_is_missing() const;

  // The threads of the recorded program now. With an event per thread there is a limit to their
  // number; the first ones are watched.
  void watch(std::span<const ThreadOfTree> threads);
  std::size_t most_threads() const;

  // Writes the waits that have ended since the last time; 20 times a second keeps the rings from
  // filling up.
  void drain(wire::RunFileWriter& file);
  // The recording ends.
  void finish(wire::RunFileWriter& file);

 private:
  // An event of the kernel and its ring; unmapped and closed by the destructor.
  class Event {
   public:
    static Result<Event> open(const SchedulerWaitsOptions& options, pid_t thread, int core,
                              std::size_t data_bytes);
    Event(Event&& other) noexcept;
    Event& operator=(Event&& other) noexcept;
    ~Event();

    pid_t thread() const { return thread_; }
    SwitchRing ring() const;
    bool is_gone = false;       // the thread is no longer listed
    bool had_own_wait = false;  // in the last batch

   private:
    Event() = default;
    void close();

    int descriptor_ = -1;
    pid_t thread_ = -1;
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
  };

  explicit SchedulerWaits(SchedulerWaitsOptions options) : options_(std::move(options)) {}
  Result<void> open_cores();
  Result<void> try_thread();
  void add_threads(std::span<const ThreadOfTree> threads);
  void gather();
  std::uint64_t gather_from(Event& event);
  void forget_around_losses(pid_t thread);
  void put_in_order();
  void keep_cheap(wire::RunFileWriter& file, std::int64_t cost_ns);
  void leave_cores(wire::RunFileWriter& file);
  void assemble(std::int64_t until_ns);
  void write(wire::RunFileWriter& file);
  void note_losses(wire::RunFileWriter& file, bool is_last);
  std::string_view name_of(pid_t process);
  bool is_own(const SwitchRecord& record) const;

  SchedulerWaitsOptions options_;
  Reach reach_ = Reach::kThreads;
  std::string missing_;  // "" if it is known who ran instead
  bool sees_all_processes_ = false;
  std::vector<Event> events_;
  std::vector<ThreadOfTree> named_threads_;
  std::unordered_set<pid_t> own_processes_;
  std::unordered_set<pid_t> watched_threads_;
  std::string watch_problem_;  // "" if every thread is watched
  bool has_noted_problem_ = false;
  std::vector<SwitchRecord> taken_;  // from one ring
  std::vector<SwitchRecord> batch_;  // from all, not yet assembled
  std::vector<std::size_t> runs_;    // where the runs of the batch end, each in the order of time
  std::vector<pid_t> has_lost_of_;
  CoreWaits waits_;
  std::vector<CoreWait> ended_;
  std::unordered_map<pid_t, std::string> names_;
  std::int64_t cost_ns_ = 0;  // since cost_began_ns_
  std::int64_t cost_began_ns_ = 0;
  std::uint64_t lost_ = 0;
  std::int64_t noted_ns_ = 0;
};

}  // namespace strobe::record

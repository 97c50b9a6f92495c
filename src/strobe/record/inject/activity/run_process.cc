#include "strobe/record/inject/activity/run_process.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <new>
#include <utility>

#include "strobe/record/inject/activity/exit_hook.h"
#include "strobe/record/inject/activity/nvtx_callbacks.h"
#include "strobe/wire/run_settings.h"

namespace strobe::record {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWakePeriod{100};
constexpr std::int64_t kFlushPeriodNs = 1'000'000'000;  // what a killed process loses at most
constexpr std::int64_t kLongestLeaveNs = 2'000'000'000;
constexpr std::int64_t kPartsKept = 8;  // of the time that is kept
constexpr std::int64_t kShortestPartNs = 1'000'000'000;

std::atomic<RunProcess*> the_process = nullptr;  // NOLINT: CUDA and NVTX call by name
std::mutex the_process_mutex;                    // NOLINT
pid_t forked_from = 0;                           // NOLINT: a recorded process; 0: this is no child

std::int64_t ns_of(milliseconds time) noexcept { return time.count() * 1'000'000; }

std::string program_name() noexcept {
  std::array<char, 4096> path = {};
  const ssize_t bytes = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  const std::string text(path.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return text.substr(text.rfind('/') + 1);
}

std::string host_name() noexcept {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

const std::atomic<std::uint64_t>* map_control(const std::string& folder) noexcept {
  const int descriptor = ::open((folder + "/" + wire::kRunControl).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  void* mapped = ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ, MAP_SHARED, descriptor, 0);
  const bool has_room =
      ::lseek(descriptor, 0, SEEK_END) >= static_cast<off_t>(sizeof(std::uint64_t));
  ::close(descriptor);
  if (mapped == MAP_FAILED) return nullptr;
  return has_room ? static_cast<const std::atomic<std::uint64_t>*>(mapped) : nullptr;
}

void end_this_process() noexcept {
  if (RunProcess* process = the_process; process != nullptr) process->end();
}

void leave_this_process() noexcept {
  if (RunProcess* process = the_process; process != nullptr) process->end_by_keeper();
}

// The keeper takes no signal that is meant for the program.
class BlockedSignals {
 public:
  BlockedSignals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

}  // namespace

NvtxRanges* ranges_of_this_process() noexcept {
  RunProcess* process = RunProcess::of_this_process();
  return process == nullptr ? nullptr : &process->ranges();
}

RunProcess* RunProcess::of_this_process() noexcept {
  if (RunProcess* process = the_process; process != nullptr) return process;
  const std::lock_guard lock(the_process_mutex);
  if (RunProcess* process = the_process; process != nullptr) return process;
  const RunSettings settings = read_run_settings();
  if (settings.folder.empty()) return nullptr;
  static bool has_handlers = false;
  if (!std::exchange(has_handlers, true)) {
    pthread_atfork(nullptr, nullptr, abandon_in_child);
    std::atexit(end_this_process);
    std::at_quick_exit(end_this_process);
    run_before_exit_without_handlers(leave_this_process);
  }
  static pid_t failed_process = 0;
  if (failed_process == ::getpid()) return nullptr;
  auto* process = new (std::nothrow) RunProcess(settings);
  if (process == nullptr || !process->open()) {
    delete process;
    failed_process = ::getpid();
    return nullptr;
  }
  the_process = process;
  return process;
}

RunProcess::RunProcess(const RunSettings& settings) noexcept
    : settings_(settings), threads_(file_), device_(file_, threads_, settings_) {}

std::string RunProcess::part_path(std::uint64_t number) const {
  return path_ + wire::kPartSuffix + std::to_string(number);
}

// A process that has replaced its program (exec), or has the number of an older one, finds a file
// with its own number.
bool RunProcess::open_file() noexcept {
  constexpr int kMostOfOneNumber = 100;
  const std::string rank = settings_.rank.empty() ? "" : "rank" + settings_.rank + "-";
  const std::string number = std::to_string(process_id_);
  for (int i = 1; i <= kMostOfOneNumber; ++i) {
    const std::string which = i == 1 ? number : number + "-" + std::to_string(i);
    path_ = settings_.folder + "/" + rank + wire::kProcessFilePrefix + which + wire::kRunFileSuffix;
    if (file_.open(settings_.keep.count() > 0 ? part_path(part_) : path_)) return true;
    if (errno != EEXIST) return false;
  }
  return false;
}

bool RunProcess::open() noexcept {
  process_id_ = ::getpid();
  if (!open_file()) return false;
  control_ = map_control(settings_.folder);
  if (control_ != nullptr) control_seen_ = *control_;
  write_facts();
  tell_fork();
  if (settings_.with_ranges) ranges_.open(file_, threads_, settings_.is_redacting);
  part_began_ns_ = wire::run_clock_ns();
  if (settings_.has_windows()) {
    window_changes_ns_ = part_began_ns_ + ns_of(settings_.window);
  }
  start_keeper();
  return true;
}

void RunProcess::start_keeper() noexcept {
  const BlockedSignals blocked;
  const auto run = [](void* process) -> void* {
    static_cast<RunProcess*>(process)->keep();
    return nullptr;
  };
  has_keeper_ = pthread_create(&keeper_, nullptr, run, this) == 0;
  if (has_keeper_) return;
  file_.note(wire::NoteWhat::kRemark,
             "the process may not have another thread: what it does is written late, and lost if "
             "it is killed");
}

void RunProcess::write_facts() noexcept {
  const std::string program = program_name();
  const std::string host = host_name();
  const std::string process = std::to_string(process_id_);
  const std::string clock = std::to_string(wire::run_clock_to_unix_ns());
  const bool has_nodes = settings_.with_graph_nodes || settings_.has_windows();
  const char* calls = settings_.calls == CallSet::kNone  ? "none"
                      : settings_.calls == CallSet::kAll ? "all"
                                                         : "launches";
  std::vector<std::pair<std::string_view, std::string_view>> facts = {
      {wire::kFactClock, clock},
      {wire::kFactProcess, process},
      {wire::kFactProgram, program},
      {wire::kFactRecorder, settings_.recorder},
      {wire::kFactHost, host},
      {wire::kFactCalls, calls},
      {wire::kFactGraphs, has_nodes ? "nodes" : "launches"}};
  if (settings_.is_redacting) facts.emplace_back(wire::kFactRedacted, "1");
  if (!settings_.rank.empty()) facts.emplace_back(wire::kFactRank, settings_.rank);
  if (!settings_.world_size.empty()) facts.emplace_back(wire::kFactWorldSize, settings_.world_size);
  file_.facts(facts);
}

// What the child does on a device is recorded; CUDA itself does not work if the parent has used it.
void RunProcess::tell_fork() noexcept {
  if (!settings_.with_ranges || !nvtx_is_abandoned()) return;
  file_.note(wire::NoteWhat::kForked,
             "it was forked from process " + std::to_string(forked_from) +
                 ", which had used NVTX before: its own ranges are not recorded; a process that is "
                 "started as a new program (in Python: the start method 'spawn') loses nothing");
}

void RunProcess::record_device() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_ || has_device_) return;
    has_device_ = device_.attach();
  }
  // Handlers run in reverse order, and CUPTI registers its own when it starts: ours must come
  // before. A second call does nothing.
  std::atexit(end_this_process);
}

bool RunProcess::is_asked_to_flush() noexcept {
  if (control_ == nullptr) return false;
  const std::uint64_t now = *control_;
  return std::exchange(control_seen_, now) != now;
}

void RunProcess::flush(bool is_last) noexcept {
  if (has_device_) device_.flush(is_last);
  ranges_.flush();
}

template <class Restart>
void RunProcess::restart(Restart in_file) noexcept {
  device_.hold();
  ranges_.hold_file();
  in_file();
  threads_.restart();
  write_facts();
  ranges_.restart();
  device_.release_restarted();
}

void RunProcess::restart_in_next_segment() noexcept {
  restart([this] { file_.next_segment(); });
}

// False if there can be no other file, say on a full disk: then this one goes on.
bool RunProcess::restart_in_next_part() noexcept {
  bool is_next = false;
  restart([&] {
    is_next = file_.next_file(part_path(part_ + 1));
    if (!is_next) file_.next_segment();
  });
  if (!is_next) return false;
  ++part_;
  device_.tell_again();
  tell_fork();
  return true;
}

void RunProcess::next_part() noexcept {
  const std::int64_t now_ns = wire::run_clock_ns();
  const std::int64_t length_ns = std::max(ns_of(settings_.keep) / kPartsKept, kShortestPartNs);
  if (now_ns - part_began_ns_ < length_ns) return;
  flush(false);
  part_began_ns_ = now_ns;
  if (!restart_in_next_part()) return;
  const std::int64_t kept = ns_of(settings_.keep) / length_ns + 1;
  if (const auto parts = static_cast<std::int64_t>(part_); parts > kept) {
    ::unlink(part_path(static_cast<std::uint64_t>(parts - kept - 1)).c_str());
  }
}

void RunProcess::next_window() noexcept {
  const std::int64_t now_ns = wire::run_clock_ns();
  if (now_ns < window_changes_ns_) return;
  is_window_open_ = !is_window_open_;
  const std::int64_t pause_ns = ns_of(settings_.every) - ns_of(settings_.window);
  window_changes_ns_ = now_ns + (is_window_open_ ? ns_of(settings_.window) : pause_ns);
  if (!is_window_open_) {
    ranges_.pause();
    device_.detach_at_next_call();
  } else {
    // After a detach, CUPTI numbers calls from 1 again, so a new segment starts. A program that
    // made no call since the window closed is still attached and needs none.
    if (has_device_ && !device_.stay()) {
      restart_in_next_segment();
      device_.attach();
    }
    ranges_.resume();
  }
}

void RunProcess::keep() noexcept {
  ::pthread_setname_np(::pthread_self(), "strobe");
  std::int64_t flushed_ns = wire::run_clock_ns();
  std::unique_lock lock(mutex_);
  while (!has_ended_) {
    if (!is_leaving_) wake_.wait_for(lock, kWakePeriod);
    if (has_ended_) break;
    if (is_leaving_) {
      has_ended_ = true;
      lock.unlock();
      pthread_detach(keeper_);  // nobody joins it any more
      finish();
      return;
    }
    if (settings_.has_windows()) next_window();
    if (settings_.keep.count() > 0) next_part();
    if (is_asked_to_flush() || wire::run_clock_ns() - flushed_ns >= kFlushPeriodNs) {
      flush(false);
      flushed_ns = wire::run_clock_ns();
    }
  }
}

void RunProcess::end() noexcept {
  if (::getpid() != process_id_) return;  // a child that nobody has told of its fork
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(has_ended_, true)) return;
  }
  wake_.notify_all();
  if (has_keeper_) pthread_join(keeper_, nullptr);
  finish();
}

// The thread that calls _exit() may be inside a signal handler, with any lock in its hands. So the
// keeper does the work, and this thread takes no lock and waits for a moment only.
void RunProcess::end_by_keeper() noexcept {
  if (::getpid() != process_id_ || !has_keeper_) return;
  is_leaving_ = true;
  wake_.notify_all();
  const std::int64_t until_ns = wire::run_clock_ns() + kLongestLeaveNs;
  while (!has_left_ && wire::run_clock_ns() < until_ns) {
    const timespec pause = {.tv_sec = 0, .tv_nsec = 200'000};
    ::nanosleep(&pause, nullptr);
  }
}

void RunProcess::finish() noexcept {
  ranges_.finish();
  flush(true);
  device_.end();
  file_.fact(wire::kFactFinished, "1");
  file_.close();
  has_left_ = true;
}

// The child shares nothing with the parent's file. It begins its own if it uses CUDA or NVTX.
void RunProcess::abandon_in_child() noexcept {
  new (&the_process_mutex) std::mutex;  // another thread of the parent may have held it
  RunProcess* process = the_process.exchange(nullptr);
  if (process == nullptr) return;
  forked_from = process->process_id_;
  process->file_.abandon();
  process->ranges_.abandon();
  process->device_.end();
  process->has_ended_ = true;
}

}  // namespace strobe::record

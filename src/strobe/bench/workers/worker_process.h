#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "strobe/base/exec_words.h"
#include "strobe/base/result.h"
#include "strobe/bench/workers/protocol.h"

// A worker as a process: lines in, lines out, and an end that is always explained.
namespace strobe::bench {

// Our ends of the pipes of a process that leads its own group and dies with us.
struct Spawned {
  pid_t id = -1;
  int in = -1;   // write here, never blocks
  int out = -1;  // read here
  int err = -1;
};
// With these variables added to the environment, replacing those of the same name.
Result<Spawned> spawn(const std::vector<std::string>& command, const Variables& variables = {});

// "SIGSEGV", "signal 64".
std::string signal_name(int signal);

class WorkerProcess {
 public:
  using Clock = std::chrono::steady_clock;

  // In its own process group, so that everything it starts ends with it. kNotFound if the program
  // cannot be started.
  static Result<std::unique_ptr<WorkerProcess>> start(const std::vector<std::string>& command,
                                                      const Variables& variables = {});

  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();  // asks it to go, then kills it

  // Always returns a reply: a crash is an error, silence a time-out, both with the reason and how
  // the worker ended. `cancelled` (may be null) stops the wait; the reply is then missing.
  WorkerReply ask(const WorkerRequest& request, std::chrono::milliseconds limit,
                  const std::atomic<bool>* cancelled = nullptr);

  // The two halves of it, for workers that start in parallel. A failed request shows in the reply.
  void tell(const WorkerRequest& request);
  WorkerReply hear(const WorkerRequest& request, std::chrono::milliseconds limit,
                   const std::atomic<bool>* cancelled = nullptr);

  bool is_alive() const { return id_ > 0; }
  pid_t id() const { return id_; }
  // Lines that were not replies, the first ones.
  std::vector<std::string> take_noise();
  void stop();

 private:
  enum class Waited : std::uint8_t { kLine, kEnd, kDeadline, kCancelled, kTooLong };

  WorkerProcess(pid_t id, int in, int out, int err) : id_(id), in_(in), out_(out), err_(err) {}
  bool send(std::string line, Clock::time_point deadline, const std::atomic<bool>* cancelled);
  Waited next_line(std::string& line, Clock::time_point deadline,
                   const std::atomic<bool>* cancelled);
  WorkerReply await(const WorkerRequest& request, Clock::time_point deadline,
                    std::chrono::milliseconds limit, const std::atomic<bool>* cancelled);
  bool drain_errors();
  void keep_noise(std::string line);
  std::string last_output() const;
  // Kills what is left and returns how it ended.
  std::string end_of_it(bool is_killed_by_us);
  WorkerReply ended(const WorkerRequest& request, Waited waited, std::chrono::milliseconds limit);

  pid_t id_ = -1;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::string unread_;
  std::string errors_;  // the end of what it wrote to stderr
  std::deque<std::string> noise_;
  std::size_t noise_lines_ = 0;
};

}  // namespace strobe::bench

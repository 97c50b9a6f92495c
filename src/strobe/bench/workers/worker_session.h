#pragma once

#include <memory>
#include <string>
#include <vector>

#include "strobe/bench/workers/run_plan.h"
#include "strobe/bench/workers/worker_process.h"

// One provider's worker through a run: started when needed and again after it died. strobe's own
// are started afresh for each case and bucket, which costs little. Others may load for seconds:
// they live as long as the run, and begin anew only after a failure. So do all under a profiler,
// which makes a report of every process.
namespace strobe::bench {

class WorkerSession {
 public:
  WorkerSession(std::string provider, std::vector<std::string> command, const RunRequest& request,
                Variables variables = {})
      : provider_(std::move(provider)),
        command_(std::move(command)),
        variables_(std::move(variables)),
        request_(request),
        lives_long_(request.is_profiled || request.workers.contains(provider_)) {}

  const std::string& provider() const { return provider_; }
  // What it said first; its obstacle where it could not even be started.
  const WorkerReply& hello() const { return hello_; }
  bool is_available() const { return hello_.info.is_available(); }
  bool was_ever_available() const { return was_available_; }
  bool can(std::string_view op) const;  // "sample"
  bool has(TimeMode mode) const;
  // What is timed where nobody says what: all it has, but the recorded durations of kernels only if
  // they are all. Who wants these beside the others asks, since recording outlasts the cell.
  std::vector<TimeMode> usual_modes() const;

  bool lives_long() const { return lives_long_; }
  bool is_alive() const { return worker_ != nullptr && worker_->is_alive(); }

  // A live worker that has seen nothing but cells of this key (or of this run, where it lives long)
  // and no failure; an error says why there is none. `start` does not wait for its first words, so
  // that several can load side by side; `begin` does.
  void start(const std::string& key);
  Result<void> begin(const std::string& key);
  WorkerReply ask(WorkerRequest request);
  std::int64_t new_id() { return ++last_id_; }
  void end() { worker_.reset(); }
  std::vector<std::string> take_log();

 private:
  void hear_hello();

  std::string provider_;
  std::vector<std::string> command_;
  Variables variables_;  // in its environment
  const RunRequest& request_;
  bool lives_long_;
  std::unique_ptr<WorkerProcess> worker_;
  bool is_greeted_ = false;
  WorkerReply hello_;
  bool was_available_ = false;
  std::string key_;
  std::int64_t last_id_ = 0;
  std::vector<std::string> log_;
};

}  // namespace strobe::bench

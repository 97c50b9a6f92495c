#pragma once

#include <memory>
#include <string>
#include <vector>

#include "strobe/bench/workers/run_plan.h"
#include "strobe/bench/workers/worker_process.h"

// One provider's worker through a run: started when needed, again after it died, afresh for each
// case and bucket.
namespace strobe::bench {

class WorkerSession {
 public:
  WorkerSession(std::string provider, std::vector<std::string> command, const RunRequest& request)
      : provider_(std::move(provider)), command_(std::move(command)), request_(request) {}

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

  // A live worker that has seen nothing but cells of this key; an error says why there is none.
  Result<void> begin(const std::string& key);
  WorkerReply ask(WorkerRequest request);
  std::int64_t new_id() { return ++last_id_; }
  void end() { worker_.reset(); }
  std::vector<std::string> take_log();

 private:
  std::string provider_;
  std::vector<std::string> command_;
  const RunRequest& request_;
  std::unique_ptr<WorkerProcess> worker_;
  WorkerReply hello_;
  bool was_available_ = false;
  std::string key_;
  std::int64_t last_id_ = 0;
  std::vector<std::string> log_;
};

}  // namespace strobe::bench

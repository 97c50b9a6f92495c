#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strobe/bench/measure/measure.h"
#include "strobe/bench/workers/worker_process.h"

namespace strobe::bench {

// How workers are started and how long they are waited for.
struct WorkerSetup {
  std::vector<std::string> own;  // this binary: {"/usr/bin/strobe", "bench", "worker"}
  // Of other stacks, name to command: "torch-inductor" to {"python3", "worker.py"}.
  std::map<std::string, std::vector<std::string>> commands;
  std::chrono::milliseconds cell_limit{60'000};    // for each answer
  std::chrono::milliseconds start_limit{120'000};  // for the first: some stacks load for long
  bool live_long = false;                          // all of them, not those of other stacks alone
  const std::atomic<bool>* cancelled = nullptr;

  bool is_cancelled() const { return cancelled != nullptr && *cancelled; }
  // The command that answers for a provider.
  std::vector<std::string> command(const std::string& provider) const;
};

// One provider's worker through a run: started when needed and again after it died. strobe's own
// are started afresh for each case and bucket, which costs little. Others may load for seconds:
// they live as long as the run, and begin anew only after a failure. So do all under a profiler,
// which makes a report of every process.
class WorkerSession {
 public:
  // `setup` must outlive it.
  WorkerSession(std::string provider, const WorkerSetup& setup, Variables variables = {})
      : provider_(std::move(provider)),
        variables_(std::move(variables)),
        setup_(setup),
        lives_long_(setup.live_long || setup.commands.contains(provider_)) {}

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
  Variables variables_;  // in its environment
  const WorkerSetup& setup_;
  bool lives_long_;
  std::unique_ptr<WorkerProcess> worker_;
  bool is_greeted_ = false;
  WorkerReply hello_;
  bool was_available_ = false;
  std::string key_;
  std::int64_t last_id_ = 0;
  std::vector<std::string> log_;
};

using Sessions = std::span<const std::unique_ptr<WorkerSession>>;

// What a provider says of itself, from a worker that is gone afterwards; its obstacle where it says
// nothing. With `is_about_device` also its floors and roofs, which take seconds.
WorkerReply greet(const WorkerSetup& setup, const std::string& provider,
                  bool is_about_device = false);

// A cell that a worker has prepared.
class RemoteSampler : public Sampler {
 public:
  RemoteSampler(WorkerSession& session, std::int64_t id) : session_(session), id_(id) {}

  Result<SampleBlock> sample(const SampleRequest& request) override;
  // How the last failure counts; ok while there was none.
  CellStatus status() const { return status_; }

 private:
  WorkerSession& session_;
  std::int64_t id_;
  CellStatus status_ = CellStatus::kOk;
};

// Times that no clock can have given are an error of the worker.
Result<void> check_samples(const SampleBlock& block);

}  // namespace strobe::bench

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/bench/measure/measure.h"
#include "strobe/bench/workers/worker_process.h"

namespace strobe::bench {

// How workers are started, and the time limits of their replies.
struct WorkerSetup {
  std::vector<std::string> own;  // this binary: {"/usr/bin/strobe", "bench", "worker"}
  // For external stacks, name to command: "torch-inductor" to {"python3", "worker.py"}.
  std::map<std::string, std::vector<std::string>> commands;
  std::chrono::milliseconds cell_limit{60'000};    // for each reply
  std::chrono::milliseconds start_limit{120'000};  // for the first reply: some stacks load slowly
  bool live_long = false;                          // all of them, not only those of external stacks
  const std::atomic<bool>* cancelled = nullptr;

  bool is_cancelled() const { return cancelled != nullptr && *cancelled; }
  // The command that runs a provider.
  std::vector<std::string> command(const std::string& provider) const;
};

// One provider's worker during a run: started when needed and again after it died. strobe's own
// workers are restarted for each case and bucket, which is cheap. Others may load for seconds: they
// live as long as the run and restart only after a failure. Under a profiler, which writes a report
// per process, so do all.
class WorkerSession {
 public:
  // `setup` must outlive it.
  WorkerSession(std::string provider, const WorkerSetup& setup, Variables variables = {})
      : provider_(std::move(provider)),
        variables_(std::move(variables)),
        setup_(setup),
        lives_long_(setup.live_long || setup.commands.contains(provider_)) {}

  const std::string& provider() const { return provider_; }
  // Its first reply; the obstacle if it could not even be started.
  const WorkerReply& hello() const { return hello_; }
  bool is_available() const { return hello_.info.is_available(); }
  bool was_ever_available() const { return was_available_; }
  bool can(std::string_view op) const;  // "sample"
  bool has(TimeMode mode) const;
  // The modes that are timed by default: all that it has, but recorded kernel durations only if it
  // has no others. They must be requested, because recording affects later cells.
  std::vector<TimeMode> usual_modes() const;

  bool lives_long() const { return lives_long_; }
  bool is_alive() const { return worker_ != nullptr && worker_->is_alive(); }

  // A live worker that has seen only cells of this key (or of this run, if it lives long) and no
  // failure; an error says why there is none. `start` does not wait for its first reply, so that
  // several workers can load in parallel; `begin` does.
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

// Facts about a provider, from a temporary worker; its obstacle if it does not answer. With
// `is_about_device` also its floors and roofs, which take seconds.
WorkerReply greet(const WorkerSetup& setup, const std::string& provider,
                  bool is_about_device = false);

// A cell that a worker has prepared.
class RemoteSampler : public Sampler {
 public:
  RemoteSampler(WorkerSession& session, std::int64_t id) : session_(session), id_(id) {}

  Result<SampleBlock> sample(const SampleRequest& request) override;
  // The status of the last failure; ok if there was none.
  CellStatus status() const { return status_; }

 private:
  WorkerSession& session_;
  std::int64_t id_;
  CellStatus status_ = CellStatus::kOk;
};

// Copies what a worker says about its cell: kernels, bytes, clocks, notes. Not the compile times:
// only those of the first reply are of the compiler.
void describe(const WorkerReply& reply, CellRecord& record);
// For a time beside the headline.
std::string lower_clock_note(TimeMode mode);

// Impossible times are an error of the worker.
Result<void> check_samples(const SampleBlock& block);

}  // namespace strobe::bench

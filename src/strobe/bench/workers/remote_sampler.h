#pragma once

#include "strobe/bench/measure/sampler.h"
#include "strobe/bench/workers/worker_session.h"

namespace strobe::bench {

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

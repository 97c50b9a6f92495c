#include "strobe/bench/workers/remote_sampler.h"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace strobe::bench {
namespace {

Error failure(CellStatus status, std::string what) {
  return {.code = status == CellStatus::kOom ? ErrorCode::kMachineLacks : ErrorCode::kMalformed,
          .what = std::move(what),
          .where = "",
          .hint = ""};
}

}  // namespace

Result<void> check_samples(const SampleBlock& block) {
  if (block.samples_us.empty()) return failure(CellStatus::kError, "the worker gave no sample");
  for (const double sample : block.samples_us) {
    if (!std::isfinite(sample) || sample <= 0) {
      return failure(CellStatus::kError, fmt::format("the worker gave a time of {:g} us", sample));
    }
  }
  return {};
}

Result<SampleBlock> RemoteSampler::sample(const SampleRequest& request) {
  WorkerRequest asked{.op = WorkerOp::kSample, .id = id_};
  asked.sample = request;
  const auto since = std::chrono::steady_clock::now();
  WorkerReply reply = session_.ask(asked);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - since;
  if (reply.status != CellStatus::kOk) {
    status_ = reply.status;
    return failure(reply.status, reply.reason);
  }
  SampleBlock block = std::move(reply.samples[request.mode]);
  if (Result<void> checked = check_samples(block); !checked) {
    status_ = CellStatus::kError;
    return std::move(checked).error();
  }
  if (block.sm_mhz.size() != block.samples_us.size()) block.sm_mhz.clear();
  block.spent_ms = spent.count();
  return block;
}

}  // namespace strobe::bench

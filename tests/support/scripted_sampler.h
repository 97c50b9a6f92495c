#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "strobe/bench/measure/measure.h"

namespace strobe::bench {

// Time that passes only during sampling: drift affects the cell that is being measured.
struct SharedTime {
  double now_ms = 0;
};

// A cell defined in a test: the time of call n at a moment, and its clock.
//
//   ScriptedSampler([](const Call& call) { return call.index % 2 ? 10.0 : 12.0; })
struct Call {
  std::size_t index = 0;  // of this sampler, warm-up included
  double now_ms = 0;      // of the shared time
};

class ScriptedSampler : public Sampler {
 public:
  using Script = std::function<double(const Call&)>;

  explicit ScriptedSampler(Script time_us, SharedTime* time = nullptr)
      : time_us_(std::move(time_us)), time_(time ? time : &own_) {}

  ScriptedSampler& clocked(Script mhz) {
    mhz_ = std::move(mhz);
    return *this;
  }
  // The request that contains call `index` fails.
  ScriptedSampler& failing_at(std::size_t index, Error error) {
    fails_at_ = index;
    error_ = std::move(error);
    return *this;
  }
  // A call takes this many times the measured time: flushes, replays of many calls.
  ScriptedSampler& costing(double times) {
    costs_ = times;
    return *this;
  }
  // From call `index` on every answer is empty.
  ScriptedSampler& silent_from(std::size_t index) {
    silent_from_ = index;
    return *this;
  }

  Result<SampleBlock> sample(const SampleRequest& request) override {
    requests.push_back(request);
    SampleBlock block;
    double spent_ms = 0;
    for (int i = 0; i < request.count && (i == 0 || spent_ms < request.budget_ms); ++i) {
      if (calls >= fails_at_) return error_;
      if (calls >= silent_from_) return block;
      const Call call = {calls++, time_->now_ms};
      const double us = time_us_(call);
      block.samples_us.push_back(us);
      if (mhz_) block.sm_mhz.push_back(mhz_(call));
      if (std::isfinite(us)) spent_ms += us / 1000;
      if (std::isfinite(us)) time_->now_ms += us / 1000;
    }
    block.spent_ms = costs_ * spent_ms;
    return block;
  }

  std::size_t calls = 0;
  std::vector<SampleRequest> requests;

 private:
  static constexpr std::size_t kNever = static_cast<std::size_t>(-1);
  Script time_us_;
  Script mhz_;
  SharedTime own_;
  SharedTime* time_;
  double costs_ = 0;  // not reported
  std::size_t fails_at_ = kNever;
  std::size_t silent_from_ = kNever;
  Error error_;
};

}  // namespace strobe::bench

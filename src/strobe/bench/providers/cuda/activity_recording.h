#pragma once

#include <memory>
#include <vector>

#include "strobe/bench/providers/cuda/cupti_api.h"
#include "strobe/bench/results/cell_record.h"

// The kernels that ran while it lives, each with the duration that the device itself took down: no
// event, no gap and no host in it. One at a time in a process.
namespace strobe::bench {

class ActivityRecording {
 public:
  // kNotFound if it cannot be switched on, with what CUPTI says.
  static Result<std::unique_ptr<ActivityRecording>> start(const CuptiApi& api);
  ~ActivityRecording();
  ActivityRecording(const ActivityRecording&) = delete;
  ActivityRecording& operator=(const ActivityRecording&) = delete;

  // Those that ran since the last time it was asked, in the order in which they began. The device
  // must have come to rest. kTooLittleData if a record was lost or has no times.
  Result<std::vector<KernelLaunch>> take();

 private:
  explicit ActivityRecording(const CuptiApi& api) : api_(api) {}
  CuptiApi api_;
};

}  // namespace strobe::bench

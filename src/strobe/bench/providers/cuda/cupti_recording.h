#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/providers/cuda/cupti_api.h"
#include "strobe/bench/results/cell_record.h"

// What CUPTI records while it is switched on: kernels with their durations, and calls of the
// runtime and the driver.
namespace strobe::bench {

// Records the kernels that run during its lifetime, each with the duration measured by the device
// itself: without events, gaps and host time. One at a time per process.
class ActivityRecording {
 public:
  // kMachineLacks if it cannot be switched on, with CUPTI's message.
  static Result<std::unique_ptr<ActivityRecording>> start(const CuptiApi& api);
  ~ActivityRecording();
  ActivityRecording(const ActivityRecording&) = delete;
  ActivityRecording& operator=(const ActivityRecording&) = delete;

  // The kernels that ran since the last call, in order of start. The device must be idle.
  // kTooLittleData if a record was lost or has no times.
  Result<std::vector<KernelLaunch>> take();

 private:
  explicit ActivityRecording(const CuptiApi& api) : api_(api) {}
  CuptiApi api_;
};

// The calls of CUDA's runtime and driver that some code makes, and the host time in each:
//
//   start, begin, (the code), end, take
//
// One at a time per process.
class ApiRecording {
 public:
  // kMachineLacks if it cannot be switched on, with CUPTI's message.
  static Result<std::unique_ptr<ApiRecording>> start(const CuptiApi& api);
  ~ApiRecording();
  ApiRecording(const ApiRecording&) = delete;
  ApiRecording& operator=(const ApiRecording&) = delete;

  Result<void> begin();
  Result<void> end();
  // The calls of any thread that are entirely between begin and end, by name, in the order of their
  // first start. kTooLittleData if a record was lost.
  Result<std::vector<ApiCall>> take();

 private:
  explicit ApiRecording(const CuptiApi& api) : api_(api) {}
  std::string name_of(const cupti::CallRecord& call) const;

  CuptiApi api_;
  std::uint64_t from_ns_ = 0;
  std::uint64_t to_ns_ = 0;
};

// "cudaLaunchKernel" for "cudaLaunchKernel_v7000": the version of a call does not matter.
std::string_view without_version(std::string_view name);

}  // namespace strobe::bench

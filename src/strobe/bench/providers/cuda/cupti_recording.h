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

// The kernels that ran while it lives, each with the duration that the device itself took down: no
// event, no gap and no host in it. One at a time in a process.

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

// What a piece of code asks of CUDA's runtime and driver, and how long the host is in each call:
//
//   start, begin, (the code), end, take
//
// One at a time in a process.

class ApiRecording {
 public:
  // kNotFound if it cannot be switched on, with what CUPTI says.
  static Result<std::unique_ptr<ApiRecording>> start(const CuptiApi& api);
  ~ApiRecording();
  ApiRecording(const ApiRecording&) = delete;
  ApiRecording& operator=(const ApiRecording&) = delete;

  Result<void> begin();
  Result<void> end();
  // The calls of any thread that lie whole between begin and end, by name, in the order in which
  // the first of each began. kTooLittleData if a record was lost.
  Result<std::vector<ApiCall>> take();

 private:
  explicit ApiRecording(const CuptiApi& api) : api_(api) {}
  std::string name_of(const cupti::CallRecord& call) const;

  CuptiApi api_;
  std::uint64_t from_ns_ = 0;
  std::uint64_t to_ns_ = 0;
};

// "cudaLaunchKernel" of "cudaLaunchKernel_v7000": the version of a call is of no use.
std::string_view without_version(std::string_view name);

}  // namespace strobe::bench

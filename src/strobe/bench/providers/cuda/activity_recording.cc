#include "strobe/bench/providers/cuda/activity_recording.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/activity_mailbox.h"

namespace strobe::bench {
namespace {

Error lost(std::string what) {
  return {.code = ErrorCode::kTooLittleData,
          .what = std::move(what),
          .where = "--mode activity",
          .hint = "the other modes need no CUPTI"};
}

}  // namespace

Result<std::unique_ptr<ActivityRecording>> ActivityRecording::start(const CuptiApi& api) {
  STROBE_TRY_VOID(ActivityMailbox::of_process().open(api, kForKernelTimes));
  STROBE_TRY_VOID(api.check(api.enable(cupti::kConcurrentKernel), "cuptiActivityEnable"));
  return std::unique_ptr<ActivityRecording>(new ActivityRecording(api));
}

ActivityRecording::~ActivityRecording() {
  api_.disable(cupti::kConcurrentKernel);
  api_.flush_all(cupti::kFlushForced);
}

Result<std::vector<KernelLaunch>> ActivityRecording::take() {
  STROBE_TRY_VOID(api_.check(api_.flush_all(cupti::kFlushForced), "cuptiActivityFlushAll"));
  auto [kernels, calls, dropped] = ActivityMailbox::of_process().take();
  if (dropped > 0) return lost(fmt::format("CUPTI lost the records of {} kernels", dropped));
  std::ranges::stable_sort(kernels, {}, &RecordedKernel::start_ns);
  std::vector<KernelLaunch> launches;
  for (RecordedKernel& kernel : kernels) {
    if (kernel.start_ns == 0 || kernel.end_ns < kernel.start_ns) {
      return lost(fmt::format("CUPTI gives no times of the kernel '{}'", kernel.launch.name));
    }
    launches.push_back(std::move(kernel.launch));
  }
  return launches;
}

}  // namespace strobe::bench

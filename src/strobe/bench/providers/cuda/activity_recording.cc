#include "strobe/bench/providers/cuda/activity_recording.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include <fmt/format.h>

namespace strobe::bench {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;  // more than a thousand kernels
constexpr std::size_t kBufferAlignment = 8;

struct Recorded {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  KernelLaunch launch;
};

// Where CUPTI's two callbacks meet the rest: they carry no pointer of ours, and CUPTI itself is one
// to a process. Buffers may come back on a thread of its own, and after the recording is over.
struct Mailbox {
  std::mutex mutex;
  CuptiApi api;
  std::vector<Recorded> kernels;
  std::size_t dropped = 0;

  static Mailbox& of_process() {
    static Mailbox mailbox;
    return mailbox;
  }
};

Recorded read(const cupti::KernelRecord& record) {
  Recorded kernel{.start_ns = record.start_ns, .end_ns = record.end_ns, .launch = {}};
  kernel.launch.name = record.name == nullptr ? "" : record.name;
  std::ranges::copy(record.grid, kernel.launch.grid.begin());
  std::ranges::copy(record.block, kernel.launch.block.begin());
  kernel.launch.duration_us = static_cast<double>(record.end_ns - record.start_ns) / 1e3;
  kernel.launch.registers = record.registers;
  kernel.launch.shared_bytes = record.static_shared_bytes + record.dynamic_shared_bytes;
  return kernel;
}

void request_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most = 0;  // as many as fit
}

void complete_buffer(CuContext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                     std::size_t valid_bytes) {
  Mailbox& mailbox = Mailbox::of_process();
  const std::lock_guard lock(mailbox.mutex);
  void* at = nullptr;
  while (mailbox.api.next_record(buffer, valid_bytes, &at) == cupti::kSuccess) {
    std::uint32_t kind = 0;
    std::memcpy(&kind, at, sizeof kind);
    if (kind != cupti::kKernel && kind != cupti::kConcurrentKernel) continue;
    cupti::KernelRecord record;
    std::memcpy(&record, at, sizeof record);
    mailbox.kernels.push_back(read(record));
  }
  std::size_t dropped = 0;
  if (mailbox.api.dropped(context, stream, &dropped) == cupti::kSuccess) mailbox.dropped += dropped;
  std::free(buffer);
}

Error lost(std::string what) {
  return {.code = ErrorCode::kTooLittleData,
          .what = std::move(what),
          .where = "--mode activity",
          .hint = "the other modes need no CUPTI"};
}

}  // namespace

Result<std::unique_ptr<ActivityRecording>> ActivityRecording::start(const CuptiApi& api) {
  {
    Mailbox& mailbox = Mailbox::of_process();
    const std::lock_guard lock(mailbox.mutex);
    mailbox.api = api;
    mailbox.kernels.clear();
    mailbox.dropped = 0;
  }
  STROBE_TRY_VOID(api.check(api.register_callbacks(request_buffer, complete_buffer),
                            "cuptiActivityRegisterCallbacks"));
  STROBE_TRY_VOID(api.check(api.enable(cupti::kConcurrentKernel), "cuptiActivityEnable"));
  return std::unique_ptr<ActivityRecording>(new ActivityRecording(api));
}

ActivityRecording::~ActivityRecording() {
  api_.disable(cupti::kConcurrentKernel);
  api_.flush_all(cupti::kFlushForced);
}

Result<std::vector<KernelLaunch>> ActivityRecording::take() {
  STROBE_TRY_VOID(api_.check(api_.flush_all(cupti::kFlushForced), "cuptiActivityFlushAll"));
  std::vector<Recorded> kernels;
  std::size_t dropped = 0;
  {
    Mailbox& mailbox = Mailbox::of_process();
    const std::lock_guard lock(mailbox.mutex);
    kernels = std::exchange(mailbox.kernels, {});
    dropped = std::exchange(mailbox.dropped, 0);
  }
  if (dropped > 0) return lost(fmt::format("CUPTI lost the records of {} kernels", dropped));
  std::ranges::stable_sort(kernels, {}, &Recorded::start_ns);
  std::vector<KernelLaunch> launches;
  for (Recorded& kernel : kernels) {
    if (kernel.start_ns == 0 || kernel.end_ns < kernel.start_ns) {
      return lost(fmt::format("CUPTI gives no times of the kernel '{}'", kernel.launch.name));
    }
    launches.push_back(std::move(kernel.launch));
  }
  return launches;
}

}  // namespace strobe::bench

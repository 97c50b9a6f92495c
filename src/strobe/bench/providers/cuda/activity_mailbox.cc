#include "strobe/bench/providers/cuda/activity_mailbox.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace strobe::bench {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;  // more than a thousand kernels
constexpr std::size_t kBufferAlignment = 8;

template <class Record>
Record copy_of(const void* at) {
  Record record;
  std::memcpy(&record, at, sizeof record);
  return record;
}

RecordedKernel read_kernel(const cupti::KernelRecord& record) {
  RecordedKernel kernel{.start_ns = record.start_ns, .end_ns = record.end_ns, .launch = {}};
  kernel.launch.name = record.name == nullptr ? "" : record.name;
  std::ranges::copy(record.grid, kernel.launch.grid.begin());
  std::ranges::copy(record.block, kernel.launch.block.begin());
  kernel.launch.duration_us = static_cast<double>(record.end_ns - record.start_ns) / 1e3;
  kernel.launch.registers = record.registers;
  kernel.launch.shared_bytes = record.static_shared_bytes + record.dynamic_shared_bytes;
  return kernel;
}

}  // namespace

ActivityMailbox& ActivityMailbox::of_process() {
  static ActivityMailbox mailbox;
  return mailbox;
}

Result<void> ActivityMailbox::open(const CuptiApi& api, const CuptiUse& use) {
  {
    const std::lock_guard lock(mutex_);
    api_ = api;
    post_ = {};
  }
  return api.check(api.register_callbacks(request_buffer, complete_buffer),
                   "cuptiActivityRegisterCallbacks", use);
}

ActivityPost ActivityMailbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(post_, {});
}

void ActivityMailbox::request_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most = 0;  // as many as fit
}

void ActivityMailbox::complete_buffer(CuContext context, std::uint32_t stream, std::uint8_t* buffer,
                                      std::size_t, std::size_t valid_bytes) {
  of_process().read(context, stream, buffer, valid_bytes);
  std::free(buffer);
}

void ActivityMailbox::read(CuContext context, std::uint32_t stream, std::uint8_t* buffer,
                           std::size_t valid_bytes) {
  const std::lock_guard lock(mutex_);
  void* at = nullptr;
  while (api_.next_record(buffer, valid_bytes, &at) == cupti::kSuccess) {
    const auto kind = copy_of<std::uint32_t>(at);
    if (kind == cupti::kKernel || kind == cupti::kConcurrentKernel) {
      post_.kernels.push_back(read_kernel(copy_of<cupti::KernelRecord>(at)));
    } else if (kind == cupti::kDriverCall || kind == cupti::kRuntimeCall) {
      post_.calls.push_back(copy_of<cupti::CallRecord>(at));
    }
  }
  std::size_t dropped = 0;
  if (api_.dropped(context, stream, &dropped) == cupti::kSuccess) post_.dropped += dropped;
}

}  // namespace strobe::bench

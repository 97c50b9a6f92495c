#include "strobe/bench/providers/cuda/cupti_recording.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/bench/providers/cuda/cupti_api.h"
#include "strobe/bench/results/cell_record.h"

namespace strobe::bench {
namespace {

struct RecordedKernel {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  KernelLaunch launch;
};

struct ActivityPost {
  std::vector<RecordedKernel> kernels;
  std::vector<cupti::CallRecord> calls;
  std::size_t dropped = 0;
};

// Receives CUPTI's two callbacks: they carry no pointer of ours, and CUPTI exists once per process.
// Buffers may come back on CUPTI's own thread, and after the recording has ended.
class ActivityMailbox {
 public:
  static ActivityMailbox& of_process();

  // Empties it, and starts to accept records from CUPTI.
  Result<void> open(const CuptiApi& api, const CuptiUse& use);
  // Everything received since the last call.
  ActivityPost take();

 private:
  static void request_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most);
  static void complete_buffer(CuContext context, std::uint32_t stream, std::uint8_t* buffer,
                              std::size_t bytes, std::size_t valid_bytes);
  void read(CuContext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t valid_bytes);

  std::mutex mutex_;
  CuptiApi api_;
  ActivityPost post_;
};

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;  // more than a thousand kernels
constexpr std::size_t kBufferAlignment = 8;

template <class Record>
Record copy_of(const void* at) {
  Record record;
  std::memcpy(&record, at, sizeof record);
  return record;
}

RecordedKernel kernel_of(const cupti::KernelRecord& record) {
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
      post_.kernels.push_back(kernel_of(copy_of<cupti::KernelRecord>(at)));
    } else if (kind == cupti::kDriverCall || kind == cupti::kRuntimeCall) {
      post_.calls.push_back(copy_of<cupti::CallRecord>(at));
    }
  }
  std::size_t dropped = 0;
  if (api_.dropped(context, stream, &dropped) == cupti::kSuccess) post_.dropped += dropped;
}

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

namespace {

constexpr unsigned kKinds[] = {cupti::kDriverCall, cupti::kRuntimeCall};

struct TimedApiCall {
  cupti::CallRecord record;
  std::uint64_t own_ns = 0;  // without the calls inside it
};

// In the order in which they began. On one thread they nest: |--- cudaLaunchKernel ---|
//                                                               |- cuLaunchKernel -|
std::vector<TimedApiCall> nested(std::vector<cupti::CallRecord> records) {
  std::ranges::stable_sort(records, [](const auto& a, const auto& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  std::vector<TimedApiCall> calls;
  std::map<std::uint32_t, std::vector<std::size_t>> open;  // by thread, the innermost last
  for (const cupti::CallRecord& record : records) {
    std::vector<std::size_t>& around = open[record.thread];
    while (!around.empty() && calls[around.back()].record.end_ns < record.end_ns) around.pop_back();
    const std::uint64_t whole_ns = record.end_ns - record.start_ns;
    if (!around.empty()) calls[around.back()].own_ns -= whole_ns;
    around.push_back(calls.size());
    calls.push_back({.record = record, .own_ns = whole_ns});
  }
  return calls;
}

}  // namespace

std::string_view without_version(std::string_view name) {
  const std::size_t mark = name.rfind("_v");
  if (mark == std::string_view::npos || mark + 2 == name.size()) return name;
  return std::ranges::all_of(name.substr(mark + 2), is_digit) ? name.substr(0, mark) : name;
}

Result<std::unique_ptr<ApiRecording>> ApiRecording::start(const CuptiApi& api) {
  STROBE_TRY_VOID(ActivityMailbox::of_process().open(api, kForApiCalls));
  std::unique_ptr<ApiRecording> recording(new ApiRecording(api));
  for (const unsigned kind : kKinds) {
    STROBE_TRY_VOID(api.check(api.enable(kind), "cuptiActivityEnable", kForApiCalls));
  }
  return recording;
}

ApiRecording::~ApiRecording() {
  for (const unsigned kind : kKinds) api_.disable(kind);
  api_.flush_all(cupti::kFlushForced);
}

Result<void> ApiRecording::begin() {
  return api_.check(api_.timestamp(&from_ns_), "cuptiGetTimestamp", kForApiCalls);
}

Result<void> ApiRecording::end() {
  return api_.check(api_.timestamp(&to_ns_), "cuptiGetTimestamp", kForApiCalls);
}

std::string ApiRecording::name_of(const cupti::CallRecord& call) const {
  const bool is_driver = call.kind == cupti::kDriverCall;
  const char* name = nullptr;
  const int domain = is_driver ? cupti::kDriverDomain : cupti::kRuntimeDomain;
  if (api_.call_name(domain, call.call, &name) != cupti::kSuccess || name == nullptr) {
    return fmt::format("{} call {}", is_driver ? "driver" : "runtime", call.call);
  }
  return std::string(without_version(name));
}

Result<std::vector<ApiCall>> ApiRecording::take() {
  STROBE_TRY_VOID(
      api_.check(api_.flush_all(cupti::kFlushForced), "cuptiActivityFlushAll", kForApiCalls));
  auto [kernels, calls, dropped] = ActivityMailbox::of_process().take();
  if (dropped > 0) {
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = fmt::format("CUPTI lost the records of {} calls", dropped),
                 .where = std::string(kForApiCalls.flag),
                 .hint = ""};
  }
  std::erase_if(calls, [&](const cupti::CallRecord& call) {
    return call.start_ns < from_ns_ || call.end_ns > to_ns_ || call.end_ns < call.start_ns;
  });
  std::vector<ApiCall> found;
  for (const TimedApiCall& call : nested(std::move(calls))) {
    std::string name = name_of(call.record);
    auto known = std::ranges::find(found, name, &ApiCall::name);
    if (known == found.end()) {
      known = found.insert(found.end(), {.name = std::move(name), .count = 0, .us = 0});
    }
    ++known->count;
    known->us += static_cast<double>(call.own_ns) / 1e3;
  }
  return found;
}

}  // namespace strobe::bench

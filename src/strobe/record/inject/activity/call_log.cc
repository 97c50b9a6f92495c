#include "strobe/record/inject/activity/call_log.h"

#include <pthread.h>

#include <atomic>
#include <optional>
#include <string_view>

#include "strobe/record/inject/activity/allocation_call.h"

namespace strobe::record {
namespace {

constexpr std::size_t kMostCallBytes = 64 << 10;  // of a thread's rows

}  // namespace

// The rows of one thread. Its lock is contended only while the rows are written out.
struct CallLog::ThreadLog {
  std::mutex mutex;
  std::uint32_t round = 0;
  std::uint64_t thread = 0;
  std::atomic<bool> has_ended = false;
  OfThread* of_thread = nullptr;  // points to it until the thread ends
  wire::ChunkRows calls{wire::ChunkKind::kCalls};
  wire::ChunkRows allocations{wire::ChunkKind::kAllocations};
};

// What a thread knows of its own calls. It has no destructor: destructors of other thread-local
// variables, and of static ones after those of the main thread, may still call CUDA.
struct CallLog::OfThread {
  const CallLog* owner;
  ThreadLog* log;
  unsigned depth;  // of calls that have not ended
  std::uint32_t attachment;
};

namespace {

std::size_t side_of(CUpti_CallbackDomain domain) noexcept {
  return domain == CUPTI_CB_DOMAIN_RUNTIME_API ? 1 : 0;
}

// The results of both sides are enums with the values of an int; 0 is success.
std::uint32_t result_of(const CUpti_CallbackData& data) noexcept {
  if (data.functionReturnValue == nullptr) return 0;
  return static_cast<std::uint32_t>(*static_cast<const int*>(data.functionReturnValue));
}

}  // namespace

CUptiResult CallLog::listen(const ActivityApi& api, CUpti_SubscriberHandle subscriber,
                            CallSet set) noexcept {
  ++attachment_;
  get_device_ = api.cuptiGetDeviceId;
  CUptiResult first_failure = CUPTI_SUCCESS;
  const auto listen_to = [&](CUpti_CallbackDomain domain, CallSide side, std::uint32_t count) {
    std::vector<Name>& names = names_[side_of(domain)];
    if (names.empty()) names = std::vector<Name>(count);
    for (std::uint32_t id = 1; id < count; ++id) {
      const char* name = nullptr;
      if (api.cuptiGetCallbackName(domain, id, &name) != CUPTI_SUCCESS || name == nullptr) continue;
      names[id].plain = plain_call_name(name);
      if (!is_recorded_call(set, side, name)) continue;
      const CUptiResult result = api.cuptiEnableCallback(1, subscriber, domain, id);
      if (result != CUPTI_SUCCESS && first_failure == CUPTI_SUCCESS) first_failure = result;
    }
  };
  listen_to(CUPTI_CB_DOMAIN_DRIVER_API, CallSide::kDriver, CUPTI_DRIVER_TRACE_CBID_SIZE);
  listen_to(CUPTI_CB_DOMAIN_RUNTIME_API, CallSide::kRuntime, CUPTI_RUNTIME_TRACE_CBID_SIZE);
  return first_failure;
}

// A key of the thread library is cleared after the thread's own variables; a call after that makes
// another log.
CallLog::ThreadLog& CallLog::make_log(OfThread& mine) noexcept {
  static const pthread_key_t key = [] {
    pthread_key_t made = {};
    pthread_key_create(&made, thread_ends);
    return made;
  }();
  thread_ends(pthread_getspecific(key));  // that of another recording in this process
  auto* log = new std::shared_ptr<ThreadLog>(std::make_shared<ThreadLog>());
  pthread_setspecific(key, log);
  (*log)->of_thread = &mine;
  mine.owner = this;
  mine.log = log->get();
  const std::lock_guard lock(logs_mutex_);
  logs_.push_back(*log);
  return **log;
}

void CallLog::thread_ends(void* its_log) noexcept {
  auto* log = static_cast<std::shared_ptr<ThreadLog>*>(its_log);
  if (log == nullptr) return;
  *(*log)->of_thread = {};
  (*log)->has_ended = true;
  delete log;
}

std::uint64_t CallLog::text_of(CUpti_CallbackDomain domain, CUpti_CallbackId id) noexcept {
  std::vector<Name>& names = names_[side_of(domain)];
  if (id >= names.size()) return 0;
  std::atomic<std::uint64_t>& text = names[id].text;
  std::uint64_t number = text.load(std::memory_order_relaxed);
  if (number == Name::kNotInFile) {
    number = file_->text(names[id].plain);
    text.store(number, std::memory_order_relaxed);
  }
  return number;
}

bool CallLog::heard(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                    const CUpti_CallbackData& data) noexcept {
  static thread_local OfThread mine = {};
  // The end of a call in which nobody listened any more was not heard.
  if (const std::uint32_t now = attachment_; mine.attachment != now) {
    mine.attachment = now;
    mine.depth = 0;
  }
  if (data.callbackSite == CUPTI_API_ENTER) {
    if (mine.depth++ == 0) *data.correlationData = static_cast<std::uint64_t>(wire::run_clock_ns());
    return false;
  }
  if (mine.depth == 0 || --mine.depth > 0) return false;  // 0: it began before anybody listened
  const std::int64_t end_ns = wire::run_clock_ns();
  const std::uint64_t start = *data.correlationData;
  ThreadLog& log = mine.owner == this ? *mine.log : make_log(mine);
  const std::lock_guard lock(log.mutex);
  if (log.round != round_) {
    log.thread = threads_->mine();
    log.round = round_;
  }
  log.calls.add({log.thread, text_of(domain, id), start, static_cast<std::uint64_t>(end_ns) - start,
                 data.correlationId, result_of(data)});
  note_allocation(domain, id, data, end_ns, log);
  if (log.calls.bytes() >= kMostCallBytes) file_->write(log.calls);
  return true;
}

void CallLog::note_allocation(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                              const CUpti_CallbackData& data, std::int64_t time_ns,
                              ThreadLog& log) noexcept {
  const std::optional<AllocationCall> call = read_allocation_call(domain, id, data.functionParams);
  if (!call || call->address == 0 || result_of(data) != 0) return;
  std::uint32_t device = 0;
  if (get_device_ != nullptr && data.context != nullptr) get_device_(data.context, &device);
  log.allocations.add({static_cast<std::uint64_t>(time_ns), call->is_free ? 1u : 0u, device,
                       file_->text(call->place), call->bytes, call->address, data.correlationId});
}

void CallLog::write() noexcept {
  const std::lock_guard all(logs_mutex_);
  std::erase_if(logs_, [this](const std::shared_ptr<ThreadLog>& log) {
    const bool has_ended = log->has_ended;  // asked first: until then it may add rows
    const std::lock_guard lock(log->mutex);
    file_->write(log->calls);
    file_->write(log->allocations);
    return has_ended;
  });
}

void CallLog::hold() noexcept {
  write();
  logs_mutex_.lock();
  for (const std::shared_ptr<ThreadLog>& log : logs_) {
    log->mutex.lock();
    file_->write(log->calls);
    file_->write(log->allocations);
  }
}

void CallLog::release_restarted() noexcept {
  ++round_;
  for (std::vector<Name>& names : names_) {
    for (Name& name : names) name.text = Name::kNotInFile;
  }
  for (const std::shared_ptr<ThreadLog>& log : logs_) log->mutex.unlock();
  logs_mutex_.unlock();
}

}  // namespace strobe::record

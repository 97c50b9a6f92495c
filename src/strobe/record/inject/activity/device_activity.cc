#include "strobe/record/inject/activity/device_activity.h"

#include <string>
#include <utility>

namespace strobe::record {
namespace {

// CUPTI passes no pointer of ours to these.
std::atomic<DeviceActivity*> the_activity = nullptr;  // NOLINT
thread_local bool is_own_call = false;                // NOLINT: our own calls must be ignored

void CUPTIAPI on_cuda_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                           const void* data) noexcept {
  DeviceActivity* activity = the_activity;
  if (activity == nullptr || data == nullptr || is_own_call) return;
  is_own_call = true;
  activity->heard(domain, id, data);
  is_own_call = false;
}

void CUPTIAPI on_buffer_wanted(std::uint8_t** buffer, std::size_t* bytes,
                               std::size_t* most_records) noexcept {
  DeviceActivity* activity = the_activity;
  *buffer = activity == nullptr ? nullptr : activity->buffer_wanted();
  *bytes = *buffer == nullptr ? 0 : BufferPool::kBufferBytes;
  *most_records = 0;  // as many as fit
}

void CUPTIAPI on_buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                  std::size_t, std::size_t valid_bytes) noexcept {
  if (DeviceActivity* activity = the_activity; activity != nullptr) {
    activity->buffer_completed(context, stream, buffer, valid_bytes);
  }
}

std::uint64_t CUPTIAPI time_of_the_run() noexcept {
  return static_cast<std::uint64_t>(wire::run_clock_ns());
}

}  // namespace

DeviceActivity::DeviceActivity(wire::RunFileWriter& file, ThreadNumbers& threads,
                               const RunSettings& settings) noexcept
    : file_(&file),
      settings_(&settings),
      rows_(file, settings.is_redacting),
      calls_(file, threads) {}

bool DeviceActivity::load() noexcept {
  if (is_loaded_) return true;
  std::string problem;
  if (load_activity_api(settings_->cupti_path, api_, problem) != CuptiLoad::kLoaded) {
    tell(wire::NoteWhat::kNoLibrary, problem);
    return false;
  }
  driver_ = load_driver();
  is_loaded_ = true;
  write_facts();
  return true;
}

void DeviceActivity::tell(wire::NoteWhat what, const std::string& text) noexcept {
  told_.emplace_back(what, text);
  file_->note(what, text);
}

void DeviceActivity::write_facts() noexcept {
  file_->fact(wire::kFactLibrary, api_.path);
  file_->fact(wire::kFactLibraryVersion, std::to_string(api_.version));
  if (int version = 0;
      driver_.driver_version != nullptr && driver_.driver_version(&version) == CUDA_SUCCESS) {
    file_->fact(wire::kFactDriverVersion, std::to_string(version));
  }
}

void DeviceActivity::tell_again() noexcept {
  if (is_loaded_) write_facts();
  for (const auto& [what, text] : told_) file_->note(what, text);
}

// The subscription comes first: if another tool in this process holds CUPTI, nothing of it is
// touched.
bool DeviceActivity::subscribe() noexcept {
  const CUptiResult result = api_.cuptiSubscribe(&subscriber_, on_cuda_call, nullptr);
  if (result == CUPTI_SUCCESS) return true;
  const bool is_taken = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  tell(is_taken ? wire::NoteWhat::kOtherTool : wire::NoteWhat::kRefused,
       failed_call_text(api_, "cuptiSubscribe", result));
  return false;
}

bool DeviceActivity::enable(CUpti_ActivityKind kind, const char* what, bool is_needed) noexcept {
  const CUptiResult result = api_.cuptiActivityEnable(kind);
  if (result == CUPTI_SUCCESS) return true;
  if (is_needed) {
    const std::string text = std::string(what) + " are not recorded: ";
    tell(wire::NoteWhat::kRefused, text + failed_call_text(api_, "cuptiActivityEnable", result));
  }
  return false;
}

bool DeviceActivity::listen_to_device() noexcept {
  if (api_.cuptiActivityRegisterTimestampCallback == nullptr ||
      api_.cuptiActivityRegisterTimestampCallback(time_of_the_run) != CUPTI_SUCCESS) {
    tell(wire::NoteWhat::kRefused,
         "CUPTI does not take strobe's clock, so device work could not be put beside the calls");
    return false;
  }
  const CUptiResult result =
      api_.cuptiActivityRegisterCallbacks(on_buffer_wanted, on_buffer_completed);
  if (result == CUPTI_SUCCESS) return true;
  tell(wire::NoteWhat::kRefused, failed_call_text(api_, "cuptiActivityRegisterCallbacks", result));
  return false;
}

bool DeviceActivity::attach() noexcept {
  const std::lock_guard lock(cupti_mutex_);
  if (is_attached_) return true;
  if (!load() || !subscribe()) return false;
  the_activity = this;
  if (!listen_to_device()) {
    the_activity = nullptr;
    api_.cuptiUnsubscribe(subscriber_);
    return false;
  }
  if (settings_->calls != CallSet::kNone) {
    const CUptiResult result = calls_.listen(api_, subscriber_, settings_->calls);
    if (result != CUPTI_SUCCESS) {
      tell(wire::NoteWhat::kRefused, failed_call_text(api_, "cuptiEnableCallback", result));
    }
  }
  // A process in which whole graphs were switched on after the first graph existed has hung: only
  // before the first context.
  if (!settings_->with_graph_nodes && !settings_->has_windows()) {
    enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, "graphs", true);
  }
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernels", true);
  enable(CUPTI_ACTIVITY_KIND_MEMCPY, "copies", true);
  enable(CUPTI_ACTIVITY_KIND_MEMCPY2, "copies between devices", false);
  enable(CUPTI_ACTIVITY_KIND_MEMSET, "memsets", true);
  is_attached_ = true;
  return true;
}

void DeviceActivity::detach() noexcept {
  collect(true);
  api_.cuptiUnsubscribe(subscriber_);
  api_.cuptiFinalize();
  is_leaving_ = false;
  is_attached_ = false;
}

bool DeviceActivity::stay() noexcept {
  const std::lock_guard lock(cupti_mutex_);
  is_leaving_ = false;
  return is_attached_;
}

void DeviceActivity::end() noexcept {
  DeviceActivity* self = this;
  the_activity.compare_exchange_strong(self, nullptr);
}

void DeviceActivity::heard(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                           const void* data) noexcept {
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API && domain != CUPTI_CB_DOMAIN_RUNTIME_API) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  const bool has_ended = calls_.heard(domain, id, call);
  if (!has_ended || !is_leaving_) return;
  // While somebody else has CUPTI in hand, the next call will do.
  const std::unique_lock lock(cupti_mutex_, std::try_to_lock);
  if (lock.owns_lock() && is_leaving_) detach();
}

void DeviceActivity::buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                      std::size_t bytes) noexcept {
  const bool was_inside = std::exchange(is_own_call, true);  // describing a device calls the driver
  {
    const std::lock_guard lock(rows_.mutex());
    CUpti_Activity* record = nullptr;
    while (api_.cuptiActivityGetNextRecord(buffer, bytes, &record) == CUPTI_SUCCESS) {
      rows_.add(*record);
    }
    describe_new_devices();
    rows_.write();
  }
  std::size_t dropped = 0;
  if (api_.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) {
    dropped_ += dropped;
  }
  pool_.give_back(buffer);
  is_own_call = was_inside;
}

void DeviceActivity::describe_new_devices() noexcept {
  for (const std::uint32_t index : rows_.devices()) {
    if (!described_.insert(index).second) continue;
    const wire::DeviceRecord device = describe_device(driver_, static_cast<int>(index));
    const std::string prefix = wire::kFactDevice + std::to_string(index) + ".";
    file_->fact(prefix + "name", device.name);
    file_->fact(prefix + "uuid", device_uuid(driver_, static_cast<int>(index)));
    file_->fact(prefix + "memory_bytes", std::to_string(device.memory_bytes));
    file_->fact(prefix + "multiprocessors", std::to_string(device.sm_count));
    file_->fact(prefix + "compute_major", std::to_string(device.capability_major));
    file_->fact(prefix + "compute_minor", std::to_string(device.capability_minor));
  }
}

void DeviceActivity::collect(bool is_last) noexcept {
  const bool was_inside = std::exchange(is_own_call, true);
  api_.cuptiActivityFlushAll(is_last ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
  is_own_call = was_inside;
}

void DeviceActivity::flush(bool is_last) noexcept {
  {
    const std::lock_guard lock(cupti_mutex_);
    if (is_attached_) collect(is_last);
  }
  if (const std::uint64_t dropped = dropped_.exchange(0); dropped > 0) {
    file_->note(wire::NoteWhat::kDropped, "CUPTI had no room for records", dropped);
  }
  calls_.write();
  const std::lock_guard lock(rows_.mutex());
  rows_.write();
  if (const std::uint64_t count = rows_.take_without_times(); count > 0) {
    file_->note(wire::NoteWhat::kDropped, "device work that had not ended", count);
  }
}

void DeviceActivity::hold() noexcept {
  calls_.hold();
  rows_.mutex().lock();
  rows_.write();
}

void DeviceActivity::release_restarted() noexcept {
  rows_.restart();
  described_.clear();
  rows_.mutex().unlock();
  calls_.release_restarted();
}

}  // namespace strobe::record

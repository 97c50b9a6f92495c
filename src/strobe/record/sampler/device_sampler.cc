#include "strobe/record/sampler/device_sampler.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "strobe/device/vendor_library.h"

namespace strobe::record {
namespace {

using device::NvmlAnswer;
using device::NvmlApi;
using device::NvmlDevice;

// Measured on an H200 with driver 580: 10 us for what is read fast, 25 us for a list of processes,
// 0.2 ms for replays, 2.2 ms for the use by processes. The shares of a core add up to 0.46 % with
// the 0.12 % of the traffic over PCIe.
constexpr std::int64_t kMillisecondNs = 1'000'000;
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kFirstSearchNs = kSecondNs;
constexpr std::int64_t kLongestSearchNs = 64 * kSecondNs;
constexpr int kEnoughStrangeAnswers = 10;
constexpr int kMostEventsAtOnce = 16;

struct KnownXid {
  unsigned long long code;
  std::string_view words;
};
constexpr KnownXid kKnownXids[] = {
    {13, "a kernel did something invalid"},
    {31, "a kernel used memory that it may not use"},
    {43, "the device stopped a program's work"},
    {45, "a program's work was cleared after an error"},
    {48, "an error in memory could not be corrected"},
    {63, "faulty memory was replaced"},
    {64, "faulty memory could not be replaced"},
    {74, "an error of NVLink"},
    {79, "the device has fallen off the bus"},
    {92, "many errors in memory were corrected"},
    {94, "an error in memory hit one program"},
    {95, "an error in memory may have hit all programs"},
    {119, "the device's own processor does not answer"},
    {120, "the device's own processor has failed"},
};

std::string xid_text(unsigned device, unsigned long long code) {
  for (const KnownXid& known : kKnownXids) {
    if (known.code == code) {
      return fmt::format("GPU {} reported Xid {}: {}", device, code, known.words);
    }
  }
  return fmt::format("GPU {} reported Xid {}, an error", device, code);
}

Error no_device_metrics(std::string what, std::string hint) {
  return {.code = ErrorCode::kMachineLacks,
          .what = std::move(what),
          .where = "",
          .hint = std::move(hint)};
}

Error cannot_start(const NvmlApi& nvml, int result) {
  if (result == device::kNvmlDriverNotLoaded) {
    return no_device_metrics("NVIDIA's kernel module is not loaded",
                             "`sudo modprobe nvidia`; in a container, start it with `--gpus all`");
  }
  if (result == device::kNvmlVersionMismatch) {
    return no_device_metrics("NVIDIA's library and kernel module have different versions",
                             "restart the machine after the driver was updated");
  }
  const char* words = nvml.error_text == nullptr ? nullptr : nvml.error_text(result);
  return no_device_metrics(
      fmt::format("NVML does not start ({})", words == nullptr ? std::to_string(result) : words),
      "`nvidia-smi` says more");
}

std::vector<SampledDevice> visible_devices(const NvmlApi& nvml) {
  std::vector<SampledDevice> devices;
  unsigned count = 0;
  if (nvml.device_count == nullptr || nvml.device_by_index == nullptr ||
      nvml.device_count(&count) != device::kNvmlSuccess) {
    return devices;
  }
  for (unsigned index = 0; index < count; ++index) {
    SampledDevice found{.handle = nullptr, .index = index, .memory_bytes = 0, .is_lost = false};
    if (nvml.device_by_index(index, &found.handle) != device::kNvmlSuccess) continue;
    device::NvmlMemory memory = {};
    if (nvml.memory != nullptr && nvml.memory(found.handle, &memory) == device::kNvmlSuccess) {
      found.memory_bytes = memory.total;
    }
    devices.push_back(found);
  }
  return devices;
}

using TextCall = int (*)(NvmlDevice, char*, unsigned);

std::string text_from(TextCall call, NvmlDevice handle) {
  std::array<char, 97> text = {};
  if (call == nullptr || call(handle, text.data(), text.size() - 1) != device::kNvmlSuccess) {
    return "";
  }
  return text.data();
}

int clock_now(const NvmlApi& nvml, NvmlDevice handle, int which) {
  unsigned mhz = 0;
  if (nvml.clock_mhz == nullptr || nvml.clock_mhz(handle, which, &mhz) != device::kNvmlSuccess) {
    return 0;
  }
  return static_cast<int>(mhz);
}

// The driver dates samples by the wall clock.
std::uint64_t unix_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

}  // namespace

Result<std::unique_ptr<DeviceSampler>> DeviceSampler::open(ProcessAccess access) {
  return open(device::open_nvml(), std::move(access));
}

Result<std::unique_ptr<DeviceSampler>> DeviceSampler::open(const NvmlApi& nvml,
                                                           ProcessAccess access,
                                                           CpuClock cpu_clock) {
  if (!nvml) return device::no_library(device::Library::kNvml, std::nullopt);
  if (const int result = nvml.init(); result != device::kNvmlSuccess) {
    return cannot_start(nvml, result);
  }
  std::vector<SampledDevice> devices = visible_devices(nvml);
  if (devices.empty()) {
    if (nvml.shutdown != nullptr) nvml.shutdown();
    return no_device_metrics("NVML sees no GPU",
                             "check `nvidia-smi`; in a container, start it with `--gpus all`");
  }
  return std::unique_ptr<DeviceSampler>(
      new DeviceSampler(nvml, std::move(devices), std::move(access), cpu_clock));
}

DeviceSampler::DeviceSampler(const NvmlApi& nvml, std::vector<SampledDevice> devices,
                             ProcessAccess access, CpuClock cpu_clock)
    : nvml_(nvml),
      devices_(std::move(devices)),
      owners_(std::move(access)),
      cpu_clock_(cpu_clock),
      pcie_(nvml_, devices_, cpu_clock),
      fast_({20 * kMillisecondNs, 0.0011}),
      middle_({200 * kMillisecondNs, 0.0005}),
      slow_({kSecondNs, 0.0001}),
      rare_({10 * kSecondNs, 0.0001}),
      lists_({500 * kMillisecondNs, 0.0003}),
      use_({kSecondNs, 0.0013}),
      search_period_ns_(kFirstSearchNs) {
  const std::uint64_t start_us = unix_us();
  for (const SampledDevice& one : devices_) {
    watched_.push_back({.readings = readings_of(one.index),
                        .links = LinkTraffic(one.index),
                        .processes = DeviceProcesses(one.index, one.memory_bytes, start_us)});
  }
  read_facts();
  register_events();
}

DeviceSampler::~DeviceSampler() {
  pcie_.stop();
  if (events_ != nullptr && nvml_.free_event_set != nullptr) nvml_.free_event_set(events_);
  if (nvml_.shutdown != nullptr) nvml_.shutdown();
}

void DeviceSampler::read_facts() {
  for (const SampledDevice& one : devices_) {
    facts_.push_back({.index = static_cast<int>(one.index),
                      .name = text_from(nvml_.device_name, one.handle),
                      .uuid = text_from(nvml_.device_uuid, one.handle),
                      .memory_bytes = one.memory_bytes,
                      .sm_clock_mhz = clock_now(nvml_, one.handle, device::kNvmlSmClock),
                      .memory_clock_mhz = clock_now(nvml_, one.handle, device::kNvmlMemoryClock)});
  }
  std::array<char, 97> text = {};
  if (nvml_.driver_version != nullptr &&
      nvml_.driver_version(text.data(), text.size() - 1) == device::kNvmlSuccess) {
    driver_version_ = text.data();
  }
  int number = 0;
  if (nvml_.cuda_version != nullptr && nvml_.cuda_version(&number) == device::kNvmlSuccess) {
    cuda_version_ = fmt::format("{}.{}", number / 1000, number % 1000 / 10);
  }
}

void DeviceSampler::register_events() {
  if (nvml_.create_event_set == nullptr || nvml_.supported_events == nullptr ||
      nvml_.register_events == nullptr || nvml_.wait_for_event == nullptr ||
      nvml_.create_event_set(&events_) != device::kNvmlSuccess) {
    events_ = nullptr;
    return;
  }
  for (const SampledDevice& one : devices_) {
    unsigned long long types = 0;
    if (nvml_.supported_events(one.handle, &types) != device::kNvmlSuccess) continue;
    types &= device::kNvmlXidEvent | device::kNvmlCorrectedErrorEvent |
             device::kNvmlUncorrectedErrorEvent;
    if (types != 0) nvml_.register_events(one.handle, types, events_);
  }
}

template <class Work>
void DeviceSampler::at(Pace& pace, std::int64_t now_ns, const Work& work) {
  if (!pace.is_due(now_ns)) return;
  const std::int64_t start_ns = cpu_clock_();
  work();
  const std::int64_t cost_ns = cpu_clock_() - start_ns;
  cpu_ns_ += cost_ns;
  pace.was_done(now_ns, cost_ns);
}

void DeviceSampler::sample(std::int64_t now_ns, SampleLog& log) {
  pcie_.sample(now_ns, log);  // first: `now_ns` must be the time of its readings
  at(fast_, now_ns, [&] {
    read_all(ReadingRate::kFast, now_ns, log);
    take_events(now_ns, log);
  });
  at(middle_, now_ns, [&] {
    read_all(ReadingRate::kMiddle, now_ns, log);
    sample_links(now_ns, log);
  });
  at(slow_, now_ns, [&] { read_all(ReadingRate::kSlow, now_ns, log); });
  at(rare_, now_ns, [&] { read_all(ReadingRate::kRare, now_ns, log); });
  at(lists_, now_ns, [&] { sample_process_lists(now_ns, log); });
  at(use_, now_ns, [&] { sample_process_use(now_ns, log); });
}

bool DeviceSampler::judge(NvmlAnswer answer, std::size_t device, SampleLog& log) {
  if (answer == NvmlAnswer::kLost && !devices_[device].is_lost) {
    devices_[device].is_lost = true;
    remark(log, wire::NoteWhat::kRefused,
           fmt::format("GPU {} is lost or needs a reset: its metrics end here",
                       devices_[device].index));
  }
  return answer != NvmlAnswer::kNever;
}

// The same is said once: an error may come back a thousand times.
void DeviceSampler::remark(SampleLog& log, wire::NoteWhat what, const std::string& text,
                           std::uint64_t count) {
  if (std::ranges::find(remarks_, text) != remarks_.end()) return;
  log.file().note(what, text, count);
  remarks_.push_back(text);
}

void DeviceSampler::read_all(ReadingRate rate, std::int64_t now_ns, SampleLog& log) {
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    std::vector<DeviceReading>& readings = watched_[device].readings;
    std::erase_if(readings, [&](DeviceReading& reading) {
      if (devices_[device].is_lost || reading.rate() != rate) return false;
      return !judge(reading.sample(nvml_, devices_[device], now_ns, log), device, log);
    });
  }
}

void DeviceSampler::sample_links(std::int64_t now_ns, SampleLog& log) {
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    Watched& watched = watched_[device];
    if (devices_[device].is_lost || !watched.has_links) continue;
    const NvmlAnswer answer = watched.links.sample(nvml_, devices_[device], now_ns, log);
    watched.has_links = judge(answer, device, log);
  }
}

void DeviceSampler::sample_process_lists(std::int64_t now_ns, SampleLog& log) {
  bool shares_mps_server = false;
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    Watched& watched = watched_[device];
    if (devices_[device].is_lost || !watched.has_process_list) continue;
    const NvmlAnswer answer =
        watched.processes.sample_list(nvml_, devices_[device].handle, now_ns, owners_, log);
    watched.has_process_list = judge(answer, device, log);
    shares_mps_server = shares_mps_server || watched.processes.shares_mps_server();
  }
  if (shares_mps_server && !shares_mps_server_) {
    shares_mps_server_ = true;
    remark(log, wire::NoteWhat::kRemark,
           "the recorded processes use the device through an MPS server: what other clients of "
           "the server do there may not be told apart");
  }
  look_for_hidden_processes(now_ns, log);
}

// One device at a time, because a question takes long. The answer covers the time since the last.
void DeviceSampler::sample_process_use(std::int64_t now_ns, SampleLog& log) {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    use_turn_ = (use_turn_ + 1) % devices_.size();
    Watched& watched = watched_[use_turn_];
    if (devices_[use_turn_].is_lost || !watched.has_process_use) continue;
    const NvmlAnswer answer = watched.processes.sample_use(nvml_, devices_[use_turn_].handle,
                                                           now_ns, unix_us(), owners_, log);
    watched.has_process_use = judge(answer, use_turn_, log);
    if (watched.processes.strange_answers() >= kEnoughStrangeAnswers &&
        !owners_.are_of_this_machine(NumberSource::kUse)) {
      watched.has_process_use = false;
      if (!std::exchange(has_hidden_processes_, true)) {
        remark(log, wire::NoteWhat::kNotPermitted,
               "NVML gives the use of a device by processes outside of this container only: how "
               "much the recorded and other processes use it is not recorded");
      }
    }
    return;
  }
}

// In a container, the driver may show its processes under other numbers or not at all.
void DeviceSampler::look_for_hidden_processes(std::int64_t now_ns, SampleLog& log) {
  if (has_hidden_processes_ || owners_.are_of_this_machine(NumberSource::kList)) return;
  if (now_ns < next_search_ns_) return;
  const bool is_using = owners_.own_process_uses_device();
  if (is_using && was_using_device_) {
    has_hidden_processes_ = true;
    remark(log, wire::NoteWhat::kNotPermitted,
           "this container hides its processes from NVML: whether other processes use the device "
           "is not recorded");
    return;
  }
  was_using_device_ = is_using;
  next_search_ns_ = now_ns + (is_using ? kFirstSearchNs : search_period_ns_);
  search_period_ns_ = std::min(2 * search_period_ns_, kLongestSearchNs);
}

std::size_t DeviceSampler::index_of(NvmlDevice handle) const {
  std::size_t device = 0;
  while (device < devices_.size() && devices_[device].handle != handle) ++device;
  if (device < devices_.size()) return device;
  const std::string uuid = text_from(nvml_.device_uuid, handle);
  for (device = 0; device < facts_.size() && facts_[device].uuid != uuid;) ++device;
  return device;
}

void DeviceSampler::take_events(std::int64_t now_ns, SampleLog& log) {
  if (events_ == nullptr) return;
  for (int i = 0; i < kMostEventsAtOnce; ++i) {
    device::NvmlEvent event = {};
    if (nvml_.wait_for_event(events_, &event, 0) != device::kNvmlSuccess) return;
    take_event(event, now_ns, log);
  }
}

void DeviceSampler::take_event(const device::NvmlEvent& event, std::int64_t now_ns,
                               SampleLog& log) {
  const std::size_t device = index_of(event.device);
  if (device == devices_.size()) return;
  const unsigned index = devices_[device].index;
  if (event.type == device::kNvmlXidEvent) {
    log.add(device_series(index, "gpu_xid"), now_ns, static_cast<std::int64_t>(event.data));
    remark(log, wire::NoteWhat::kDeviceError, xid_text(index, event.data), event.data);
  } else if (event.type == device::kNvmlUncorrectedErrorEvent) {
    remark(log, wire::NoteWhat::kDeviceError,
           fmt::format("GPU {} reported an error in memory that could not be corrected", index));
  }
  // Corrected errors are counted, see readings_of.
}

}  // namespace strobe::record

#include "strobe/record/sampler/device_traffic.h"

#include <csignal>

#include <algorithm>
#include <chrono>

#include "strobe/record/sampler/proc_files.h"

namespace strobe::record {
namespace {

using device::NvmlAnswer;
using device::NvmlApi;
using device::NvmlFieldValue;

constexpr std::int64_t kTurnNs = 400'000'000;
constexpr double kMostShareOfCore = 0.0012;
// The fastest bus, of 16 lanes of the sixth generation, fills 32 bits in 33 ms.
constexpr std::int64_t kLongestWindowNs = 30'000'000;
constexpr std::chrono::seconds kPauseBetweenSlowQuestions{1};
constexpr long long kMostLinks = 64;

std::int64_t bytes_per_second(std::int64_t bytes, std::int64_t elapsed_ns) {
  return static_cast<std::int64_t>(static_cast<double>(bytes) * 1e9 /
                                   static_cast<double>(elapsed_ns));
}

void write_pcie(unsigned device, std::int64_t time_ns, std::int64_t received,
                std::int64_t transmitted, SampleLog& log) {
  log.add(device_series(device, "gpu_pcie_receive"), time_ns, received);
  log.add(device_series(device, "gpu_pcie_transmit"), time_ns, transmitted);
}

// Signals are for the thread that runs the recording.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

void SlowPcieTraffic::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void SlowPcieTraffic::add(const SampledDevice& device) {
  if (nvml_.pcie_kilobytes_per_second == nullptr) return;
  const std::lock_guard lock(mutex_);
  devices_.push_back(device);
  change_.notify_all();
  if (thread_.joinable()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { ask_in_turn(stop); });
}

void SlowPcieTraffic::write_new(SampleLog& log) {
  std::vector<Sample> samples;
  {
    const std::lock_guard lock(mutex_);
    if (new_samples_.empty()) return;
    samples.swap(new_samples_);
  }
  for (const Sample& one : samples) {
    write_pcie(one.device, one.time_ns, one.received, one.transmitted, log);
  }
}

void SlowPcieTraffic::ask_in_turn(const std::stop_token& stop) {
  block_signals();
  std::unique_lock lock(mutex_);
  const auto has_devices = [this] { return !devices_.empty(); };
  // Without devices it waits for the next one.
  for (std::size_t turn = 0; change_.wait(lock, stop, has_devices); ++turn) {
    if (stop.stop_requested()) return;
    const std::size_t at = turn % devices_.size();
    const SampledDevice device = devices_[at];
    lock.unlock();
    const NvmlAnswer answer = ask(device);
    cpu_ns_ = thread_cpu_ns();
    lock.lock();
    if (answer == NvmlAnswer::kNever || answer == NvmlAnswer::kLost) {
      devices_.erase(devices_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    change_.wait_for(lock, stop, kPauseBetweenSlowQuestions, [] { return false; });
  }
}

NvmlAnswer SlowPcieTraffic::ask(const SampledDevice& device) {
  unsigned received = 0;
  unsigned transmitted = 0;
  int result = nvml_.pcie_kilobytes_per_second(device.handle, device::kNvmlPcieReceive, &received);
  const std::int64_t time_ns = wire::run_clock_ns();
  if (result == device::kNvmlSuccess) {
    result =
        nvml_.pcie_kilobytes_per_second(device.handle, device::kNvmlPcieTransmit, &transmitted);
  }
  if (result == device::kNvmlSuccess) {
    const std::lock_guard lock(mutex_);
    new_samples_.push_back(
        {device.index, time_ns, std::int64_t{received} * 1000, std::int64_t{transmitted} * 1000});
  }
  return device::answer_of(result);
}

PcieTraffic::PcieTraffic(const NvmlApi& nvml, const std::vector<SampledDevice>& devices,
                         CpuClock cpu_clock)
    : nvml_(nvml),
      devices_(devices),
      cpu_clock_(cpu_clock),
      has_counters_(devices.size(), true),
      pace_({kTurnNs, kMostShareOfCore}),
      slow_(nvml) {}

void PcieTraffic::sample(std::int64_t now_ns, SampleLog& log) {
  slow_.write_new(log);
  if (!first_ && !pace_.is_due(now_ns)) return;
  const std::int64_t start_ns = cpu_clock_();
  const bool is_second = first_.has_value();
  is_second ? end_turn(now_ns, log) : begin_turn(now_ns);
  const std::int64_t cost_ns = cpu_clock_() - start_ns;
  cpu_ns_ += cost_ns;
  turn_cost_ns_ += cost_ns;
  if (first_) return;
  pace_.was_done(now_ns, turn_cost_ns_);
  turn_cost_ns_ = 0;
}

bool PcieTraffic::next_device() {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    turn_ = (turn_ + 1) % devices_.size();
    if (has_counters_[turn_] && !devices_[turn_].is_lost) return true;
  }
  return false;
}

void PcieTraffic::begin_turn(std::int64_t now_ns) {
  if (next_device()) first_ = read(turn_, now_ns);
}

void PcieTraffic::end_turn(std::int64_t now_ns, SampleLog& log) {
  const Counters first = *first_;
  first_.reset();
  const std::int64_t elapsed_ns = now_ns - first.time_ns;
  if (elapsed_ns <= 0 || elapsed_ns > kLongestWindowNs) return;
  const auto second = read(turn_, now_ns);
  if (!second) return;
  // Unsigned: a counter that has wrapped gives the right difference.
  const std::uint32_t received = second->received - first.received;
  const std::uint32_t transmitted = second->transmitted - first.transmitted;
  write_pcie(devices_[turn_].index, now_ns, bytes_per_second(received, elapsed_ns),
             bytes_per_second(transmitted, elapsed_ns), log);
}

std::optional<PcieTraffic::Counters> PcieTraffic::read(std::size_t device, std::int64_t now_ns) {
  NvmlFieldValue fields[] = {{.field = device::kNvmlPcieReceivedBytes},
                             {.field = device::kNvmlPcieTransmittedBytes}};
  int result = nvml_.field_values == nullptr
                   ? device::kNvmlFunctionNotFound
                   : nvml_.field_values(devices_[device].handle, 2, fields);
  for (const NvmlFieldValue& field : fields) {
    if (result == device::kNvmlSuccess) result = field.result;
  }
  if (device::answer_of(result) == NvmlAnswer::kNever) {
    has_counters_[device] = false;
    slow_.add(devices_[device]);
  }
  if (result != device::kNvmlSuccess) return std::nullopt;
  return Counters{now_ns, static_cast<std::uint32_t>(fields[0].whole_number()),
                  static_cast<std::uint32_t>(fields[1].whole_number())};
}

LinkTraffic::LinkTraffic(unsigned device)
    : receive_(device_series(device, "gpu_link_receive")),
      transmit_(device_series(device, "gpu_link_transmit")) {}

NvmlAnswer LinkTraffic::sample(const NvmlApi& nvml, const SampledDevice& device,
                               std::int64_t now_ns, SampleLog& log) {
  if (!is_searched_) find_fields(nvml, device);
  if (fields_.empty()) return NvmlAnswer::kNever;
  const int result =
      nvml.field_values(device.handle, static_cast<int>(fields_.size()), fields_.data());
  if (result != device::kNvmlSuccess) return device::answer_of(result);
  Counters counters{now_ns, 0, 0};
  for (const NvmlFieldValue& one : fields_) {
    if (one.result != device::kNvmlSuccess) return device::answer_of(one.result);
    const bool is_received =
        one.field == device::kNvmlLinkReceived || one.field == device::kNvmlLinkReceivedBytes;
    (is_received ? counters.received : counters.transmitted) += one.whole_number() * unit_bytes_;
  }
  // After a reset of the links the counters start again.
  if (before_ && now_ns > before_->time_ns && counters.received >= before_->received &&
      counters.transmitted >= before_->transmitted) {
    const std::int64_t elapsed_ns = now_ns - before_->time_ns;
    log.add(receive_, now_ns, bytes_per_second(counters.received - before_->received, elapsed_ns));
    log.add(transmit_, now_ns,
            bytes_per_second(counters.transmitted - before_->transmitted, elapsed_ns));
  }
  before_ = counters;
  return NvmlAnswer::kGiven;
}

// Older devices sum the links up, newer ones count each by itself.
void LinkTraffic::find_fields(const NvmlApi& nvml, const SampledDevice& device) {
  is_searched_ = true;
  if (nvml.field_values == nullptr) return;
  fields_ = {{.field = device::kNvmlLinkReceived, .scope = device::kNvmlAllLinks},
             {.field = device::kNvmlLinkTransmitted, .scope = device::kNvmlAllLinks}};
  unit_bytes_ = 1024;
  if (keep_answered(nvml, device)) return;
  fields_ = {{.field = device::kNvmlLinkCount}};
  if (!keep_answered(nvml, device)) return;
  const long long links = std::clamp(fields_[0].whole_number(), 0ll, kMostLinks);
  fields_.clear();
  for (unsigned link = 0; link < static_cast<unsigned>(links); ++link) {
    fields_.push_back({.field = device::kNvmlLinkReceivedBytes, .scope = link});
    fields_.push_back({.field = device::kNvmlLinkTransmittedBytes, .scope = link});
  }
  unit_bytes_ = 1;
  keep_answered(nvml, device);
}

bool LinkTraffic::keep_answered(const NvmlApi& nvml, const SampledDevice& device) {
  if (fields_.empty()) return false;
  const int result =
      nvml.field_values(device.handle, static_cast<int>(fields_.size()), fields_.data());
  if (result != device::kNvmlSuccess) fields_.clear();
  std::erase_if(fields_,
                [](const NvmlFieldValue& one) { return one.result != device::kNvmlSuccess; });
  return !fields_.empty();
}

}  // namespace strobe::record

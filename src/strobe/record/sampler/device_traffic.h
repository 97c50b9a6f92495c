#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "strobe/device/nvml_api.h"
#include "strobe/record/sampler/pace.h"
#include "strobe/record/sampler/sample_log.h"
#include "strobe/record/sampler/sampled_device.h"

// Bytes per second between a device and the host, and between devices. What a device receives is
// what is copied to it; the protocol's own bytes are included.
namespace strobe::record {

// Asks for the traffic over PCIe where a single question takes 20 ms, in a thread of its own.
class SlowPcieTraffic {
 public:
  explicit SlowPcieTraffic(const device::NvmlApi& nvml) : nvml_(nvml) {}
  ~SlowPcieTraffic() { stop(); }

  void stop();
  void add(const SampledDevice& device);
  void write_new(SampleLog& log);
  std::int64_t cpu_ns() const { return cpu_ns_; }

 private:
  struct Sample {
    unsigned device;
    std::int64_t time_ns;
    std::int64_t received;
    std::int64_t transmitted;
  };

  void ask_in_turn(const std::stop_token& stop);
  device::NvmlAnswer ask(const SampledDevice& device);

  const device::NvmlApi& nvml_;
  std::mutex mutex_;
  std::condition_variable_any change_;
  std::vector<SampledDevice> devices_;
  std::vector<Sample> new_samples_;
  std::atomic<std::int64_t> cpu_ns_ = 0;
  std::jthread thread_;
};

// The traffic over PCIe. The counters have 32 bits, which a fast bus fills in 60 ms, and reading
// them takes 0.3 ms. So the devices take turns: a device's counters are read in two calls that
// follow each other, and the time between them is what is measured.
class PcieTraffic {
 public:
  PcieTraffic(const device::NvmlApi& nvml, const std::vector<SampledDevice>& devices,
              CpuClock cpu_clock);

  void sample(std::int64_t now_ns, SampleLog& log);
  // NVML is not asked any more when it returns.
  void stop() { slow_.stop(); }
  std::int64_t cpu_ns() const { return cpu_ns_ + slow_.cpu_ns(); }

 private:
  struct Counters {
    std::int64_t time_ns = 0;
    std::uint32_t received = 0;
    std::uint32_t transmitted = 0;
  };

  void begin_turn(std::int64_t now_ns);
  void end_turn(std::int64_t now_ns, SampleLog& log);
  std::optional<Counters> read(std::size_t device, std::int64_t now_ns);
  bool next_device();

  const device::NvmlApi& nvml_;
  const std::vector<SampledDevice>& devices_;
  CpuClock cpu_clock_;
  std::vector<bool> has_counters_;  // by device; true until it turns out otherwise
  std::size_t turn_ = 0;
  std::optional<Counters> first_;  // of the device whose turn it is
  Pace pace_;
  std::int64_t turn_cost_ns_ = 0;
  std::int64_t cpu_ns_ = 0;
  SlowPcieTraffic slow_;
};

// The traffic of a device over NVLink, from counters that do not wrap.
class LinkTraffic {
 public:
  explicit LinkTraffic(unsigned device);

  device::NvmlAnswer sample(const device::NvmlApi& nvml, const SampledDevice& device,
                            std::int64_t now_ns, SampleLog& log);

 private:
  struct Counters {
    std::int64_t time_ns = 0;
    std::int64_t received = 0;
    std::int64_t transmitted = 0;
  };

  void find_fields(const device::NvmlApi& nvml, const SampledDevice& device);
  bool keep_answered(const device::NvmlApi& nvml, const SampledDevice& device);

  SeriesName receive_;
  SeriesName transmit_;
  bool is_searched_ = false;
  std::vector<device::NvmlFieldValue> fields_;  // none: the device has no links
  std::int64_t unit_bytes_ = 1;
  std::optional<Counters> before_;
};

}  // namespace strobe::record

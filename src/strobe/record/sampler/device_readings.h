#pragma once

#include <cstdint>
#include <vector>

#include "strobe/device/nvml_api.h"
#include "strobe/record/sampler/sample_log.h"
#include "strobe/record/sampler/sampled_device.h"

namespace strobe::record {

enum class ReadingRate : std::uint8_t {
  kFast,    // what changes from one kernel to the next
  kMiddle,  // what changes slowly
  kSlow,    // what hardly changes
  kRare,    // likewise, and each question is expensive
};

// Values that one call of NVML gives. If the device does not have them, they are asked for once.
class DeviceReading {
 public:
  static constexpr int kMostValues = 2;
  // The result of the call.
  using Ask = int (*)(const device::NvmlApi& nvml, const SampledDevice& device,
                      std::int64_t* values);

  // `ways`: the best first; the next is taken if a way is not supported. `series`: one per value.
  DeviceReading(ReadingRate rate, std::vector<Ask> ways, std::vector<SeriesName> series);

  ReadingRate rate() const { return rate_; }
  // Asks and writes. kNever if nothing more will come.
  device::NvmlAnswer sample(const device::NvmlApi& nvml, const SampledDevice& device,
                            std::int64_t now_ns, SampleLog& log);

 private:
  ReadingRate rate_;
  std::vector<Ask> ways_;
  std::vector<SeriesName> series_;
};

// Everything that is read of a device by itself: clocks, power, use, memory, errors.
std::vector<DeviceReading> readings_of(unsigned index);

}  // namespace strobe::record

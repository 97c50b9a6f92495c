#include "strobe/record/sampler/device_readings.h"

#include <utility>

namespace strobe::record {
namespace {

using device::NvmlAnswer;
using device::NvmlApi;
using device::NvmlFieldValue;

int ask_clock(const NvmlApi& nvml, const SampledDevice& device, int which, std::int64_t* values) {
  if (nvml.clock_mhz == nullptr) return device::kNvmlFunctionNotFound;
  unsigned mhz = 0;
  const int result = nvml.clock_mhz(device.handle, which, &mhz);
  values[0] = mhz;
  return result;
}

int ask_sm_clock(const NvmlApi& nvml, const SampledDevice& device, std::int64_t* values) {
  return ask_clock(nvml, device, device::kNvmlSmClock, values);
}

int ask_memory_clock(const NvmlApi& nvml, const SampledDevice& device, std::int64_t* values) {
  return ask_clock(nvml, device, device::kNvmlMemoryClock, values);
}

int ask_clock_reasons(const NvmlApi& nvml, const SampledDevice& device, std::int64_t* values) {
  if (nvml.clock_reasons == nullptr) return device::kNvmlFunctionNotFound;
  unsigned long long bits = 0;
  const int result = nvml.clock_reasons(device.handle, &bits);
  values[0] = static_cast<std::int64_t>(bits);
  return result;
}

template <unsigned... kFields>
int ask_field_numbers(const NvmlApi& nvml, const SampledDevice& device, std::int64_t* values) {
  NvmlFieldValue fields[] = {NvmlFieldValue{.field = kFields}...};
  if (nvml.field_values == nullptr) return device::kNvmlFunctionNotFound;
  const int result = nvml.field_values(device.handle, sizeof...(kFields), fields);
  if (result != device::kNvmlSuccess) return result;
  for (const NvmlFieldValue& field : fields) {
    if (field.result != device::kNvmlSuccess) return field.result;
    *values++ = field.whole_number();
  }
  return device::kNvmlSuccess;
}

int ask_mean_power(const NvmlApi& nvml, const SampledDevice& device, std::int64_t* values) {
  if (nvml.power_mw == nullptr) return device::kNvmlFunctionNotFound;
  unsigned milliwatt = 0;
  const int result = nvml.power_mw(device.handle, &milliwatt);
  values[0] = milliwatt;
  return result;
}

int ask_use(const NvmlApi& nvml, const SampledDevice& device, std::int64_t* values) {
  if (nvml.utilization == nullptr) return device::kNvmlFunctionNotFound;
  device::NvmlUtilization percent = {};
  const int result = nvml.utilization(device.handle, &percent);
  values[0] = percent.gpu;
  values[1] = percent.memory;
  return result;
}

int ask_temperature(const NvmlApi& nvml, const SampledDevice& device, std::int64_t* values) {
  if (nvml.temperature_c == nullptr) return device::kNvmlFunctionNotFound;
  unsigned degrees = 0;
  const int result = nvml.temperature_c(device.handle, device::kNvmlGpuSensor, &degrees);
  values[0] = degrees;
  return result;
}

void put_memory(unsigned long long used, const SampledDevice& device, std::int64_t* values) {
  values[0] = hundredths_of_percent(used, device.memory_bytes);
  values[1] = static_cast<std::int64_t>(used);
}

int ask_used_memory(const NvmlApi& nvml, const SampledDevice& device, std::int64_t* values) {
  if (nvml.memory_v2 == nullptr) return device::kNvmlFunctionNotFound;
  device::NvmlMemoryV2 memory;
  const int result = nvml.memory_v2(device.handle, &memory);
  put_memory(memory.used, device, values);
  return result;
}

int ask_used_and_reserved_memory(const NvmlApi& nvml, const SampledDevice& device,
                                 std::int64_t* values) {
  if (nvml.memory == nullptr) return device::kNvmlFunctionNotFound;
  device::NvmlMemory memory = {};
  const int result = nvml.memory(device.handle, &memory);
  put_memory(memory.used, device, values);
  return result;
}

int ask_power_limit(const NvmlApi& nvml, const SampledDevice& device, std::int64_t* values) {
  if (nvml.power_limit_mw == nullptr) return device::kNvmlFunctionNotFound;
  unsigned milliwatt = 0;
  const int result = nvml.power_limit_mw(device.handle, &milliwatt);
  values[0] = milliwatt;
  return result;
}

}  // namespace

DeviceReading::DeviceReading(ReadingRate rate, std::vector<Ask> ways,
                             std::vector<SeriesName> series)
    : rate_(rate), ways_(std::move(ways)), series_(std::move(series)) {}

NvmlAnswer DeviceReading::sample(const NvmlApi& nvml, const SampledDevice& device,
                                 std::int64_t now_ns, SampleLog& log) {
  std::int64_t values[kMostValues] = {};
  while (!ways_.empty()) {
    const NvmlAnswer answer = device::answer_of(ways_.front()(nvml, device, values));
    if (answer == NvmlAnswer::kNever) {
      ways_.erase(ways_.begin());
      continue;
    }
    if (answer != NvmlAnswer::kGiven) return answer;
    for (std::size_t i = 0; i < series_.size(); ++i) log.add(series_[i], now_ns, values[i]);
    return answer;
  }
  return NvmlAnswer::kNever;
}

std::vector<DeviceReading> readings_of(unsigned index) {
  const auto named = [index](const char* metric, int scale = 0) {
    return device_series(index, metric, scale);
  };
  using Rate = ReadingRate;
  return {
      {Rate::kFast, {ask_sm_clock}, {named("gpu_sm_frequency")}},
      {Rate::kFast, {ask_memory_clock}, {named("gpu_mem_frequency")}},
      {Rate::kFast, {ask_clock_reasons}, {named("gpu_throttle_reasons")}},
      // The call for power gives the mean of a second on newer devices.
      {Rate::kFast,
       {ask_field_numbers<device::kNvmlPowerNow>, ask_mean_power},
       {named("gpu_power_mw")}},
      {Rate::kFast, {ask_use}, {named("gpu_usage"), named("gpu_mem_util")}},
      {Rate::kMiddle, {ask_temperature}, {named("gpu_temperature_c")}},
      {Rate::kMiddle,
       {ask_used_memory, ask_used_and_reserved_memory},
       {named("gpu_mem_used", -2), named("gpu_mem_used_bytes")}},
      {Rate::kSlow, {ask_power_limit}, {named("gpu_power_limit_mw")}},
      {Rate::kSlow,
       {ask_field_numbers<device::kNvmlCorrectedErrors, device::kNvmlUncorrectedErrors>},
       {named("gpu_ecc_corrected"), named("gpu_ecc_uncorrected")}},
      // A question goes to the device itself and takes 0.2 ms.
      {Rate::kRare, {ask_field_numbers<device::kNvmlPcieReplays>}, {named("gpu_pcie_replays")}},
  };
}

}  // namespace strobe::record

// A libnvidia-ml.so.1 without a GPU. Its devices follow a script in the variable STUB_NVML, which
// is read when the library is initialised:
//
//     devices=2; 0.sm_clock=1980,1500; 1.power=!3; 0.field.198=100,300; 1.lost_after=40
//
// A name has one value per call, separated by commas; the last one is repeated. "!15" is no value
// but the result of the call. What the script does not name has an ordinary value. Names of a
// device:
//
//     name uuid memory used reserved sm_clock memory_clock reasons power power_limit temperature
//     usage memory_usage pcie_receive pcie_transmit field.<number> field.<number>.<scope>
//     processes graphics mps   blank-separated "process:bytes"
//     use                      blank-separated "process:percent", as new samples
//     event                    "type:data", or "-" for none; none by default
//     pcie_ms                  how long a question for the traffic over PCIe takes
//     lost_after               calls after which the device is lost
//
// Of the library: init, devices, driver, cuda.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "strobe/device/nvml_api.h"

using strobe::device::kNvmlGpuIsLost;
using strobe::device::kNvmlInsufficientSize;
using strobe::device::kNvmlInvalidArgument;
using strobe::device::kNvmlNotFound;
using strobe::device::kNvmlNotSupported;
using strobe::device::kNvmlSuccess;
using strobe::device::kNvmlTimeout;
using strobe::device::NvmlDevice;
using strobe::device::NvmlEvent;
using strobe::device::NvmlEventSet;
using strobe::device::NvmlFieldValue;
using strobe::device::NvmlMemory;
using strobe::device::NvmlMemoryV2;
using strobe::device::NvmlProcess;
using strobe::device::NvmlProcessUtilization;
using strobe::device::NvmlUtilization;
using strobe::device::NvmlValueType;

namespace {

constexpr unsigned kMostDevices = 16;

const std::map<std::string, std::string> kOrdinary = {
    {"init", "0"},
    {"devices", "1"},
    {"driver", "580.95.05"},
    {"cuda", "13000"},
    {"name", "Stub GPU"},
    {"memory", "85899345920"},
    {"used", "1073741824"},
    {"reserved", "0"},
    {"sm_clock", "1980"},
    {"memory_clock", "2619"},
    {"reasons", "0"},
    {"power", "310000"},
    {"power_limit", "700000"},
    {"temperature", "51"},
    {"usage", "97"},
    {"memory_usage", "40"},
    {"pcie_receive", "0"},
    {"pcie_transmit", "0"},
    {"pcie_ms", "20"},
    {"processes", ""},
    {"graphics", ""},
    {"mps", ""},
    {"use", ""},
    {"event", ""},
    {"field.3", "0"},
    {"field.4", "0"},
    {"field.94", "0"},
    {"field.186", "320000"},
    {"field.197", "0"},
    {"field.198", "0"},
};

std::string without_blanks_around(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(without_blanks_around(part));
  }
  return parts;
}

struct Said {
  int result = kNvmlNotSupported;
  std::string value;

  unsigned long long number() const { return std::strtoull(value.c_str(), nullptr, 0); }
};

class Script {
 public:
  void read() {
    const std::lock_guard lock(mutex_);
    values_.clear();
    calls_.clear();
    device_calls_ = {};
    const char* text = std::getenv("STUB_NVML");
    for (const std::string& line : parts_of(text == nullptr ? "" : text, ';')) {
      const std::size_t equals = line.find('=');
      if (equals == std::string::npos) continue;
      std::vector<std::string> values = parts_of(line.substr(equals + 1), ',');
      if (values.empty()) values.emplace_back();
      values_[without_blanks_around(line.substr(0, equals))] = std::move(values);
    }
  }

  Said next(const std::string& name) { return next_of(name, name); }

  Said next(NvmlDevice device, const std::string& name) {
    const std::size_t index = index_of(device);
    const std::string number = std::to_string(index) + ".";
    const Said limit = next_of(number + "lost_after", "lost_after");
    {
      const std::lock_guard lock(mutex_);
      if (++device_calls_[index] > limit.number() && limit.result == kNvmlSuccess) {
        ++calls_[number + name];
        return {kNvmlGpuIsLost, ""};
      }
    }
    if (name == "uuid" && !has(number + name)) return {kNvmlSuccess, "GPU-stub-" + number + "0"};
    return next_of(number + name, name);
  }

  bool has(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return values_.contains(name);
  }

  unsigned calls(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(name);
    return found == calls_.end() ? 0 : found->second;
  }

  NvmlDevice handle(std::size_t index) { return reinterpret_cast<NvmlDevice>(&handles_[index]); }

 private:
  std::size_t index_of(NvmlDevice device) const {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(device) - handles_.data());
  }

  Said next_of(const std::string& name, const std::string& ordinary) {
    const std::lock_guard lock(mutex_);
    const unsigned call = calls_[name]++;
    const auto found = values_.find(name);
    if (found == values_.end()) {
      const auto usual = kOrdinary.find(ordinary);
      if (usual == kOrdinary.end()) return {};
      return {kNvmlSuccess, usual->second};
    }
    const std::vector<std::string>& values = found->second;
    const std::string& value = values[std::min<std::size_t>(call, values.size() - 1)];
    if (value.starts_with("!")) return {std::atoi(value.c_str() + 1), ""};
    return {kNvmlSuccess, value};
  }

  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, unsigned> calls_;
  std::array<unsigned, kMostDevices> device_calls_ = {};
  std::array<char, kMostDevices> handles_ = {};
};

Script& script() {
  static Script the_script;
  return the_script;
}

int give(const Said& said, unsigned* value) {
  *value = static_cast<unsigned>(said.number());
  return said.result;
}

int give_text(const Said& said, char* text, unsigned bytes) {
  if (said.value.size() >= bytes) return kNvmlInsufficientSize;
  std::strcpy(text, said.value.c_str());
  return said.result;
}

// "4711:20" as two numbers.
struct Pair {
  unsigned first = 0;
  unsigned long long second = 0;
};
std::vector<Pair> pairs_of(const std::string& text) {
  std::vector<Pair> pairs;
  for (const std::string& part : parts_of(text, ' ')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) continue;
    pairs.push_back({static_cast<unsigned>(std::atoi(part.c_str())),
                     std::strtoull(part.c_str() + colon + 1, nullptr, 0)});
  }
  return pairs;
}

int give_processes(const Said& said, unsigned* count, NvmlProcess* processes) {
  if (said.result != kNvmlSuccess) return said.result;
  const std::vector<Pair> pairs = pairs_of(said.value);
  const unsigned room = *count;
  *count = static_cast<unsigned>(pairs.size());
  if (pairs.size() > room) return kNvmlInsufficientSize;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    processes[i] = {pairs[i].first, pairs[i].second, ~0u, ~0u};
  }
  return kNvmlSuccess;
}

unsigned long long unix_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<unsigned long long>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

bool is_of_32_bits(unsigned field) {
  return field == 91 || field == 94 || field == 186 || field == 197 || field == 198;
}

void give_field(NvmlDevice device, NvmlFieldValue& field) {
  std::string name = "field." + std::to_string(field.field);
  if (field.scope != 0 && field.scope != ~0u) name += "." + std::to_string(field.scope);
  const Said said = script().next(device, name);
  field.result = said.result;
  field.time_us = static_cast<long long>(unix_us());
  if (is_of_32_bits(field.field)) {
    field.type = NvmlValueType::kUnsignedInt;
    field.value.unsigned_int = static_cast<unsigned>(said.number());
  } else {
    field.type = NvmlValueType::kUnsignedLongLong;
    field.value.unsigned_long_long = said.number();
  }
}

}  // namespace

extern "C" {

// How often a name of the script was asked for: for tests.
unsigned stub_nvml_calls(const char* name) { return script().calls(name); }

int nvmlInit_v2() {
  script().read();
  return static_cast<int>(script().next("init").number());
}

int nvmlShutdown() { return kNvmlSuccess; }

const char* nvmlErrorString(int) { return "an error of the stub"; }

int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  return give_text(script().next("driver"), text, bytes);
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  const Said said = script().next("cuda");
  *version = static_cast<int>(said.number());
  return said.result;
}

int nvmlDeviceGetCount_v2(unsigned* count) { return give(script().next("devices"), count); }

int nvmlDeviceGetHandleByIndex_v2(unsigned index, NvmlDevice* device) {
  if (index >= kMostDevices) return kNvmlInvalidArgument;
  *device = script().handle(index);
  return kNvmlSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char*, NvmlDevice* device) {
  *device = script().handle(0);
  return kNvmlSuccess;
}

int nvmlDeviceGetName(NvmlDevice device, char* text, unsigned bytes) {
  return give_text(script().next(device, "name"), text, bytes);
}

int nvmlDeviceGetUUID(NvmlDevice device, char* text, unsigned bytes) {
  return give_text(script().next(device, "uuid"), text, bytes);
}

int nvmlDeviceGetClockInfo(NvmlDevice device, int which, unsigned* mhz) {
  return give(script().next(device, which == 1 ? "sm_clock" : "memory_clock"), mhz);
}

int nvmlDeviceGetCurrentClocksEventReasons(NvmlDevice device, unsigned long long* reasons) {
  const Said said = script().next(device, "reasons");
  *reasons = said.number();
  return said.result;
}

int nvmlDeviceGetPowerUsage(NvmlDevice device, unsigned* milliwatt) {
  return give(script().next(device, "power"), milliwatt);
}

int nvmlDeviceGetEnforcedPowerLimit(NvmlDevice device, unsigned* milliwatt) {
  return give(script().next(device, "power_limit"), milliwatt);
}

int nvmlDeviceGetTemperature(NvmlDevice device, int, unsigned* degrees) {
  return give(script().next(device, "temperature"), degrees);
}

int nvmlDeviceGetUtilizationRates(NvmlDevice device, NvmlUtilization* percent) {
  const int result = give(script().next(device, "usage"), &percent->gpu);
  if (result != kNvmlSuccess) return result;
  return give(script().next(device, "memory_usage"), &percent->memory);
}

int nvmlDeviceGetMemoryInfo(NvmlDevice device, NvmlMemory* memory) {
  const Said total = script().next(device, "memory");
  memory->total = total.number();
  memory->used =
      script().next(device, "used").number() + script().next(device, "reserved").number();
  memory->free = memory->total - memory->used;
  return total.result;
}

int nvmlDeviceGetMemoryInfo_v2(NvmlDevice device, NvmlMemoryV2* memory) {
  if (memory->version != NvmlMemoryV2().version) {
    return strobe::device::kNvmlArgumentVersionMismatch;
  }
  const Said used = script().next(device, "used");
  memory->total = script().next(device, "memory").number();
  memory->reserved = script().next(device, "reserved").number();
  memory->used = used.number();
  memory->free = memory->total - memory->used - memory->reserved;
  return used.result;
}

int nvmlDeviceGetFieldValues(NvmlDevice device, int count, NvmlFieldValue* fields) {
  for (int i = 0; i < count; ++i) give_field(device, fields[i]);
  return fields[0].result == kNvmlGpuIsLost ? kNvmlGpuIsLost : kNvmlSuccess;
}

int nvmlDeviceGetPcieThroughput(NvmlDevice device, int direction, unsigned* kilobytes) {
  const Said said = script().next(device, direction == 1 ? "pcie_receive" : "pcie_transmit");
  const auto wait_ms = static_cast<unsigned>(script().next(device, "pcie_ms").number());
  if (said.result == kNvmlSuccess) usleep(wait_ms * 1000);
  return give(said, kilobytes);
}

int nvmlDeviceGetComputeRunningProcesses_v2(NvmlDevice device, unsigned* count,
                                            NvmlProcess* processes) {
  return give_processes(script().next(device, "processes"), count, processes);
}

int nvmlDeviceGetGraphicsRunningProcesses_v2(NvmlDevice device, unsigned* count,
                                             NvmlProcess* processes) {
  return give_processes(script().next(device, "graphics"), count, processes);
}

int nvmlDeviceGetMPSComputeRunningProcesses_v2(NvmlDevice device, unsigned* count,
                                               NvmlProcess* processes) {
  return give_processes(script().next(device, "mps"), count, processes);
}

int nvmlDeviceGetProcessUtilization(NvmlDevice device, NvmlProcessUtilization* samples,
                                    unsigned* count, unsigned long long since_us) {
  const Said said = script().next(device, "use");
  if (said.result != kNvmlSuccess) return said.result;
  const std::vector<Pair> pairs = pairs_of(said.value);
  if (pairs.empty()) return kNvmlNotFound;
  const unsigned room = *count;
  *count = static_cast<unsigned>(pairs.size());
  if (pairs.size() > room) return kNvmlInsufficientSize;
  const unsigned long long time_us = std::max(unix_us(), since_us + 1);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    samples[i] = {pairs[i].first, time_us, static_cast<unsigned>(pairs[i].second), 0, 0, 0};
  }
  return kNvmlSuccess;
}

int nvmlEventSetCreate(NvmlEventSet* set) {
  static char the_set = 0;
  *set = reinterpret_cast<NvmlEventSet>(&the_set);
  return kNvmlSuccess;
}

int nvmlEventSetFree(NvmlEventSet) { return kNvmlSuccess; }

int nvmlDeviceGetSupportedEventTypes(NvmlDevice, unsigned long long* types) {
  *types = 0xb;
  return kNvmlSuccess;
}

int nvmlDeviceRegisterEvents(NvmlDevice, unsigned long long types, NvmlEventSet) {
  return (types & ~0xbull) == 0 ? kNvmlSuccess : kNvmlNotSupported;
}

// Each value of "event" comes once.
int nvmlEventSetWait_v2(NvmlEventSet, NvmlEvent* event, unsigned) {
  for (std::size_t index = 0; index < kMostDevices; ++index) {
    const std::string name = std::to_string(index) + ".event";
    if (!script().has(name)) continue;
    const std::vector<Pair> pairs = pairs_of(script().next(name).value);
    if (pairs.empty()) continue;
    *event = {script().handle(index), pairs[0].first, pairs[0].second, ~0u, ~0u};
    return kNvmlSuccess;
  }
  return kNvmlTimeout;
}

}  // extern "C"

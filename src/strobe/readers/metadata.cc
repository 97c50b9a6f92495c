#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "strobe/base/json_value.h"
#include "strobe/readers/dialect.h"

namespace strobe::readers {
namespace {

// Numbers come bare or in quotes; what does not fit its field is left out.
template <class Integer>
std::optional<Integer> integer_of(const JsonValue& value) {
  const std::optional<std::int64_t> number = value.unquoted().as_int64();
  if (!number || *number < std::numeric_limits<Integer>::min() ||
      *number > std::numeric_limits<Integer>::max()) {
    return std::nullopt;
  }
  return static_cast<Integer>(*number);
}

std::optional<double> finite_of(const JsonValue& value) {
  const std::optional<double> number = value.unquoted().as_double();
  return number && std::isfinite(*number) ? number : std::nullopt;
}

template <class Integer>
void read_into(Integer& field, const JsonValue& value) {
  field = integer_of<Integer>(value).value_or(field);
}

DeviceProperties device_of(std::string_view json) {
  DeviceProperties device;
  for_each_member(json, [&](std::string_view key, const JsonValue& value) {
    if (key == "id") return read_into(device.id, value);
    if (key == "name") {
      device.name = value.as_string();
      return;
    }
    if (key == "totalGlobalMem") return read_into(device.memory_bytes, value);
    if (key == "computeMajor") return read_into(device.compute_major, value);
    if (key == "computeMinor") return read_into(device.compute_minor, value);
    // One count, four writers.
    if (key == "numSms" || key == "smCount" || key == "multiProcessorCount" ||
        key == "maxComputeUnits") {
      return read_into(device.multiprocessors, value);
    }
    if (key == "warpSize") return read_into(device.warp_threads, value);
    if (key == "maxThreadsPerBlock") return read_into(device.max_threads_per_block, value);
    if (key == "maxThreadsPerMultiprocessor") {
      return read_into(device.max_threads_per_multiprocessor, value);
    }
    if (key == "regsPerBlock") return read_into(device.registers_per_block, value);
    if (key == "regsPerMultiprocessor") {
      return read_into(device.registers_per_multiprocessor, value);
    }
    if (key == "sharedMemPerBlock") return read_into(device.shared_bytes_per_block, value);
    if (key == "sharedMemPerMultiprocessor") {
      return read_into(device.shared_bytes_per_multiprocessor, value);
    }
    if (key == "sharedMemPerBlockOptin") {
      return read_into(device.shared_bytes_per_block_optin, value);
    }
  });
  return device;
}

void read_distributed(std::string_view json, Distributed& distributed) {
  for_each_member(json, [&](std::string_view key, const JsonValue& value) {
    if (key == "backend") distributed.backend = value.as_string();
    if (key == "rank") distributed.rank = integer_of<std::int32_t>(value);
    if (key == "world_size") distributed.world_size = integer_of<std::int32_t>(value);
  });
}

void read_utilization(std::string_view json, Metadata& metadata) {
  for_each_member(json, [&](std::string_view key, const JsonValue& value) {
    if (key == "Process Cpu Utilization") metadata.process_cpu_utilization = finite_of(value);
    if (key == "System Cpu Utilization") metadata.system_cpu_utilization = finite_of(value);
  });
}

// True if the fields of `metadata` now say all that the member says.
bool is_told_by_fields(std::string_view key, std::string_view json, Metadata& metadata) {
  if (key == "deviceProperties") {
    for_each_element(json, [&](const JsonValue& value) {
      if (value.type == JsonType::kObject) metadata.devices.push_back(device_of(value.text));
    });
    return !metadata.devices.empty();
  }
  if (key == "baseTimeNanoseconds") {
    const auto base_time_ns = integer_of<std::int64_t>(parse_value(json));
    metadata.base_time_ns = base_time_ns.value_or(0);
    return base_time_ns.has_value();
  }
  if (key == "distributedInfo") read_distributed(json, metadata.distributed);
  if (key == "ExtraInfo") read_utilization(json, metadata);
  return false;
}

}  // namespace

void read_member(std::string_view key, std::string_view json, Metadata& metadata) {
  if (!is_told_by_fields(key, json, metadata)) metadata.members.emplace_back(key, json);
}

}  // namespace strobe::readers

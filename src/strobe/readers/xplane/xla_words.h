#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strobe/trace/slice_kind.h"

// The names that XLA's profiler gives to planes (processes), lines (threads) and events, in its own
// files and in the JSON that it makes of them.
namespace strobe::readers::xla {

inline constexpr std::string_view kHostPlane = "/host:CPU";
inline constexpr std::string_view kStepsLine = "Steps";
inline constexpr std::string_view kModel = "xla";  // the name of the dialect

enum class DeviceType : std::uint8_t { kGpu, kTpu };

struct DevicePlane {
  DeviceType type = DeviceType::kGpu;
  std::int32_t number = 0;
};

// "/device:GPU:0", "/device:TPU:3", and nothing else: "/device:CUSTOM:..." is no device.
std::optional<DevicePlane> device_plane(std::string_view plane);

// Whether the line holds the device's work. The other lines of a device repeat it: by step, by
// module, by operator.
bool is_work_line(DeviceType type, std::string_view line);

// What a GPU's work is, by its name alone.
SliceKind work_kind(std::string_view name);

// A range of the host: a Python call, a part of the profiler, or any other range.
SliceKind host_kind(std::string_view line, std::string_view name);

// Whether an operator moves data between devices: "all-reduce", "all-gather-start.2".
bool is_collective(std::string_view name_or_category);

// "train" of number 3 is "train 3".
std::string step_name(std::string_view name, std::int64_t number);

// What runtime calls are called, for people.
std::string_view runtime_label(DeviceType type, std::string_view vendor);

}  // namespace strobe::readers::xla

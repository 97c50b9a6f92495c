#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/trace/kernel_table.h"
#include "strobe/wire/kernel_recording.h"

namespace strobe::readers {

// A parsed raw recording of `strobe kernels record`: what each process wrote, under the counters'
// own names.
struct RecordedLaunch {
  wire::LaunchRecord facts = {};
  std::string_view name;       // mangled; points into the bytes that were read
  std::vector<double> values;  // by metric; NaN: not counted
};

struct RecordedObstacle {
  wire::ObstacleRecord facts = {};
  std::string_view text;
};

struct RecordedProcess {
  wire::SectionHeader header = {};
  std::string_view program;
  std::vector<std::string_view> metrics;
  std::vector<wire::DeviceRecord> devices;
  std::vector<RecordedLaunch> launches;
  std::vector<RecordedObstacle> obstacles;
};

struct KernelRecording {
  std::vector<RecordedProcess> processes;
  std::vector<std::string> remarks;  // what could not be used, with its offset
};

bool is_kernel_recording(std::string_view bytes);

// The texts point into `bytes`. A recording that ends early is used as far as possible.
Result<KernelRecording> decode_kernel_recording(std::string_view bytes);

// A text field of fixed size.
std::string_view text_of(std::span<const char> field);

// docs/formats/kernel_recording.md, as a list of kernels: process by process in order of start,
// launches in launch order. Losses become remarks.
Result<KernelTable> read_kernel_recording(std::string_view bytes);

}  // namespace strobe::readers

#include "strobe/readers/databases/nsys/nsys_facts.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kNsysDevices = "TARGET_INFO_GPU";

// 0 for what is not there or too large.
template <class Number>
void take_nsys_number(const sqlite::TableRows& row, std::size_t column, Number& number) {
  const std::int64_t value = row.integer(column);
  if (value > 0 && value <= std::numeric_limits<Number>::max()) {
    number = static_cast<Number>(value);
  }
}

// The device's number for programs, not that in the machine.
std::string_view nsys_device_number(const EventTables& tables) {
  for (const std::string_view column : {"cuDevice", "deviceId"}) {
    if (tables.has(kNsysDevices, column)) return column;
  }
  return "id";
}

void take_devices(NsysFile& file) {
  enum Column : std::size_t {
    kNumber,
    kName,
    kMemory,
    kMajor,
    kMinor,
    kMultiprocessors,
    kWarpThreads,
    kWarps,
    kBlockThreads,
    kBlockRegisters,
    kRegisters,
    kBlockShared,
    kShared,
    kSharedOptin,
  };
  const auto columns = std::to_array<std::string_view>(
      {nsys_device_number(file.tables), "name", "totalMemory", "computeMajor", "computeMinor",
       "smCount", "threadsPerWarp", "maxWarpsPerSm", "maxThreadsPerBlock", "maxRegistersPerBlock",
       "maxRegistersPerSm", "maxShmemPerBlock", "maxShmemPerSm", "maxShmemPerBlockOptin"});
  std::vector<DeviceProperties>& devices = file.sink.builder.metadata().devices;
  file.tables.read(kNsysDevices, columns, [&](const sqlite::TableRows& row) {
    const std::int64_t number = row.integer(kNumber);
    if (row.is_null(kNumber) || number < 0 || number > std::numeric_limits<std::int32_t>::max()) {
      return;  // a device that programs cannot use
    }
    DeviceProperties device;
    device.id = static_cast<std::int32_t>(number);
    device.name = excerpt(row.text(kName), 200);
    take_nsys_number(row, kMemory, device.memory_bytes);
    take_nsys_number(row, kMajor, device.compute_major);
    take_nsys_number(row, kMinor, device.compute_minor);
    take_nsys_number(row, kMultiprocessors, device.multiprocessors);
    take_nsys_number(row, kWarpThreads, device.warp_threads);
    take_nsys_number(row, kBlockThreads, device.max_threads_per_block);
    take_nsys_number(row, kBlockRegisters, device.registers_per_block);
    take_nsys_number(row, kRegisters, device.registers_per_multiprocessor);
    take_nsys_number(row, kBlockShared, device.shared_bytes_per_block);
    take_nsys_number(row, kShared, device.shared_bytes_per_multiprocessor);
    take_nsys_number(row, kSharedOptin, device.shared_bytes_per_block_optin);
    std::int32_t warps = 0;
    take_nsys_number(row, kWarps, warps);
    constexpr std::int32_t kMostWarps = 1 << 10;
    if (warps < kMostWarps && device.warp_threads < kMostWarps) {
      device.max_threads_per_multiprocessor = warps * device.warp_threads;
    }
    devices.push_back(std::move(device));
  });
  // Machines that were recorded together number their devices alike.
  std::ranges::stable_sort(devices, {}, &DeviceProperties::id);
  const auto have_same_id = [](const DeviceProperties& a, const DeviceProperties& b) {
    return a.id == b.id;
  };
  devices.erase(std::unique(devices.begin(), devices.end(), have_same_id), devices.end());
}

void take_processes(NsysFile& file) {
  file.tables.read("PROCESSES", std::to_array<std::string_view>({"globalPid", "name"}),
                   [&](const sqlite::TableRows& row) {
                     file.sink.tracks.name_process(GlobalId::of(row.integer(0)).process_id(),
                                                   row.text(1));
                   });
  file.tables.read("ThreadNames", std::to_array<std::string_view>({"globalTid", "nameId"}),
                   [&](const sqlite::TableRows& row) {
                     const std::uint32_t name = file.texts.number_of(row.integer(1));
                     if (name == TextsById::kUnknown) return;
                     file.sink.tracks.name_thread(GlobalId::of(row.integer(0)).thread_id(),
                                                  file.texts.text(name));
                   });
}

void take_clock(NsysFile& file) {
  constexpr std::int64_t kMost_ns = std::int64_t{1} << 62;
  file.tables.read("TARGET_INFO_SESSION_START_TIME",
                   std::to_array<std::string_view>({"utcEpochNs"}),
                   [&](const sqlite::TableRows& row) {
                     const std::int64_t start_ns = row.integer(0);
                     if (start_ns <= 0 || start_ns >= kMost_ns) return;
                     file.sink.builder.metadata().base_time_ns = start_ns;
                   });
}

// The profiler says it in sentences, which change from version to version.
bool tells_of_loss(std::string_view text) {
  const std::string words = lower_case(text);
  constexpr std::array<std::string_view, 8> kWords = {"dropped",    "lost",      "not all",
                                                      "overflow",   "discarded", "were skipped",
                                                      "incomplete", "truncated"};
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return words.find(word) != std::string::npos; });
}

}  // namespace

void take_nsys_facts(NsysFile& file) {
  Metadata& metadata = file.sink.builder.metadata();
  metadata.traits = {.dialect = "Nsight Systems",
                     .runtime_label = "CudaRuntime",
                     .nested_operators_are_phases = true,
                     .steps_cover_all_threads = true};
  take_devices(file);
  take_processes(file);
  take_clock(file);
}

void report_nsys_diagnostics(NsysFile& file) {
  constexpr std::int64_t kWarning = 2;
  constexpr std::int64_t kError = 3;
  constexpr std::size_t kMostBytes = 300;
  file.tables.read("DIAGNOSTIC_EVENT", std::to_array<std::string_view>({"severity", "text"}),
                   [&](const sqlite::TableRows& row) {
                     const std::int64_t severity = row.integer(0);
                     if (severity != kWarning && severity != kError) return;
                     const std::string_view text = row.text(1);
                     file.sink.report.add(tells_of_loss(text) ? ImportIssue::kDroppedRecords
                                                              : ImportIssue::kRecorderRemark,
                                          0, excerpt(text, kMostBytes));
                   });
}

}  // namespace strobe::readers

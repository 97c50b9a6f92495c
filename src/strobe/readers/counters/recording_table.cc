#include "strobe/readers/counters/recording_table.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "strobe/device/name_parts.h"
#include "strobe/readers/counters/counter_names.h"
#include "strobe/readers/counters/launch_rows.h"

namespace strobe::readers {
namespace {

NamedCounter exactly(Counter counter) { return {.counter = counter}; }

std::uint32_t narrowed(std::uint64_t number) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}

LaunchShape shape_of(const std::uint32_t (&size)[3]) { return {size[0], size[1], size[2]}; }

void add_device(const wire::DeviceRecord& record, LaunchRows& rows) {
  const auto index = static_cast<std::int32_t>(record.index & 0x7fffffff);
  if (rows.knows_device(index)) return;
  rows.device(index).name = quotable(text_of(record.name));
  const auto set = [&](Counter counter, double value) {
    rows.set_device_fact(index, exactly(counter), value);
  };
  set(Counter::kCapabilityMajor, record.capability_major);
  set(Counter::kCapabilityMinor, record.capability_minor);
  set(Counter::kSmCount, record.sm_count);
  set(Counter::kMostClockKhz, static_cast<double>(record.most_clock_hz) / 1000);
  set(Counter::kBusBits, record.memory_bus_bits);
  set(Counter::kDramClockKhz, static_cast<double>(record.memory_clock_hz) / 1000);
}

void add_launch(const RecordedLaunch& launch,
                const std::vector<std::optional<NamedCounter>>& counters, LaunchRows& rows) {
  const wire::LaunchRecord& facts = launch.facts;
  const std::string plain = device::demangled(launch.name);
  const std::size_t row = rows.add(narrowed(facts.index), plain, {.row = rows.size() + 1});
  if (plain != launch.name) rows.set_mangled(row, launch.name);
  rows.set_grid(row, shape_of(facts.grid));
  rows.set_block(row, shape_of(facts.block));
  const auto set = [&](Counter counter, std::uint32_t value) {
    if (value != wire::kUnknown) rows.set(row, exactly(counter), value);
  };
  set(Counter::kDevice, facts.device);
  set(Counter::kContext, facts.context);
  set(Counter::kStream, facts.stream);
  set(counter_of(KernelMetric::kRegistersPerThread), facts.registers_per_thread);
  if (facts.static_shared_bytes != wire::kUnknown) {
    set(Counter::kStaticSharedBytes, facts.static_shared_bytes);
    set(Counter::kDynamicSharedBytes, facts.dynamic_shared_bytes);
  }
  for (std::size_t i = 0; i < counters.size(); ++i) {
    if (counters[i]) rows.set(row, *counters[i], launch.values[i]);
  }
}

void remark_on(const RecordedProcess& process, LaunchRows& rows) {
  const wire::SectionHeader& header = process.header;
  if (header.launches_chosen > process.launches.size()) {
    rows.remarks().add_once(fmt::format("{} of {} launches of process {} have no record",
                                        header.launches_chosen - process.launches.size(),
                                        header.launches_chosen, header.process_id));
  }
  if (header.graph_launches > 0) {
    rows.remarks().add_once(fmt::format("{} graphs that process {} launched were not measured",
                                        header.graph_launches, header.process_id));
  }
  for (const RecordedObstacle& obstacle : process.obstacles) {
    if (obstacle.facts.what != wire::Obstacle::kUnknownMetric) continue;
    rows.remarks().add_once(fmt::format("the device has no metric '{}'", quotable(obstacle.text)));
  }
}

}  // namespace

Result<KernelTable> read_kernel_recording(std::string_view bytes, const std::string& path) {
  STROBE_TRY(KernelRecording recording, decode_kernel_recording(bytes, path));
  LaunchRows rows;
  rows.set_clock_policy(ClockPolicy::kFree);
  for (RecordedProcess& process : recording.processes) {
    for (const wire::DeviceRecord& device : process.devices) add_device(device, rows);
    std::vector<std::optional<NamedCounter>> counters;
    for (const std::string_view metric : process.metrics) counters.push_back(find_counter(metric));
    // Each context writes its own batches; among them the number tells.
    std::ranges::stable_sort(process.launches, {},
                             [](const RecordedLaunch& launch) { return launch.facts.index; });
    for (const RecordedLaunch& launch : process.launches) add_launch(launch, counters, rows);
    remark_on(process, rows);
  }
  for (const std::string& remark : recording.remarks) rows.remarks().add_once(remark);
  return rows.finish(path, KernelSource::kRecording);
}

}  // namespace strobe::readers

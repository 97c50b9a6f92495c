#include "strobe/readers/counters/kernel_recording.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/device/name_parts.h"
#include "strobe/readers/counters/counter_names.h"
#include "strobe/readers/counters/launch_rows.h"

namespace strobe::readers {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the recording is read without conversion");

std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + wire::kRecordAlignment - 1) / wire::kRecordAlignment * wire::kRecordAlignment;
}

// Takes bytes from the front; false if there are too few.
template <class T>
bool take(std::string_view& bytes, T& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

bool take_text(std::string_view& bytes, std::uint64_t size, std::string_view& text) {
  if (bytes.size() < size) return false;
  text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

bool read_launch(std::string_view payload, std::size_t metrics, RecordedLaunch& launch) {
  if (!take(payload, launch.facts) || launch.facts.metrics != metrics) return false;
  if (!take_text(payload, launch.facts.name_bytes, launch.name)) return false;
  const std::uint64_t padding = padded(launch.facts.name_bytes) - launch.facts.name_bytes;
  if (payload.size() != padding + metrics * sizeof(double)) return false;
  payload.remove_prefix(padding);
  launch.values.resize(metrics);
  if (metrics != 0) std::memcpy(launch.values.data(), payload.data(), payload.size());
  return true;
}

bool read_obstacle(std::string_view payload, RecordedObstacle& obstacle) {
  return take(payload, obstacle.facts) &&
         take_text(payload, obstacle.facts.text_bytes, obstacle.text) && payload.empty();
}

// False if the payload does not fit its kind. Kinds of a later version are ignored.
bool read_record(wire::RecordKind kind, std::string_view payload, RecordedProcess& process) {
  switch (kind) {
    case wire::RecordKind::kMetric:
      // Earlier launches would have another number of values.
      if (!process.launches.empty()) return false;
      process.metrics.push_back(payload);
      return true;
    case wire::RecordKind::kDevice: {
      wire::DeviceRecord device = {};
      if (!take(payload, device) || !payload.empty()) return false;
      process.devices.push_back(device);
      return true;
    }
    case wire::RecordKind::kLaunch: {
      RecordedLaunch launch;
      if (!read_launch(payload, process.metrics.size(), launch)) return false;
      process.launches.push_back(std::move(launch));
      return true;
    }
    case wire::RecordKind::kObstacle: {
      RecordedObstacle obstacle;
      if (!read_obstacle(payload, obstacle)) return false;
      process.obstacles.push_back(obstacle);
      return true;
    }
  }
  return true;
}

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  Result<KernelRecording> decode() {
    while (at_ < bytes_.size()) {
      STROBE_TRY(const bool goes_on, section());
      if (!goes_on) break;
    }
    return std::move(recording_);
  }

 private:
  Result<bool> section() {
    std::string_view rest = bytes_.substr(at_);
    RecordedProcess process;
    if (!take(rest, process.header) || std::memcmp(process.header.magic, wire::kRecordingMagic,
                                                   sizeof process.header.magic) != 0) {
      return stop("no section begins here");
    }
    const wire::SectionHeader& header = process.header;
    if (header.version != wire::kRecordingVersion) return unknown_version(header.version);
    const std::uint64_t left = bytes_.size() - at_;
    if (header.header_bytes < sizeof header || header.header_bytes > left) {
      return stop("a section has a header of impossible size");
    }
    process.program = text_of(std::span<const char>(
        bytes_.data() + at_ + offsetof(wire::SectionHeader, program), sizeof header.program));
    const std::uint64_t room = left - header.header_bytes;
    const bool is_whole = header.body_bytes <= room;
    const std::uint64_t body_at = at_ + header.header_bytes;
    const std::uint64_t body_bytes = is_whole ? header.body_bytes : room;
    records(body_at, body_bytes, process);
    recording_.processes.push_back(std::move(process));
    at_ = body_at + body_bytes;
    if (!is_whole) return stop("the recording is cut short");
    return true;
  }

  void records(std::uint64_t begin, std::uint64_t size, RecordedProcess& process) {
    std::string_view body = bytes_.substr(begin, size);
    while (!body.empty()) {
      const std::uint64_t at = begin + size - body.size();
      wire::RecordHeader header = {};
      std::string_view payload;
      if (!take(body, header) || !take_text(body, header.bytes, payload)) {
        remark(at, "a record is cut short");
        return;
      }
      body.remove_prefix(std::min<std::uint64_t>(body.size(), padded(header.bytes) - header.bytes));
      if (!read_record(header.kind, payload, process)) remark(at, "a record makes no sense");
    }
  }

  Result<bool> stop(std::string_view why) {
    remark(at_, why);
    return false;
  }

  Error unknown_version(std::uint32_t version) const {
    return {.code = ErrorCode::kMalformed,
            .what = fmt::format("this recording is of version {}, and strobe reads version {}",
                                version, wire::kRecordingVersion),
            .where = fmt::format("byte {}", at_),
            .hint = "open it with the strobe that recorded it"};
  }

  void remark(std::uint64_t at, std::string_view what) {
    constexpr std::size_t kMostRemarks = 20;
    if (recording_.remarks.size() < kMostRemarks) {
      recording_.remarks.push_back(fmt::format("byte {}: {}", at, what));
    }
  }

  std::string_view bytes_;
  std::uint64_t at_ = 0;
  KernelRecording recording_;
};

}  // namespace

bool is_kernel_recording(std::string_view bytes) {
  return bytes.starts_with(std::string_view(wire::kRecordingMagic, sizeof wire::kRecordingMagic));
}

std::string_view text_of(std::span<const char> field) {
  const auto end = std::ranges::find(field, '\0');
  return {field.data(), static_cast<std::size_t>(end - field.begin())};
}

Result<KernelRecording> decode_kernel_recording(std::string_view bytes) {
  if (!is_kernel_recording(bytes)) {
    return Error{.code = ErrorCode::kMalformed,
                 .what = "this is not a recording of `strobe kernels record`",
                 .where = "",
                 .hint = ""};
  }
  return Decoder(bytes).decode();
}

namespace {

NamedCounter exactly(Counter counter) { return {.counter = counter}; }

std::uint32_t narrowed(std::uint64_t number) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}

LaunchShape recorded_shape(const std::uint32_t (&size)[3]) { return {size[0], size[1], size[2]}; }

void add_device(const wire::DeviceRecord& record, LaunchRows& rows) {
  const auto index = static_cast<std::int32_t>(record.index & 0x7fffffff);
  if (rows.knows_device(index)) return;
  rows.device(index).name = excerpt(text_of(record.name));
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
  rows.set_grid(row, recorded_shape(facts.grid));
  rows.set_block(row, recorded_shape(facts.block));
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
    const std::uint64_t missing = header.launches_chosen - process.launches.size();
    rows.remarks().add_once(fmt::format("{} of {} of process {} {} no record", count_text(missing),
                                        counted(header.launches_chosen, "launch", "launches"),
                                        header.process_id, plural(missing, "has", "have")));
  }
  if (header.graph_launches > 0) {
    rows.remarks().add_once(fmt::format("{} that process {} launched {} not measured",
                                        counted(header.graph_launches, "graph"), header.process_id,
                                        plural(header.graph_launches, "was", "were")));
  }
  for (const RecordedObstacle& obstacle : process.obstacles) {
    if (obstacle.facts.what != wire::Obstacle::kUnknownMetric) continue;
    rows.remarks().add_once(fmt::format("the device has no metric '{}'", excerpt(obstacle.text)));
  }
}

}  // namespace

Result<KernelTable> read_kernel_recording(std::string_view bytes) {
  STROBE_TRY(KernelRecording recording, decode_kernel_recording(bytes));
  LaunchRows rows;
  rows.set_clock_policy(ClockPolicy::kFree);
  for (RecordedProcess& process : recording.processes) {
    for (const wire::DeviceRecord& device : process.devices) add_device(device, rows);
    std::vector<std::optional<NamedCounter>> counters;
    for (const std::string_view metric : process.metrics) counters.push_back(find_counter(metric));
    // Each context writes its own batches; the launch number gives the order between them.
    std::ranges::stable_sort(process.launches, {},
                             [](const RecordedLaunch& launch) { return launch.facts.index; });
    for (const RecordedLaunch& launch : process.launches) add_launch(launch, counters, rows);
    remark_on(process, rows);
  }
  for (const std::string& remark : recording.remarks) rows.remarks().add_once(remark);
  return rows.finish(KernelSource::kRecording);
}

}  // namespace strobe::readers

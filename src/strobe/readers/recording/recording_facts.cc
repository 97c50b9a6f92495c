#include "strobe/readers/recording/recording_facts.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

using wire::NoteWhat;

// "device.0.name" and its like: the device and the rest.
struct DeviceKey {
  std::int32_t device = 0;
  std::string_view property;
};

std::optional<DeviceKey> parse_device_key(std::string_view key) {
  if (!key.starts_with(wire::kFactDevice)) return std::nullopt;
  key.remove_prefix(std::string_view(wire::kFactDevice).size());
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto number = parse_whole_number(key.substr(0, dot));
  if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return DeviceKey{static_cast<std::int32_t>(*number), key.substr(dot + 1)};
}

template <class Number>
void read_number(std::string_view text, Number& number) {
  const auto parsed = parse_whole_number(text);
  if (parsed && *parsed >= 0 && *parsed <= std::numeric_limits<Number>::max()) {
    number = static_cast<Number>(*parsed);
  }
}

void read_property(std::string_view property, std::string_view value, DeviceProperties& device) {
  if (property == "name") {
    device.name = value;
  } else if (property == "memory_bytes") {
    read_number(value, device.memory_bytes);
  } else if (property == "compute_major") {
    read_number(value, device.compute_major);
  } else if (property == "compute_minor") {
    read_number(value, device.compute_minor);
  } else if (property == "multiprocessors") {
    read_number(value, device.multiprocessors);
  }
}

std::vector<DeviceProperties> devices_of(const RecordedFile& file) {
  std::map<std::int32_t, DeviceProperties> devices;
  for (const auto& [key, value] : file.facts()) {
    const std::optional<DeviceKey> parsed = parse_device_key(key);
    if (!parsed) continue;
    DeviceProperties& device = devices[parsed->device];
    device.id = parsed->device;
    read_property(parsed->property, value, device);
  }
  std::vector<DeviceProperties> list;
  for (auto& [id, device] : devices) list.push_back(std::move(device));
  return list;
}

std::optional<std::int32_t> small_fact(const RecordedFile& file, std::string_view key) {
  const std::optional<std::int64_t> number = file.number_fact(key);
  if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(*number);
}

// 0 if it is not known. Times are added to it.
std::int64_t clock_of(const RecordedFile& file, ImportReport& report) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const std::int64_t clock = file.number_fact(wire::kFactClock).value_or(0);
  if (clock > -kMost && clock < kMost) return clock;
  report.add(ImportIssue::kBadNumber, 0, "the fact 'clock'");
  return 0;
}

// 17 for "thread.17.name".
std::optional<std::int64_t> thread_of_key(std::string_view key) {
  constexpr std::string_view kThread = wire::kFactThread;
  constexpr std::string_view kName = wire::kFactThreadName;
  if (!key.starts_with(kThread) || !key.ends_with(kName)) return std::nullopt;
  if (key.size() <= kThread.size() + kName.size()) return std::nullopt;
  key.remove_prefix(kThread.size());
  key.remove_suffix(kName.size());
  return parse_whole_number(key);
}

ImportIssue issue_of(NoteWhat what) {
  switch (what) {
    case NoteWhat::kNoLibrary:
    case NoteWhat::kOtherTool:
    case NoteWhat::kRefused:
    case NoteWhat::kForked:
      return ImportIssue::kSourceFailed;
    case NoteWhat::kDropped:
      return ImportIssue::kDroppedRecords;
    case NoteWhat::kDiskFull:
      return ImportIssue::kDiskFull;
    case NoteWhat::kNotPermitted:
      return ImportIssue::kSourceMissing;
    case NoteWhat::kDeviceError:
      return ImportIssue::kDeviceError;
    case NoteWhat::kRemark:
      break;
  }
  return ImportIssue::kRecorderRemark;
}

// Rows that were lost; other counts are no numbers of rows.
bool counts_rows(NoteWhat what) {
  return what == NoteWhat::kDropped || what == NoteWhat::kDiskFull;
}

std::map<std::string, std::int32_t, std::less<>> devices_by_unique_id(const RecordedFile& file) {
  std::map<std::string, std::int32_t, std::less<>> devices;
  for (const auto& [key, value] : file.facts()) {
    const std::optional<DeviceKey> parsed = parse_device_key(key);
    if (parsed && parsed->property == "uuid") devices.emplace(value, parsed->device);
  }
  return devices;
}

}  // namespace

bool is_recorded(const Trace& trace) { return trace.traits().dialect == kRecordingDialect; }

Metadata metadata_of(const RecordedFile& file, ImportReport& report) {
  Metadata metadata;
  metadata.traits = {.dialect = kRecordingDialect,
                     .runtime_label = "CudaRuntime",
                     .nested_operators_are_phases = true,
                     .steps_cover_all_threads = true};
  metadata.devices = devices_of(file);
  metadata.distributed.rank = small_fact(file, wire::kFactRank);
  metadata.distributed.world_size = small_fact(file, wire::kFactWorldSize);
  metadata.base_time_ns = clock_of(file, report);
  return metadata;
}

void report_notes(const RecordedFile& file, ImportReport& report) {
  file.for_each_block(wire::ChunkKind::kNotes, report, [&](const DecodedRows& rows) {
    for (std::size_t row = 0; row < rows.rows; ++row) {
      const auto what = static_cast<NoteWhat>(rows.at(wire::kNoteWhat, row));
      const std::uint64_t count = rows.at(wire::kNoteCount, row);
      const auto text = file.segments()[rows.segment].text(rows.at(wire::kNoteText, row));
      report.add(issue_of(what), rows.offset, text.value_or(std::string_view()));
      if (counts_rows(what) && count > 1) report.add_many(issue_of(what), count - 1);
    }
    return true;
  });
}

void report_ending(const RecordedFile& file, ImportReport& report) {
  if (file.fact(wire::kFactFinished) != "1") report.add(ImportIssue::kUnfinishedRecording, 0);
}

void name_threads(const RecordedFile& file, TrackFinder& tracks) {
  for (const RecordedSegment& segment : file.segments()) {
    for (const ThreadDefinition& thread : segment.threads) {
      if (!thread.is_known) continue;
      tracks.name_thread(static_cast<std::int64_t>(thread[wire::kThreadId]),
                         segment.text(thread[wire::kThreadName]).value_or(std::string_view()));
    }
  }
  // Names that the program gave later.
  for (const auto& [key, name] : file.facts()) {
    if (const auto thread = thread_of_key(key)) tracks.name_thread(*thread, name);
  }
}

void match_devices(const RecordedFile& process, const RecordedFile& samples,
                   WantedSamples& wanted) {
  const auto own = devices_by_unique_id(process);
  for (const auto& [unique_id, index] : devices_by_unique_id(samples)) {
    const auto found = own.find(unique_id);
    if (found != own.end()) wanted.devices_by_index[index] = found->second;
  }
  wanted.keeps_device_numbers = wanted.devices_by_index.empty();
}

}  // namespace strobe::readers

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/readers/rocm/json_stream.h"
#include "strobe/readers/rocm/rocm_formats.h"
#include "strobe/readers/rocm/sdk_record.h"
#include "strobe/readers/rocm/sdk_tables.h"
#include "strobe/readers/rocm/work_rows.h"

// rocprofv3's JSON: for each process what it is, lists that its records refer to, and the records,
// one array for each domain. Gigabytes are common, so the text is read as a stream.
namespace strobe::readers {
namespace {

constexpr std::string_view kTop = "rocprofiler-sdk-tool";
constexpr std::string_view kCounted = "counter_collection";  // dispatches of a run that counts

// The records of one process.
class SdkProcess {
 public:
  SdkProcess(JsonStream& json, WorkRows& rows, std::uint64_t number)
      : json_(json), rows_(rows), number_(number) {}

  // False: reading must end.
  template <class Pulse>
  bool read(const Pulse& pulse) {
    std::string key;
    while (json_.next_member(key)) {
      if (key == "metadata") {
        read_metadata();
      } else if (key == "agents") {
        agents_.read(json_, rows_);
      } else if (key == "counters") {
        counters_.read(json_);
      } else if (key == "strings") {
        strings_.read(json_, rows_.sink());
      } else if (key == "kernel_symbols") {
        kernels_.read(json_);
      } else if (key == "buffer_records" || key == "callback_records") {
        if (!read_domains(pulse)) return false;
      } else {
        json_.skip();
      }
    }
    return true;
  }

 private:
  void read_metadata() {
    std::string_view text;
    if (!json_.take(text)) return;
    process_ = find(text, "pid").as_int64().value_or(0);
    bool is_first = true;
    for_each_element(find(text, "command").text, [&](const JsonValue& word) {
      if (!std::exchange(is_first, false)) return;
      const std::filesystem::path program(word.as_string());
      rows_.sink().tracks.name_process(process_, program.filename().string());
    });
  }

  // {"kernel_dispatch": [...], "hip_api": [...], ...}
  template <class Pulse>
  bool read_domains(const Pulse& pulse) {
    if (!json_.begin_object()) {
      json_.skip();
      return true;
    }
    std::string domain;
    while (json_.next_member(domain)) {
      if (!json_.begin_array()) {
        json_.skip();
        continue;
      }
      SdkRecordReader reader;
      SdkRecord record;
      while (json_.next_element()) {
        const std::uint64_t offset = json_.offset();
        std::string_view text;
        if (!json_.take(text)) break;
        if (reader.read(text, record)) {
          counted_ = domain == kCounted ? counters_.of(text) : NamedCounters();
          add(domain, record, offset);
        } else {
          rows_.sink().report.add(ImportIssue::kMalformedEvent, offset);
        }
        if (!pulse()) return false;
      }
    }
    return true;
  }

  void add(std::string_view domain, const SdkRecord& record, std::uint64_t offset) {
    const auto start = record.time(SdkField::kStart);
    const auto end = record.time(SdkField::kEnd);
    if (!start || !end) {
      // Samples of program counters and the like have one time, or none.
      const bool is_known = record.has(SdkField::kStart) || record.has(SdkField::kEnd);
      rows_.sink().report.add(is_known ? ImportIssue::kMissingTime : ImportIssue::kUnreadEvents,
                              offset, domain);
      return;
    }
    const WorkTimes times{*start, *end, offset};
    if (domain == "kernel_dispatch" || domain == kCounted) {
      add_kernel(record, times);
    } else if (domain == "memory_copy") {
      add_copy(record, times);
    } else if (domain == "memory_allocation") {
      add_allocation(record, times);
    } else if (domain == "scratch_memory") {
      add_scratch(record, times);
    } else if (domain == "marker_api") {
      add_marker(record, times);
    } else {
      add_call(domain, record, times);
    }
  }

  std::uint32_t launch_of(const SdkRecord& record) {
    return rows_.launches.of(number_, record[SdkField::kCorrelation]);
  }
  TrackId thread_of(const SdkRecord& record) {
    return rows_.sink().tracks.thread(process_,
                                      static_cast<std::int64_t>(record[SdkField::kThread]));
  }

  void add_kernel(const SdkRecord& record, const WorkTimes& times) {
    // A run that counts writes each dispatch with its counters, and may write it again without.
    if (record.has(SdkField::kDispatch) &&
        !dispatches_.insert(record[SdkField::kDispatch]).second) {
      rows_.sink().report.add(ImportIssue::kUnreadEvents, times.offset,
                              "a dispatch that the file lists twice");
      return;
    }
    const SdkKernels::Kernel& kernel = kernels_.of(record[SdkField::kKernel], rows_);
    KernelRow row{.times = times,
                  .name = kernel.name,
                  .device = agents_.of(record[SdkField::kAgent]).device,
                  .stream = record.has(SdkField::kStream) ? record[SdkField::kStream]
                                                          : record[SdkField::kQueue],
                  .launch = launch_of(record)};
    row.facts = {
        .grid = {record[SdkField::kGridX], record[SdkField::kGridY], record[SdkField::kGridZ]},
        .block = {record[SdkField::kBlockX], record[SdkField::kBlockY], record[SdkField::kBlockZ]},
        .queue = record[SdkField::kQueue],
        .shared_bytes = record[SdkField::kSharedBytes],
        .scratch_bytes = record[SdkField::kScratchBytes],
        .registers = kernel.registers,
        .accumulation_registers = kernel.accumulation_registers,
        .scalar_registers = kernel.scalar_registers};
    if (!counted_.empty()) row.counters = &counted_;
    rows_.add_kernel(row);
  }

  void add_copy(const SdkRecord& record, const WorkTimes& times) {
    const SdkAgents::Agent from = agents_.of(record[SdkField::kSource]);
    const SdkAgents::Agent to = agents_.of(record[SdkField::kDestination]);
    CopyRow row{
        .times = times,
        .way = copy_way(strings_.operation(record[SdkField::kKind], record[SdkField::kOperation])),
        .device = from.is_gpu ? from.device : to.device,
        .launch = launch_of(record)};
    if (row.way == CopyWay::kUnknown) row.way = way_between(from.is_gpu, to.is_gpu);
    if (record.has(SdkField::kStream)) row.stream = record[SdkField::kStream];
    if (record.has(SdkField::kCopyBytes)) row.bytes = record[SdkField::kCopyBytes];
    rows_.add_copy(row);
  }

  void add_allocation(const SdkRecord& record, const WorkTimes& times) {
    const std::string operation =
        strings_.operation(record[SdkField::kKind], record[SdkField::kOperation]);
    const SdkAgents::Agent agent = agents_.of(record[SdkField::kAgent]);
    AllocationFacts one{.time_ns = times.end_ns,
                        .is_free = operation.ends_with("FREE"),
                        .bytes = record[SdkField::kAllocatedBytes],
                        .address = record[SdkField::kAddress],
                        .track = thread_of(record)};
    if (agent.is_gpu) one.device = agent.device;
    rows_.add_allocation(one);
  }

  void add_scratch(const SdkRecord& record, const WorkTimes& times) {
    rows_.add_host({.times = times,
                    .name = rows_.sink().name(
                        strings_.operation(record[SdkField::kKind], record[SdkField::kOperation])),
                    .kind = SliceKind::kOther,
                    .category = "scratch_memory",
                    .track = rows_.sink().tracks.about_device(
                        agents_.of(record[SdkField::kAgent]).device, "scratch")});
  }

  void add_marker(const SdkRecord& record, const WorkTimes& times) {
    const std::string operation =
        strings_.operation(record[SdkField::kKind], record[SdkField::kOperation]);
    const std::string_view kind = strings_.kind(record[SdkField::kKind]);
    const StringId name =
        strings_.message(record[SdkField::kCorrelation]).value_or(rows_.sink().name(operation));
    if (operation.starts_with("roctxMark")) {
      rows_.add_mark(times, name, thread_of(record), kind.empty() ? "marker_api" : kind);
      return;
    }
    // Ranges of the whole process begin and end on any thread.
    const bool is_of_thread = operation.find("Process") == std::string::npos &&
                              operation.find("RangeStart") == std::string::npos;
    rows_.add_host({.times = times,
                    .name = name,
                    .kind = WorkRows::call_kind(operation, kind.empty() ? "MARKER" : kind),
                    .category = kind.empty() ? "marker_api" : kind,
                    .track = is_of_thread
                                 ? thread_of(record)
                                 : rows_.sink().tracks.beside_threads(process_, "ranges")});
  }

  void add_call(std::string_view domain, const SdkRecord& record, const WorkTimes& times) {
    const std::string_view kind = strings_.kind(record[SdkField::kKind]);
    const std::string operation =
        strings_.operation(record[SdkField::kKind], record[SdkField::kOperation]);
    rows_.add_host({.times = times,
                    .name = rows_.sink().name(operation),
                    .kind = WorkRows::call_kind(operation, domain),
                    .category = kind.empty() ? domain : kind,
                    .track = thread_of(record),
                    .launch = launch_of(record)});
  }

  JsonStream& json_;
  WorkRows& rows_;
  std::uint64_t number_;
  std::int64_t process_ = 0;
  SdkAgents agents_;
  SdkKernels kernels_;
  SdkCounters counters_;
  NamedCounters counted_;  // of the record that is added
  SdkStrings strings_;
  std::unordered_set<std::uint64_t> dispatches_;
};

// {"rocprofiler-sdk-tool": ...
bool is_sdk_json(const TraceInput& input) {
  std::string_view text = without_byte_order_mark(input.first());
  for (const std::string_view sign : {std::string_view("{"), std::string_view("\"")}) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with(sign)) return false;
    text.remove_prefix(sign.size());
  }
  return text.starts_with(kTop);
}

void report_cut(const JsonStream& json, ImportReport& report) {
  if (!json.is_cut()) return;
  if (json.damage()) {
    report.add(ImportIssue::kBadCompressedData, json.offset(),
               json.damage()->what + " (" + json.damage()->where + ")");
  }
  report.add(ImportIssue::kTruncatedFile, json.offset());
}

Result<void> read_sdk_json(const TraceInput& input, TraceSink& sink) {
  STROBE_TRY(const std::unique_ptr<ByteStream> stream, input.stream());
  sink.expect(input.file_bytes());
  WorkRows rows(sink, "rocprofv3");
  JsonStream json(*stream);
  std::uint64_t done = 0;
  std::uint32_t until_pulse = 0;
  const auto pulse = [&] {
    if (until_pulse++ % 4096 != 0) return true;
    const std::uint64_t before = std::exchange(done, stream->consumed_bytes());
    return sink.pulse(done - before);
  };
  std::string key;
  if (json.begin_object()) {
    while (json.next_member(key)) {
      if (key != kTop || !json.begin_array()) {
        json.skip();
        continue;
      }
      for (std::uint64_t number = 0; json.next_element(); ++number) {
        if (!json.begin_object()) {
          json.skip();
          continue;
        }
        if (!SdkProcess(json, rows, number).read(pulse)) return sink.why_stopped();
      }
    }
  }
  report_cut(json, sink.report);
  sink.report.text_bytes = json.offset();
  rows.finish();
  return {};
}

}  // namespace

const FileFormat kRocprofSdkJson{"rocprofv3 JSON", is_sdk_json, read_sdk_json};

}  // namespace strobe::readers

#include "strobe/readers/databases/nvprof/nvprof_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "strobe/base/text.h"
#include "strobe/device/name_parts.h"
#include "strobe/device/vendor_names.h"
#include "strobe/readers/databases/event_tables.h"
#include "strobe/readers/databases/nvidia_words.h"
#include "strobe/readers/databases/nvprof/call_numbers.h"
#include "strobe/readers/databases/process_launches.h"
#include "strobe/readers/databases/process_tracks.h"
#include "strobe/readers/databases/texts_by_id.h"
#include "strobe/readers/databases/work_args.h"
#include "strobe/readers/recording/recording_args.h"
#include "strobe/readers/recording/step_ranges.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kNvprofTexts = "StringTable";
constexpr auto kNvprofKernelTables = std::to_array<std::string_view>(
    {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "CUPTI_ACTIVITY_KIND_KERNEL"});
constexpr auto kNvprofCopyTables =
    std::to_array<std::string_view>({"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMCPY2"});
constexpr std::string_view kNvprofMemsets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kNvprofRuntime = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kNvprofDriver = "CUPTI_ACTIVITY_KIND_DRIVER";
constexpr std::string_view kNvprofSyncs = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
constexpr std::string_view kNvprofOverheads = "CUPTI_ACTIVITY_KIND_OVERHEAD";
constexpr std::string_view kNvprofMarkers = "CUPTI_ACTIVITY_KIND_MARKER";
constexpr std::string_view kNvprofDevices = "CUPTI_ACTIVITY_KIND_DEVICE";

// A process, or a thread of one, as it lies in a column of the file.
struct NvprofThread {
  std::int64_t process = 0;
  std::int64_t thread = TrackFinder::kNobody;
};

std::optional<std::uint32_t> little_endian(std::string_view bytes, std::size_t at) {
  if (bytes.size() < at + 4) return std::nullopt;
  std::uint32_t number = 0;
  for (std::size_t i = 4; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

class NvprofFile {
 public:
  NvprofFile(const sqlite::Database& database, TraceSink& sink)
      : sink_(sink),
        tables_(database, sink),
        texts_(tables_, kNvprofTexts, "_id_", "value"),
        launches_(sink.report),
        tracks_(sink.tracks),
        args_(sink),
        kernel_names_(texts_) {}

  // Calls number the launches.
  bool add_all() {
    take_devices();
    if (!add_markers() || !add_calls()) return false;
    launches_.number_processes();
    for (const std::string_view table : kNvprofKernelTables) {
      if (!add_kernels(table)) return false;
    }
    for (const std::string_view table : kNvprofCopyTables) {
      if (!add_copies(table)) return false;
    }
    return add_memsets() && add_syncs() && add_overheads();
  }

  LeftOut finish() {
    close_markers();
    sink_.order_slices();
    mark_steps(sink_.builder, 0);
    return std::move(tables_.left_out);
  }

 private:
  // The columns that all device work has, first in each statement.
  enum Work : std::size_t {
    kStart,
    kEnd,
    kDevice,
    kContext,
    kStream,
    kCorrelation,
    kOwnColumns,
  };

  void take_devices() {
    enum Column : std::size_t { kId, kName, kMemory, kMajor, kMinor, kMultiprocessors, kWarp };
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"id", "name", "globalMemorySize", "computeCapabilityMajor", "computeCapabilityMinor",
         "numMultiprocessors", "numThreadsPerWarp"});
    Metadata& metadata = sink_.builder.metadata();
    metadata.traits = {.dialect = "nvprof",
                       .runtime_label = "CudaRuntime",
                       .nested_operators_are_phases = true,
                       .steps_cover_all_threads = true};
    tables_.read(kNvprofDevices, kColumns, [&](const sqlite::TableRows& row) {
      DeviceProperties device;
      device.id = small_number(row, kId);
      // The name is a number of a text; some versions write the text.
      const std::string_view name = row.text(kName);
      device.name = excerpt(name.empty() ? texts_.text_of(row.integer(kName)) : name, 200);
      device.memory_bytes = std::max<std::int64_t>(row.integer(kMemory), 0);
      device.compute_major = small_number(row, kMajor);
      device.compute_minor = small_number(row, kMinor);
      device.multiprocessors = small_number(row, kMultiprocessors);
      device.warp_threads = small_number(row, kWarp);
      metadata.devices.push_back(std::move(device));
    });
  }

  static std::int32_t small_number(const sqlite::TableRows& row, std::size_t column) {
    const std::int64_t number = row.integer(column);
    return number > 0 && number <= std::numeric_limits<std::int32_t>::max()
               ? static_cast<std::int32_t>(number)
               : 0;
  }

  bool add_calls() {
    return add_calls_of(kNvprofRuntime, "cuda_runtime", runtime_call_name) &&
           add_calls_of(kNvprofDriver, "cuda_driver", driver_call_name);
  }

  bool add_calls_of(std::string_view table, std::string_view category_name,
                    std::string (*name_of)(std::int64_t)) {
    enum Column : std::size_t { kBegin, kFinish, kNumber, kProcess, kThread, kLaunch, kResult };
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"start", "end", "cbid", "processId", "threadId", "correlationId", "returnValue"});
    if (!tables_.has(table)) return true;
    const CategoryId category = sink_.builder.category(category_name);
    std::map<std::int64_t, StringId> names;
    std::map<std::int64_t, ArgsId> results;
    return tables_.read(table, kColumns, [&](const sqlite::TableRows& row) {
      const auto [name, is_new] = names.try_emplace(row.integer(kNumber));
      if (is_new) name->second = sink_.name(name_of(name->first));
      const std::int64_t process = row.integer(kProcess);
      TraceBuilder::SliceRow slice;
      slice.name = name->second;
      slice.track =
          tracks_.thread(static_cast<std::uint64_t>(process), process, row.integer(kThread));
      slice.category = category;
      slice.kind = SliceKind::kRuntimeCall;
      // The file has one process, or device work could not be told apart.
      slice.correlation = launches_.note_call(0, row.integer(kLaunch));
      if (const std::int64_t result = row.integer(kResult); result != 0) {
        const auto [args, is_new_result] = results.try_emplace(result);
        if (is_new_result) {
          args->second = sink_.keep(call_args(static_cast<std::uint64_t>(result)));
        }
        slice.args = args->second;
      }
      add(slice, row, kBegin, kFinish, table);
    });
  }

  bool add_kernels(std::string_view table) {
    enum Column : std::size_t { kName = kOwnColumns, kRegisters, kStatic, kDynamic, kGridX };
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "name",
         "registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "gridX", "gridY",
         "gridZ", "blockX", "blockY", "blockZ"});
    const CategoryId category = sink_.builder.category("kernel");
    return tables_.read(table, kColumns, [&](const sqlite::TableRows& row) {
      const KernelName kernel =
          kernel_names_.find(row.integer(kName), sink_.report,
                             [&](std::string_view text) { return kernel_name_of(text); });
      TraceBuilder::SliceRow slice = work(row, SliceKind::kKernel, category);
      slice.name = kernel.name;
      slice.flags = kernel.flags;
      slice.args = args_.of_kernel([&](KernelShape& shape) {
        read_place(row, shape);
        shape.registers = row.integer(kRegisters);
        shape.shared_bytes =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(row.integer(kStatic)) +
                                      static_cast<std::uint64_t>(row.integer(kDynamic)));
        for (std::size_t side = 0; side < 6; ++side) shape.sides[side] = row.integer(kGridX + side);
      });
      add(slice, row, kStart, kEnd, table);
    });
  }

  struct KernelName {
    StringId name;
    std::uint8_t flags = kNoFlags;
  };
  KernelName kernel_name_of(std::string_view text) {
    const std::string name = device::readable_name(text);
    return {sink_.name(name), device::is_any_collective(name) ? kCommunicates : kNoFlags};
  }

  bool add_copies(std::string_view table) {
    enum Column : std::size_t { kBytes = kOwnColumns, kKind, kFrom, kTo };
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "bytes", "copyKind",
         "srcKind", "dstKind"});
    const CategoryId category = sink_.builder.category("gpu_memcpy");
    return tables_.read(table, kColumns, [&](const sqlite::TableRows& row) {
      TraceBuilder::SliceRow slice = work(row, SliceKind::kMemcpy, category);
      const std::tuple kinds{row.integer(kKind), row.integer(kFrom), row.integer(kTo)};
      const auto [name, is_new] = copy_names_.try_emplace(kinds);
      if (is_new) {
        const auto& [kind, from, to] = kinds;
        name->second = sink_.name(copy_name(kind, cupti_memory_word(from), cupti_memory_word(to)));
      }
      slice.name = name->second;
      slice.args = args_of_bytes(row, kBytes);
      add(slice, row, kStart, kEnd, table);
    });
  }

  bool add_memsets() {
    enum Column : std::size_t { kBytes = kOwnColumns, kMemory };
    constexpr auto kColumns =
        std::to_array<std::string_view>({"start", "end", "deviceId", "contextId", "streamId",
                                         "correlationId", "bytes", "memoryKind"});
    const CategoryId category = sink_.builder.category("gpu_memset");
    std::map<std::int64_t, StringId> names;
    return tables_.read(kNvprofMemsets, kColumns, [&](const sqlite::TableRows& row) {
      TraceBuilder::SliceRow slice = work(row, SliceKind::kMemset, category);
      const auto [name, is_new] = names.try_emplace(row.integer(kMemory));
      if (is_new) name->second = sink_.name(memset_name(cupti_memory_word(name->first)));
      slice.name = name->second;
      slice.args = args_of_bytes(row, kBytes);
      add(slice, row, kStart, kEnd, kNvprofMemsets);
    });
  }

  TraceBuilder::SliceRow work(const sqlite::TableRows& row, SliceKind kind, CategoryId category) {
    TraceBuilder::SliceRow slice;
    slice.kind = kind;
    slice.category = category;
    slice.track = tracks_.stream(0, 0, row.is_null(kDevice) ? -1 : row.integer(kDevice),
                                 row.integer(kStream));
    slice.correlation = launches_.of(0, row.integer(kCorrelation));
    return slice;
  }

  static void read_place(const sqlite::TableRows& row, WorkPlace& place) {
    place.device = row.integer(kDevice);
    place.context = row.integer(kContext);
    place.stream = row.integer(kStream);
  }

  ArgsId args_of_bytes(const sqlite::TableRows& row, std::size_t bytes) {
    return args_.of_copy([&](CopyShape& shape) {
      read_place(row, shape);
      shape.bytes = row.integer(bytes);
    });
  }

  bool add_syncs() {
    enum Column : std::size_t { kBegin, kFinish, kType, kOfContext, kOfStream, kLaunch };
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"start", "end", "type", "contextId", "streamId", "correlationId"});
    if (!tables_.has(kNvprofSyncs)) return true;
    const CategoryId category = sink_.builder.category("cuda_sync");
    const TrackId track = sink_.tracks.beside_threads(0, "waits for the device");
    return tables_.read(kNvprofSyncs, kColumns, [&](const sqlite::TableRows& row) {
      TraceBuilder::SliceRow slice;
      slice.name = sink_.name(sync_name(row.integer(kType)));
      slice.track = track;
      slice.category = category;
      slice.kind = SliceKind::kSync;
      slice.correlation = launches_.of(0, row.integer(kLaunch));
      slice.args = sink_.keep(sync_args(static_cast<std::uint64_t>(row.integer(kOfContext)),
                                        static_cast<std::uint64_t>(row.integer(kOfStream))));
      add(slice, row, kBegin, kFinish, kNvprofSyncs);
    });
  }

  bool add_overheads() {
    enum Column : std::size_t { kBegin, kFinish };
    constexpr auto kColumns = std::to_array<std::string_view>({"start", "end"});
    if (!tables_.has(kNvprofOverheads)) return true;
    TraceBuilder::SliceRow slice;
    slice.name = sink_.name("profiler overhead");
    slice.track = sink_.tracks.beside_threads(0, "profiler");
    slice.category = sink_.builder.category("overhead");
    slice.kind = SliceKind::kOverhead;
    return tables_.read(kNvprofOverheads, kColumns, [&](const sqlite::TableRows& row) {
      add(slice, row, kBegin, kFinish, kNvprofOverheads);
    });
  }

  // A range of NVTX is two rows with one id, in any order.
  struct Marker {
    TraceBuilder::SliceRow slice;
    std::optional<std::int64_t> start_ns;
    std::optional<std::int64_t> end_ns;
  };

  bool add_markers() {
    enum Column : std::size_t { kTime, kFlags, kId, kName, kObject, kObjectId };
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"timestamp", "flags", "id", "name", "objectKind", "objectId"});
    constexpr std::int64_t kInstantaneous = 1;
    constexpr std::int64_t kEnds = 4;
    if (!tables_.has(kNvprofMarkers)) return true;
    const CategoryId category = sink_.builder.category("user_annotation");
    PerText<StringId> names(texts_);
    return tables_.read(kNvprofMarkers, kColumns, [&](const sqlite::TableRows& row) {
      std::int64_t time_ns = 0;
      if (!read_time(row, kTime, kNvprofMarkers, sink_.report, time_ns)) return;
      const std::int64_t flags = row.integer(kFlags);
      const auto name = [&] {
        return names.find(row.integer(kName), sink_.report,
                          [&](std::string_view text) { return sink_.name(text); });
      };
      const NvprofThread thread = thread_of(row.integer(kObject), row.text(kObjectId));
      const auto track = [&] {
        return tracks_.thread(static_cast<std::uint64_t>(thread.process), thread.process,
                              thread.thread);
      };
      if ((flags & kInstantaneous) != 0) {
        sink_.add_instant(time_ns, name(), track(), category);
        return;
      }
      Marker& marker = markers_[row.integer(kId)];
      if ((flags & kEnds) != 0) {
        marker.end_ns = time_ns;
      } else {
        marker.start_ns = time_ns;
        marker.slice.start_ns = time_ns;
        marker.slice.name = name();
        marker.slice.track = track();
        marker.slice.category = category;
        marker.slice.kind = SliceKind::kAnnotation;
      }
      add_if_whole(row.integer(kId), marker);
    });
  }

  void add_if_whole(std::int64_t id, const Marker& marker) {
    if (!marker.start_ns || !marker.end_ns) return;
    sink_.add(marker.slice, *marker.end_ns);
    markers_.erase(id);
  }

  // The process stands first, then the thread.
  static NvprofThread thread_of(std::int64_t kind, std::string_view object) {
    constexpr std::int64_t kIsThread = 2;
    NvprofThread thread;
    thread.process = little_endian(object, 0).value_or(0);
    if (const auto number = little_endian(object, 4); kind == kIsThread && number) {
      thread.thread = *number;
    }
    return thread;
  }

  // Ranges that were open when the recording ended, and ends of those that were before it.
  void close_markers() {
    const SliceVectors& slices = sink_.builder.slices();
    std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();
    for (std::size_t row = 0; row < slices.size(); ++row) {
      latest_ns = std::max(latest_ns, slices.starts_ns[row] + slices.durations_ns[row]);
    }
    std::vector<std::pair<std::int64_t, const Marker*>> open;
    for (const auto& [id, marker] : markers_) open.emplace_back(id, &marker);
    std::ranges::sort(open);
    for (const auto& [id, marker] : open) {
      if (!marker->start_ns) {
        sink_.report.add(ImportIssue::kUnmatchedEnd, 0);
        ++sink_.report.event_count;  // it was one
        continue;
      }
      TraceBuilder::SliceRow slice = marker->slice;
      slice.flags |= kUnfinished;
      sink_.add(slice, std::max(latest_ns, *marker->start_ns));
      sink_.report.add(ImportIssue::kUnmatchedBegin, 0);
    }
  }

  void add(TraceBuilder::SliceRow slice, const sqlite::TableRows& row, std::size_t start,
           std::size_t end, std::string_view table) {
    if (read_time(row, start, table, sink_.report, slice.start_ns))
      sink_.add(slice, row.integer(end));
  }

  TraceSink& sink_;
  EventTables tables_;
  TextsById texts_;
  ProcessLaunches launches_;
  ProcessTracks tracks_;
  WorkArgs args_;
  PerText<KernelName> kernel_names_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, StringId> copy_names_;
  std::unordered_map<std::int64_t, Marker> markers_;  // those of which one row is still missing
};

bool is_nvprof(const sqlite::Database& database) {
  const std::vector<std::string> tables = database.tables();
  return std::ranges::binary_search(tables, kNvprofTexts) &&
         std::ranges::any_of(tables, [](const std::string& table) {
           return table.starts_with("CUPTI_ACTIVITY_KIND_");
         });
}

// Descriptions of other rows, of the machine and of the recording.
constexpr auto kNvprofNoEvents = std::to_array<std::string_view>(
    {"StringTable", "Version", "CUPTI_ACTIVITY_KIND_CONTEXT", "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
     "CUPTI_ACTIVITY_KIND_DEVICE*", "CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION",
     "CUPTI_ACTIVITY_KIND_FUNCTION", "CUPTI_ACTIVITY_KIND_MARKER_DATA",
     "CUPTI_ACTIVITY_KIND_MODULE", "CUPTI_ACTIVITY_KIND_NAME", "CUPTI_ACTIVITY_KIND_NVLINK",
     "CUPTI_ACTIVITY_KIND_PCIE", "CUPTI_ACTIVITY_KIND_SOURCE_LOCATOR",
     "CUPTI_ACTIVITY_KIND_STREAM"});

Result<LeftOut> read_nvprof(const sqlite::Database& database, TraceSink& sink) {
  NvprofFile file(database, sink);
  if (!file.add_all()) return sink.why_stopped();
  return file.finish();
}

}  // namespace

const DatabaseFormat kNvprof{"nvprof", is_nvprof, read_nvprof, kNvprofNoEvents};

}  // namespace strobe::readers

#include "strobe/readers/databases/ascend_device.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/json_write.h"
#include "strobe/device/name_parts.h"
#include "strobe/readers/ascend/tasks.h"
#include "strobe/readers/equal_rows.h"

namespace strobe::readers {
namespace {

constexpr std::int64_t kNoConnection = 4294967295;
// Numbers of texts; other columns of the same width.
constexpr std::uint32_t kNoNpuText = 0xFFFFFFFFu;

std::uint32_t text_number(const sqlite::Query& row, int column) {
  const std::int64_t number = row.integer(column);
  const bool fits = !row.is_null(column) && number >= 0 && number < kNoNpuText;
  return fits ? static_cast<std::uint32_t>(number) : kNoNpuText;
}

// What a table knows about a task, joined by the task's number.
struct NpuComputation {
  std::int64_t task;
  std::uint32_t name;
  std::uint32_t type;
  std::uint32_t operator_type;
  std::uint32_t blocks;
  std::uint32_t input_shapes;
  std::uint32_t input_types;
  std::uint32_t output_shapes;
  std::uint32_t output_types;
  bool has_run = false;
};
struct CollectivePart {
  std::int64_t task;
  std::int64_t bytes;
  std::uint32_t name;
  std::uint32_t plane;
  std::uint32_t group;
  std::uint32_t from_rank;
  std::uint32_t to_rank;
  bool has_run = false;
};
struct NpuCopy {
  std::int64_t task;
  std::int64_t bytes;
  std::int64_t operation;
};

struct NpuTask {
  std::int64_t number;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::int64_t connection;
  std::int64_t stream;
  std::int32_t device;
  std::int64_t type;
};

template <class Row>
auto rows_of_task(std::vector<Row>& rows, std::int64_t task) {
  return equal_rows(rows, task, &Row::task);
}

class NpuTasks {
 public:
  NpuTasks(NpuTables& tables, NpuTexts& texts, TraceSink& sink)
      : tables_(tables), texts_(texts), sink_(sink) {}

  Result<std::vector<NpuLaunchEnd>> add_all() {
    STROBE_TRY_VOID(read_details());
    STROBE_TRY_VOID(add_tasks());
    report_without_task(computations_, "a kernel without its task");
    report_without_task(parts_, "a part of a collective without its task");
    STROBE_TRY_VOID(add_collectives());
    std::ranges::stable_sort(ends_, {}, &NpuLaunchEnd::connection);
    return std::move(ends_);
  }

 private:
  Result<void> read_details() {
    STROBE_TRY_VOID(tables_.each(
        "COMPUTE_TASK_INFO",
        {"globalTaskId", "name", "taskType", "opType", "blockDim", "inputShapes", "inputDataTypes",
         "outputShapes", "outputDataTypes"},
        [&](const sqlite::Query& row) {
          computations_.push_back({row.integer(0), text_number(row, 1), text_number(row, 2),
                                   text_number(row, 3), text_number(row, 4), text_number(row, 5),
                                   text_number(row, 6), text_number(row, 7), text_number(row, 8)});
        }));
    STROBE_TRY_VOID(tables_.each(
        "COMMUNICATION_TASK_INFO",
        {"globalTaskId", "size", "taskType", "planeId", "groupName", "srcRank", "dstRank"},
        [&](const sqlite::Query& row) {
          parts_.push_back({row.integer(0), row.integer(1), text_number(row, 2),
                            text_number(row, 3), text_number(row, 4), text_number(row, 5),
                            text_number(row, 6)});
        }));
    STROBE_TRY_VOID(tables_.each(
        "MEMCPY_INFO", {"globalTaskId", "size", "memcpyOperation"}, [&](const sqlite::Query& row) {
          copies_.push_back({row.integer(0), row.integer(1), row.integer(2)});
        }));
    STROBE_TRY(copy_words_, tables_.words("ENUM_MEMCPY_OPERATION"));
    STROBE_TRY(data_types_, tables_.words("ENUM_HCCL_DATA_TYPE"));
    std::ranges::stable_sort(computations_, {}, &NpuComputation::task);
    std::ranges::stable_sort(parts_, {}, &CollectivePart::task);
    std::ranges::stable_sort(copies_, {}, &NpuCopy::task);
    return {};
  }

  Result<void> add_tasks() {
    return tables_.each(
        "TASK",
        {"startNs", "endNs", "deviceId", "connectionId", "globalTaskId", "taskType", "streamId"},
        [&](const sqlite::Query& row) {
          const auto start_ns = time_at(row, 0);
          const auto end_ns = time_at(row, 1);
          if (!start_ns || !end_ns) {
            sink_.report.add(ImportIssue::kMissingTime, 0, "a task");
            return;
          }
          add_task({row.integer(4), *start_ns, *end_ns, connection_at(row, 3), row.integer(6),
                    device_at(row, 2), row.integer(5)});
        });
  }

  static std::int64_t connection_at(const sqlite::Query& row, int column) {
    const std::int64_t connection = row.integer(column);
    return row.is_null(column) || connection < 0 ? kNoConnection : connection;
  }

  static std::int32_t device_at(const sqlite::Query& row, int column) {
    const std::int64_t device = row.integer(column);
    const bool fits = device >= 0 && device < std::numeric_limits<std::int32_t>::max();
    return fits ? static_cast<std::int32_t>(device) : 0;
  }

  void add_task(const NpuTask& task) {
    const std::string_view type = texts_.text(task.type);
    TraceBuilder::SliceRow row;
    row.start_ns = task.start_ns;
    row.track = sink_.tracks.stream(task.device, static_cast<std::uint64_t>(task.stream));
    const auto known = rows_of_task(computations_, task.number);
    if (!known.empty()) {
      NpuComputation& computation = known.front();
      computation.has_run = true;
      row.name = kernel_name(computation.name);
      row.category = category_of(texts_.text(computation.type));
      const NameRule rule = npu_kernel_rule(sink_.builder.strings()[row.name]);
      row.kind = rule.kind;
      row.flags = rule.flags;
      if (sink_.keeps_args()) row.args = sink_.keep(computation_args(computation, task));
    } else {
      const NameRule rule = npu_task_rule(type, {});
      row.name = texts_.name(task.type, sink_);
      row.category = category_of(type);
      row.kind = rule.kind;
      row.flags = rule.flags;
      if (rule.kind == SliceKind::kMemcpy && sink_.keeps_args()) {
        row.args = sink_.keep(copy_args_of(task));
      }
    }
    sink_.add(row, task.end_ns);
    if (is_device_work(row.kind)) add_end(task.connection, task.start_ns, row.track);
    for (CollectivePart& part : rows_of_task(parts_, task.number)) {
      part.has_run = true;
      add_part(part, task);
      devices_of_connections_.emplace_back(task.connection, task.device);
    }
  }

  void add_end(std::int64_t connection, std::int64_t time_ns, TrackId track) {
    if (connection != kNoConnection) ends_.push_back({connection, time_ns, track});
  }

  void add_part(const CollectivePart& part, const NpuTask& task) {
    TraceBuilder::SliceRow row;
    row.start_ns = task.start_ns;
    row.track = plane_of(part, task.device);
    row.name = texts_.name(part.name, sink_);
    row.category = sink_.builder.category(kCollectiveTask);
    row.kind = SliceKind::kDeviceAnnotation;
    if (sink_.keeps_args()) {
      std::string args;
      JsonWriter json(args);
      json.begin_object().member("bytes", part.bytes);
      if (part.from_rank != kNoNpuText) json.member("src rank", part.from_rank);
      if (part.to_rank != kNoNpuText) json.member("dst rank", part.to_rank);
      json.end_object();
      row.args = sink_.keep(args);
    }
    sink_.add(row, task.end_ns);
  }

  Result<void> add_collectives() {
    std::ranges::sort(devices_of_connections_);
    return tables_.each("COMMUNICATION_OP",
                        {"opName", "startNs", "endNs", "connectionId", "groupName", "dataType",
                         "count", "deviceId", "algType"},
                        [&](const sqlite::Query& row) {
                          const auto start_ns = time_at(row, 1);
                          const auto end_ns = time_at(row, 2);
                          if (!start_ns || !end_ns) {
                            sink_.report.add(ImportIssue::kMissingTime, 0, "a collective");
                            return;
                          }
                          const std::int64_t connection = connection_at(row, 3);
                          const std::int32_t device =
                              row.is_null(7) ? device_of_connection(connection) : device_at(row, 7);
                          TraceBuilder::SliceRow slice;
                          slice.start_ns = *start_ns;
                          slice.name = texts_.name(row.integer(0), sink_);
                          slice.track = line_of(device, group_label(text_number(row, 4)));
                          slice.category = sink_.builder.category(kCollective);
                          slice.kind = SliceKind::kKernel;
                          slice.flags = kCommunicates;
                          if (sink_.keeps_args())
                            slice.args = sink_.keep(collective_args(row, device));
                          sink_.add(slice, *end_ns);
                          add_end(connection, *start_ns, slice.track);
                        });
  }

  std::int32_t device_of_connection(std::int64_t connection) const {
    const auto found = std::ranges::lower_bound(devices_of_connections_, std::pair(connection, 0));
    if (found != devices_of_connections_.end() && found->first == connection) return found->second;
    return devices_of_connections_.empty() ? 0 : devices_of_connections_.front().second;
  }

  template <class Row>
  void report_without_task(const std::vector<Row>& rows, std::string_view what) {
    for (const Row& row : rows) {
      if (!row.has_run) sink_.report.add(ImportIssue::kMissingTime, 0, what);
    }
  }

  StringId kernel_name(std::uint32_t number) {
    const auto [found, is_new] = kernel_names_.try_emplace(number);
    if (!is_new) return found->second;
    const std::string_view name = texts_.text(number);
    if (device::is_readable_name(name)) return found->second = texts_.name(number, sink_);
    return found->second = sink_.name(device::readable_name(name));
  }

  CategoryId category_of(std::string_view type) {
    return sink_.builder.category(npu_task_category(type));
  }

  // "Group 0 Communication": groups have long numbers as names.
  std::string group_label(std::uint32_t group) {
    const auto [found, is_new] = groups_.try_emplace(group, groups_.size());
    return fmt::format("Group {} Communication", found->second);
  }

  TrackId plane_of(const CollectivePart& part, std::int32_t device) {
    const auto [found, is_new] = planes_.try_emplace({device, part.group, part.plane}, TrackId());
    if (!is_new) return found->second;
    const auto plane = static_cast<std::int32_t>(part.plane);
    return found->second =
               line_of(device, fmt::format("Plane {} of {}", plane, group_label(part.group)));
  }

  // A line of a device beside its streams.
  TrackId line_of(std::int32_t device, std::string label) {
    const auto [found, is_new] = lines_.try_emplace({device, label}, TrackId());
    if (!is_new) return found->second;
    Track track;
    track.kind = TrackKind::kDeviceStream;
    track.process = sink_.builder.intern(std::to_string(device));
    track.process_number = device;
    track.thread = sink_.builder.intern(label);
    track.device = device;
    return found->second = sink_.builder.add_track(track);
  }

  void write_text(std::string_view key, std::int64_t number, JsonWriter& json) const {
    const std::string_view text = texts_.text(number);
    if (!text.empty()) json.member(key, text);
  }

  std::string computation_args(const NpuComputation& computation, const NpuTask& task) const {
    std::string text;
    JsonWriter json(text);
    json.begin_object().member("device", task.device).member("stream", task.stream);
    write_text("Type", computation.operator_type, json);
    write_text("Accelerator Core", computation.type, json);
    if (computation.blocks != kNoNpuText) json.member("Block Dim", computation.blocks);
    write_text("Input Shapes", computation.input_shapes, json);
    write_text("Input Data Types", computation.input_types, json);
    write_text("Output Shapes", computation.output_shapes, json);
    write_text("Output Data Types", computation.output_types, json);
    json.end_object();
    return text;
  }

  std::string copy_args_of(const NpuTask& task) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().member("device", task.device).member("stream", task.stream);
    const auto known = rows_of_task(copies_, task.number);
    if (!known.empty()) {
      json.member("bytes", known.front().bytes);
      const std::string_view operation = word_of(copy_words_, known.front().operation);
      if (!operation.empty()) json.member("operation", operation);
    }
    json.end_object();
    return text;
  }

  std::string collective_args(const sqlite::Query& row, std::int32_t device) const {
    std::string text;
    JsonWriter json(text);
    json.begin_object().member("device", device).member("count", row.integer(6));
    write_text("group", row.integer(4), json);
    write_text("algorithm", row.integer(8), json);
    const std::string_view type = word_of(data_types_, row.integer(5));
    if (!type.empty()) json.member("data type", type);
    json.end_object();
    return text;
  }

  NpuTables& tables_;
  NpuTexts& texts_;
  TraceSink& sink_;
  std::vector<NpuComputation> computations_;  // these three by task
  std::vector<CollectivePart> parts_;
  std::vector<NpuCopy> copies_;
  NpuTables::Words copy_words_;
  NpuTables::Words data_types_;
  std::vector<std::pair<std::int64_t, std::int32_t>> devices_of_connections_;
  std::vector<NpuLaunchEnd> ends_;
  std::map<std::uint32_t, StringId> kernel_names_;
  std::map<std::uint32_t, std::size_t> groups_;
  std::map<std::tuple<std::int32_t, std::uint32_t, std::uint32_t>, TrackId> planes_;
  std::map<std::pair<std::int32_t, std::string>, TrackId> lines_;
};

}  // namespace

Result<std::vector<NpuLaunchEnd>> add_npu_tasks(NpuTables& tables, NpuTexts& texts,
                                                TraceSink& sink) {
  return NpuTasks(tables, texts, sink).add_all();
}

}  // namespace strobe::readers

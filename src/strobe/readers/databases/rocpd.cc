#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/base/json_text.h"
#include "strobe/base/json_value.h"
#include "strobe/readers/databases/rocm_databases.h"
#include "strobe/readers/databases/table_rows.h"
#include "strobe/readers/rocm/work_rows.h"

// rocprofv3's database. The names of its tables end in a number of the recording, and their columns
// change between versions; the views in front of them change less. Times are ns, but for the views
// that add up.
namespace strobe::readers {
namespace {

// The columns that all views of rows in time have.
struct EventColumns {
  explicit EventColumns(TableRows& view)
      : guid(view.column({"guid"})),
        process(view.column({"pid"})),
        thread(view.column({"tid"})),
        start(view.column({"start", "timestamp"})),
        end(view.column({"end", "timestamp"})),
        launch(view.column({"stack_id"})),
        category(view.column({"category"})) {}

  WorkTimes times(const sqlite::Query& row) const { return {row.integer(start), row.integer(end)}; }

  int guid;
  int process;
  int thread;
  int start;
  int end;
  int launch;
  int category;
};

class RocpdReader {
 public:
  RocpdReader(const sqlite::Database& database, TraceSink& sink)
      : database_(database), sink_(sink), rows_(sink, "rocprofv3") {}

  Result<void> read() {
    read_agents();
    read_processes();
    std::uint64_t expected = 0;
    for (const Part& part : kParts) expected += rows_in(part.table);
    sink_.expect(expected);
    for (const Part& part : kParts) {
      read_rows_ = 0;
      if (!(this->*part.read)()) return sink_.why_stopped();
      report_missing(part);
    }
    rows_.finish();
    return {};
  }

 private:
  struct Part {
    std::string_view table;
    std::string_view view;
    bool (RocpdReader::*read)();
  };
  static const Part kParts[5];

  std::uint64_t rows_in(std::string_view table) const {
    if (!database_.has_table(table)) return 0;
    auto query = database_.query("SELECT count(*) FROM " + sqlite::quoted(table));
    return query && query->next() ? count_in(*query, 0) : 0;
  }

  // The views leave out rows that refer to something that is not there.
  void report_missing(const Part& part) {
    const std::uint64_t all = rows_in(part.table);
    if (all <= read_rows_) return;
    sink_.report.add(ImportIssue::kMalformedEvent, 0,
                     "rows of " + std::string(part.table) + " that '" + std::string(part.view) +
                         "' does not show");
    sink_.report.add_many(ImportIssue::kMalformedEvent, all - read_rows_ - 1);
  }

  void read_agents() {
    TableRows agents(database_, "rocpd_info_agent");
    const int number = agents.column({"logical_index", "absolute_index"});
    const int type = agents.column({"type"});
    const int product = agents.column({"product_name"});
    const int model = agents.column({"name", "model_name"});
    const int facts = agents.column({"extdata"});
    agents.for_each(sink_, [&](const sqlite::Query& row) {
      if (row.text(type) != "GPU") return;
      DeviceProperties properties;
      properties.id = device_in(row, number);
      properties.name =
          sanitize_utf8(row.text(product).empty() ? row.text(model) : row.text(product));
      for_each_member(row.text(facts), [&](std::string_view key, const JsonValue& value) {
        const auto fact = static_cast<std::int32_t>(
            std::clamp<std::int64_t>(value.as_int64().value_or(0), 0, INT32_MAX));
        if (key == "cu_count") properties.multiprocessors = fact;
        if (key == "wave_front_size") properties.warp_threads = fact;
      });
      rows_.describe_device(std::move(properties));
    });
  }

  void read_processes() {
    TableRows processes(database_, "rocpd_info_process");
    const int pid = processes.column({"pid"});
    const int command = processes.column({"command"});
    processes.for_each(sink_, [&](const sqlite::Query& row) {
      const std::string words(row.text(command));
      const std::filesystem::path program(words.substr(0, words.find(' ')));
      sink_.tracks.name_process(row.integer(pid), program.filename().string());
    });
    TableRows threads(database_, "rocpd_info_thread");
    const int tid = threads.column({"tid"});
    const int name = threads.column({"name"});
    threads.for_each(sink_, [&](const sqlite::Query& row) {
      sink_.tracks.name_thread(row.integer(tid), row.text(name));
    });
  }

  // Numbers count from 1 in each process of each recording that was merged.
  std::uint32_t launch_of(const sqlite::Query& row, const EventColumns& columns) {
    const std::int64_t process = row.integer(columns.process);
    const std::string_view guid = row.text(columns.guid);
    if (guid != last_guid_ || process != last_process_) {
      last_guid_ = guid;
      last_process_ = process;
      last_number_ = numbers_.try_emplace({last_guid_, process}, numbers_.size()).first->second;
    }
    return rows_.launches.of(last_number_, count_in(row, columns.launch));
  }

  TrackId thread_of(const sqlite::Query& row, const EventColumns& columns) {
    return sink_.tracks.thread(row.integer(columns.process), row.integer(columns.thread));
  }

  bool read_kernels() {
    TableRows view(database_, "kernels");
    const EventColumns columns(view);
    const int name = view.column({"name"});
    const int device = view.column({"agent_logical_index", "agent_log_index",
                                    "agent_absolute_index", "agent_abs_index", "agent_id"});
    const int queue = view.column({"queue_id"});
    const int stream = view.column({"stream_id"});
    const int grid = view.column({"grid_x"});
    view.column({"grid_y"});
    view.column({"grid_z"});
    const int block = view.column({"workgroup_x"});
    view.column({"workgroup_y"});
    view.column({"workgroup_z"});
    const int shared = view.column({"lds_size"});
    const int scratch = view.column({"scratch_size"});
    const int registers = view.column({"arch_vgpr_count"});
    const int accumulation = view.column({"accum_vgpr_count"});
    const int scalar = view.column({"sgpr_count"});
    return view.for_each(sink_, [&](const sqlite::Query& row) {
      ++read_rows_;
      KernelRow kernel{.times = columns.times(row),
                       .name = rows_.kernel_name(row.text(name)),
                       .device = device_in(row, device),
                       .stream = count_in(row, row.is_null(stream) ? queue : stream),
                       .launch = launch_of(row, columns)};
      kernel.facts = {
          .grid = {count_in(row, grid), count_in(row, grid + 1), count_in(row, grid + 2)},
          .block = {count_in(row, block), count_in(row, block + 1), count_in(row, block + 2)},
          .queue = count_in(row, queue),
          .shared_bytes = count_in(row, shared),
          .scratch_bytes = count_in(row, scratch),
          .registers = count_in(row, registers),
          .accumulation_registers = count_in(row, accumulation),
          .scalar_registers = count_in(row, scalar)};
      rows_.add_kernel(kernel);
    });
  }

  bool read_copies() {
    TableRows view(database_, "memory_copies");
    const EventColumns columns(view);
    const int name = view.column({"name"});
    const int size = view.column({"size"});
    const int stream = view.column({"stream_id"});
    const int from = view.column({"src_agent_logical_index", "src_agent_log_index",
                                  "src_agent_absolute_index", "src_agent_abs_index"});
    const int from_type = view.column({"src_agent_type"});
    const int to = view.column({"dst_agent_logical_index", "dst_agent_log_index",
                                "dst_agent_absolute_index", "dst_agent_abs_index"});
    const int to_type = view.column({"dst_agent_type"});
    return view.for_each(sink_, [&](const sqlite::Query& row) {
      ++read_rows_;
      CopyRow copy{.times = columns.times(row),
                   .way = copy_way(row.text(name)),
                   .launch = launch_of(row, columns)};
      if (copy.way == CopyWay::kUnknown && !row.is_null(from_type)) {
        copy.way = way_between(row.text(from_type) == "GPU", row.text(to_type) == "GPU");
      }
      copy.device = device_in(row, copy.way == CopyWay::kHostToDevice ? to : from);
      if (!row.is_null(size)) copy.bytes = count_in(row, size);
      if (!row.is_null(stream)) copy.stream = count_in(row, stream);
      rows_.add_copy(copy);
    });
  }

  bool read_regions() {
    TableRows view(database_, "regions");
    const EventColumns columns(view);
    const int name = view.column({"name"});
    const int extra = view.column({"extdata"});
    return view.for_each(sink_, [&](const sqlite::Query& row) {
      ++read_rows_;
      const std::string operation(row.text(name));
      const std::string domain(row.text(columns.category));
      const SliceKind kind = WorkRows::call_kind(operation, domain);
      HostRow one{.times = columns.times(row),
                  .name = sink_.name(name_of(kind, operation, row.text(extra))),
                  .kind = kind,
                  .category = domain.empty() ? std::string_view("region") : domain,
                  .track = thread_of(row, columns)};
      if (kind == SliceKind::kRuntimeCall || kind == SliceKind::kCommunication) {
        one.launch = launch_of(row, columns);
      }
      rows_.add_host(one);
    });
  }

  bool read_samples() {
    TableRows view(database_, "samples");
    const EventColumns columns(view);
    const int name = view.column({"name"});
    const int extra = view.column({"extdata"});
    return view.for_each(sink_, [&](const sqlite::Query& row) {
      ++read_rows_;
      const std::string operation(row.text(name));
      const std::string category(row.text(columns.category));
      rows_.add_mark(columns.times(row),
                     sink_.name(name_of(SliceKind::kAnnotation, operation, row.text(extra))),
                     thread_of(row, columns),
                     category.empty() ? std::string_view("sample") : category);
    });
  }

  // What a marker says stands beside the function that was called, in some versions.
  static std::string name_of(SliceKind kind, const std::string& operation, std::string_view extra) {
    if (kind != SliceKind::kAnnotation) return operation;
    const std::string message = find(extra, "message").as_string();
    return message.empty() ? operation : message;
  }

  bool read_allocations() {
    TableRows view(database_, "memory_allocations");
    const EventColumns columns(view);
    const int type = view.column({"type"});
    const int level = view.column({"level"});
    const int size = view.column({"size"});
    const int address = view.column({"address"});
    const int device = view.column(
        {"agent_logical_index", "agent_log_index", "agent_absolute_index", "agent_abs_index"});
    const int device_type = view.column({"agent_type"});
    return view.for_each(sink_, [&](const sqlite::Query& row) {
      ++read_rows_;
      if (row.text(level) == "SCRATCH") {
        rows_.add_host({.times = columns.times(row),
                        .name = sink_.name(row.text(type)),
                        .kind = SliceKind::kOther,
                        .category = "scratch_memory",
                        .track = sink_.tracks.about_device(device_in(row, device), "scratch")});
        return;
      }
      AllocationFacts one{.time_ns = row.integer(columns.end),
                          .is_free = row.text(type) == "FREE",
                          .bytes = count_in(row, size),
                          .address = count_in(row, address),
                          .track = thread_of(row, columns)};
      if (row.text(device_type) == "GPU") one.device = device_in(row, device);
      rows_.add_allocation(one);
    });
  }

  const sqlite::Database& database_;
  TraceSink& sink_;
  WorkRows rows_;
  std::uint64_t read_rows_ = 0;  // of the part that is read
  std::map<std::pair<std::string, std::int64_t>, std::uint64_t> numbers_;
  std::string last_guid_;
  std::int64_t last_process_ = -1;
  std::uint64_t last_number_ = 0;
};

const RocpdReader::Part RocpdReader::kParts[5] = {
    {"rocpd_kernel_dispatch", "kernels", &RocpdReader::read_kernels},
    {"rocpd_memory_copy", "memory_copies", &RocpdReader::read_copies},
    {"rocpd_region", "regions", &RocpdReader::read_regions},
    {"rocpd_sample", "samples", &RocpdReader::read_samples},
    {"rocpd_memory_allocate", "memory_allocations", &RocpdReader::read_allocations},
};

bool is_rocpd(const sqlite::Database& database) {
  return database.has_table("rocpd_kernel_dispatch") && database.has_table("rocpd_info_agent");
}

// Descriptions of the machine and of other rows.
constexpr std::string_view kRocpdNoEvents[] = {"rocpd_metadata*", "rocpd_string*", "rocpd_info_*",
                                               "rocpd_track*",    "rocpd_event*",  "rocpd_arg*"};

Result<LeftOut> read_rocpd(const sqlite::Database& database, TraceSink& sink) {
  STROBE_TRY_VOID(RocpdReader(database, sink).read());
  return LeftOut();
}

}  // namespace

const DatabaseFormat kRocpd{"rocpd", is_rocpd, read_rocpd, kRocpdNoEvents};

}  // namespace strobe::readers

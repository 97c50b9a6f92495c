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
        times(view, {"start", "timestamp"}, {"end", "timestamp"}),
        launch(view.column({"stack_id"})),
        category(view.column({"category"})) {}

  int guid;
  int process;
  int thread;
  TimeColumns times;
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
    read_counters();
    std::uint64_t expected = 0;
    for (const Part& part : kParts) expected += rows_in(part.table);
    sink_.expect(expected);
    for (const Part& part : kParts) {
      read_rows_ = 0;
      if (!(this->*part.read)()) return sink_.why_stopped();
      report_missing(part);
    }
    report_lonely_counters();
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

  using EventKey = std::pair<std::string, std::int64_t>;  // its recording and its number there
  struct Counted {
    NamedCounters counters;
    bool has_kernel = false;
  };

  // What the hardware counted during an event, mostly a kernel.
  void read_counters() {
    TableRows counters(database_, "rocpd_info_pmc");
    const int counter_guid = counters.column({"guid"});
    const int counter = counters.column({"id"});
    const int name = counters.column({"name"});
    std::map<EventKey, std::string> names;
    counters.for_each(sink_, [&](const sqlite::Query& row) {
      names[{std::string(row.text(counter_guid)), row.integer(counter)}] =
          sanitize_utf8(row.text(name));
    });
    TableRows values(database_, "rocpd_pmc_event");
    const int guid = values.column({"guid"});
    const int event = values.column({"event_id"});
    const int of_counter = values.column({"pmc_id"});
    const int value = values.column({"value"});
    values.for_each(sink_, [&](const sqlite::Query& row) {
      const std::string recording(row.text(guid));
      const auto named = names.find({recording, row.integer(of_counter)});
      if (named == names.end()) {
        sink_.report.add(ImportIssue::kLostName, 0, "a counter of rocpd_pmc_event");
        return;
      }
      Counted& counted = counted_[{recording, row.integer(event)}];
      counted.counters[named->second] += row.real(value);
    });
  }

  const NamedCounters* counters_of(const sqlite::Query& row, int guid, int event) {
    if (counted_.empty() || row.is_null(event)) return nullptr;
    const auto found = counted_.find({std::string(row.text(guid)), row.integer(event)});
    if (found == counted_.end()) return nullptr;
    found->second.has_kernel = true;
    return &found->second.counters;
  }

  // Samples of the machine have counters too.
  void report_lonely_counters() {
    const auto is_lonely = [](const auto& event) { return !event.second.has_kernel; };
    const auto lonely = static_cast<std::uint64_t>(std::ranges::count_if(counted_, is_lonely));
    if (lonely == 0) return;
    sink_.report.add(ImportIssue::kUnreadEvents, 0, "counters that belong to no kernel");
    sink_.report.add_many(ImportIssue::kUnreadEvents, lonely - 1);
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
    const int event = view.column({"event_id"});
    return view.for_each(sink_, [&](const sqlite::Query& row) {
      ++read_rows_;
      KernelRow kernel{.times = columns.times.of(row),
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
      kernel.counters = counters_of(row, columns.guid, event);
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
      CopyRow copy{.times = columns.times.of(row),
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

  // A row with the function that was called, and what its caller said.
  struct NamedRow {
    const sqlite::Query& row;
    const EventColumns& columns;
    std::string function;
    std::string category;
    std::string_view extra;
  };

  bool for_each_named(std::string_view table, const auto& f) {
    TableRows view(database_, table);
    const EventColumns columns(view);
    const int name = view.column({"name"});
    const int extra = view.column({"extdata"});
    return view.for_each(sink_, [&](const sqlite::Query& row) {
      ++read_rows_;
      f(NamedRow{row, columns, std::string(row.text(name)), std::string(row.text(columns.category)),
                 row.text(extra)});
    });
  }

  bool read_regions() {
    return for_each_named("regions", [&](const NamedRow& one) {
      const SliceKind kind = WorkRows::call_kind(one.function, one.category);
      HostRow host{.times = one.columns.times.of(one.row),
                   .name = sink_.name(name_of(kind, one.function, one.extra)),
                   .kind = kind,
                   .category = one.category.empty() ? std::string_view("region") : one.category,
                   .track = thread_of(one.row, one.columns)};
      if (kind == SliceKind::kRuntimeCall || kind == SliceKind::kCommunication) {
        host.launch = launch_of(one.row, one.columns);
      }
      rows_.add_host(host);
    });
  }

  bool read_samples() {
    return for_each_named("samples", [&](const NamedRow& one) {
      rows_.add_mark(one.columns.times.of(one.row),
                     sink_.name(name_of(SliceKind::kAnnotation, one.function, one.extra)),
                     thread_of(one.row, one.columns),
                     one.category.empty() ? std::string_view("sample") : one.category);
    });
  }

  // What a marker says stands beside the function that was called, in some versions.
  static std::string name_of(SliceKind kind, const std::string& function, std::string_view extra) {
    if (kind != SliceKind::kAnnotation) return function;
    const std::string message = find(extra, "message").as_string();
    return message.empty() ? function : message;
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
        rows_.add_host({.times = columns.times.of(row),
                        .name = sink_.name(row.text(type)),
                        .kind = SliceKind::kOther,
                        .category = "scratch_memory",
                        .track = sink_.tracks.about_device(device_in(row, device), "scratch")});
        return;
      }
      AllocationFacts one{.time_ns = row.integer(columns.times.end),
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
  std::map<EventKey, Counted> counted_;
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

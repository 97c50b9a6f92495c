#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "strobe/base/json_write.h"
#include "strobe/readers/databases/rocm_databases.h"

// The database of the first rocprof: KERN has the kernels of a run that counts, whose names have
// quotes around them; OPS and COPY the device work of a traced run, and each library's calls have a
// table of their own.
namespace strobe::readers {
namespace {

// All of its tables have them.
TimeColumns times_in(TableRows& table) { return {table, {"BeginNs"}, {"EndNs"}}; }

class RocprofDb {
 public:
  RocprofDb(const sqlite::Database& database, TraceSink& sink)
      : database_(database), sink_(sink), rows_(sink, "rocprof") {}

  Result<void> read() {
    std::uint64_t expected = 0;
    for (const std::string_view table : kWork) expected += database_.about_rows(table);
    for (const CallTable& table : kCalls) expected += database_.about_rows(table.name);
    sink_.expect(expected);
    bool goes_on = read_work("OPS");
    // A run that is traced and counts lists its kernels in both: those of KERN are left out.
    const bool has_operations = !sink_.builder.slices().starts_ns.empty();
    goes_on = goes_on && read_work("COPY") && (has_operations || read_work("KERN"));
    for (const CallTable& table : kCalls) goes_on = goes_on && read_calls(table);
    if (!goes_on) return sink_.why_stopped();
    rows_.finish();
    return {};
  }

 private:
  struct CallTable {
    std::string_view name;
    std::string_view domain;
  };
  static constexpr std::string_view kWork[] = {"OPS", "COPY", "KERN"};
  static constexpr CallTable kCalls[] = {
      {"HIP", "HIP"}, {"HSA", "HSA"}, {"KFD", "KFD_API"}, {"rocTX", "rocTX"}};

  bool read_work(std::string_view name) {
    TableRows table(database_, name);
    const TimeColumns times = times_in(table);
    const int kernel = table.column({"KernelName", "Name"});
    const int device = table.column({"gpu-id", "dev-id"});
    const int queue = table.column({"queue-id"});
    const int stream = table.column({"stream-id"});
    const int process = table.column({"proc-id", "pid"});
    const int index = name == "KERN" ? -1 : table.column({"Index"});
    const int grid = table.column({"grd"});
    const int block = table.column({"wgr"});
    const int shared = table.column({"lds"});
    const int scratch = table.column({"scr"});
    const int registers = table.column({"arch_vgpr", "vgpr"});
    const int accumulation = table.column({"accum_vgpr"});
    const int scalar = table.column({"sgpr"});
    return table.for_each(sink_, [&](const sqlite::Query& row) {
      const std::uint32_t launch =
          index < 0 ? kNoLaunchId : rows_.launches.of(count_in(row, process), count_in(row, index));
      const std::uint64_t line = count_in(row, row.is_null(stream) ? queue : stream);
      const std::string_view text = row.text(kernel);
      if (name == "COPY" && text.find("Fill") != std::string_view::npos) {
        rows_.add_fill({times.of(row), device_in(row, device), line, launch});
      } else if (name == "COPY") {
        CopyRow copy{.times = times.of(row),
                     .way = copy_way(text),
                     .device = device_in(row, device),
                     .launch = launch};
        if (!row.is_null(stream)) copy.stream = line;
        rows_.add_copy(copy);
      } else {
        KernelRow one{.times = times.of(row),
                      .name = rows_.kernel_name(text),
                      .device = device_in(row, device),
                      .stream = line,
                      .launch = launch};
        one.facts = {.grid = {count_in(row, grid), 1, 1},
                     .block = {count_in(row, block), 1, 1},
                     .queue = count_in(row, queue),
                     .shared_bytes = count_in(row, shared),
                     .scratch_bytes = count_in(row, scratch),
                     .registers = count_in(row, registers),
                     .accumulation_registers = count_in(row, accumulation),
                     .scalar_registers = count_in(row, scalar)};
        rows_.add_kernel(one);
      }
    });
  }

  bool read_calls(const CallTable& calls) {
    TableRows table(database_, calls.name);
    const TimeColumns times = times_in(table);
    const int call = table.column({"Name"});
    const int args = table.column({"args"});
    const int process = table.column({"proc-id", "pid"});
    const int thread = table.column({"tid"});
    const int index = table.column({"Index"});
    std::string text;
    return table.for_each(sink_, [&](const sqlite::Query& row) {
      const std::string_view name = row.text(call);
      text.clear();
      if (!row.text(args).empty()) {
        JsonWriter(text).begin_object().member("args", row.text(args)).end_object();
      }
      HostRow one{.times = times.of(row),
                  .name = sink_.name(name),
                  .kind = WorkRows::call_kind(name, calls.domain),
                  .category = calls.domain,
                  .track = sink_.tracks.thread(row.integer(process), row.integer(thread)),
                  .args = text};
      // Ranges are numbered for themselves.
      if (one.kind == SliceKind::kRuntimeCall) {
        one.launch = rows_.launches.of(count_in(row, process), count_in(row, index));
      }
      rows_.add_host(one);
    });
  }

  const sqlite::Database& database_;
  TraceSink& sink_;
  WorkRows rows_;
};

bool is_rocprof_db(const sqlite::Database& database) {
  return database.has_column("KERN", "BeginNs") || database.has_column("OPS", "BeginNs") ||
         database.has_column("HIP", "BeginNs") || database.has_column("HSA", "BeginNs");
}

Result<LeftOut> read_rocprof_db(const sqlite::Database& database, TraceSink& sink) {
  STROBE_TRY_VOID(RocprofDb(database, sink).read());
  return LeftOut();
}

}  // namespace

const DatabaseFormat kRocprofDb{"rocprof", is_rocprof_db, read_rocprof_db, {}};

}  // namespace strobe::readers

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/readers/databases/rocm_databases.h"

// rocmProfileData: operations of the devices, calls of the host, and which call queued which
// operation. Texts are in a table of their own, which newer files divide into two.
namespace strobe::readers {
namespace {

// These launch with a grid in work-items; all others count blocks.
bool counts_work_items(std::string_view call) {
  return call == "hipExtModuleLaunchKernel" || call == "hipHccModuleLaunchKernel" ||
         call == "hipExtLaunchKernel";
}

class RpdReader {
 public:
  RpdReader(const sqlite::Database& database, TraceSink& sink)
      : database_(database), sink_(sink), rows_(sink, "rocmProfileData") {}

  Result<void> read() {
    sink_.expect(database_.about_rows("rocpd_op") + database_.about_rows("rocpd_api") +
                 database_.about_rows("rocpd_monitor"));
    if (!read_operations() || !read_calls() || !read_monitor()) return sink_.why_stopped();
    rows_.finish();
    return {};
  }

 private:
  bool for_each(const std::string& what, const std::string& sql, const auto& f) {
    const auto damage = [&](const Error& error) {
      sink_.report.add(ImportIssue::kDamagedChunk, 0, "table " + what + ": " + error.what);
    };
    auto query = database_.query(sql);
    if (!query) {
      damage(query.error());
      return true;
    }
    constexpr std::uint64_t kRowsPerPulse = 4096;
    for (std::uint64_t rows = 1; query->next(); ++rows) {
      f(*query);
      if (rows % kRowsPerPulse == 0 && !sink_.pulse(kRowsPerPulse)) return false;
    }
    if (auto ended = query->ended(); !ended) damage(ended.error());
    return sink_.pulse(0);
  }

  // Its columns in this order, whatever tables the file has.
  std::string operations() const {
    const bool has_links = database_.has_table("rocpd_api_ops");
    const bool has_kernels = has_links && database_.has_table("rocpd_kernelapi");
    const bool has_copies = has_links && database_.has_table("rocpd_copyapi");
    std::string sql = "SELECT O.id, O.gpuId, O.queueId, O.start, O.\"end\", D.string, T.string";
    sql += has_links ? ", L.api_id, N.string" : ", NULL, NULL";
    sql += has_copies ? ", C.size" : ", NULL";
    sql += has_kernels ? ", K.gridX, K.gridY, K.gridZ, K.workgroupX, K.workgroupY, K.workgroupZ,"
                         " K.groupSegmentSize, K.privateSegmentSize"
                       : ", 0, 0, 0, 0, 0, 0, 0, 0";
    sql +=
        " FROM rocpd_op O LEFT JOIN rocpd_string D ON D.id = O.description_id"
        " LEFT JOIN rocpd_string T ON T.id = O.opType_id";
    if (has_links) {
      sql +=
          " LEFT JOIN rocpd_api_ops L ON L.op_id = O.id"
          " LEFT JOIN rocpd_api A ON A.id = L.api_id"
          " LEFT JOIN rocpd_string N ON N.id = A.apiName_id";
    }
    if (has_kernels) sql += " LEFT JOIN rocpd_kernelapi K ON K.api_ptr_id = L.api_id";
    if (has_copies) sql += " LEFT JOIN rocpd_copyapi C ON C.api_ptr_id = L.api_id";
    return sql;
  }

  bool read_operations() {
    std::optional<std::int64_t> last;
    return for_each("rocpd_op", operations(), [&](const sqlite::Query& row) {
      // An operation that several calls queued comes once for each.
      if (last == row.integer(0)) return;
      last = row.integer(0);
      add_operation(row);
    });
  }

  void add_operation(const sqlite::Query& row) {
    enum { kId, kGpu, kQueue, kStart, kEnd, kWhat, kType, kApi, kCall, kSize, kGrid };
    constexpr int kBlock = kGrid + 3;
    constexpr int kShared = kBlock + 3;
    const WorkTimes times{row.integer(kStart), row.integer(kEnd)};
    const auto device = static_cast<std::int32_t>(count_in(row, kGpu) & 0x7FFF'FFFFu);
    const std::uint64_t queue = count_in(row, kQueue);
    const std::uint32_t launch = rows_.launches.of(0, count_in(row, kApi));
    const std::string type(row.text(kType));
    if (type.starts_with("Copy")) {
      CopyRow copy{.times = times,
                   .way = copy_way(type),
                   .device = device,
                   .stream = queue,
                   .launch = launch};
      // Copies inside of graphs have no call of their own, so their size is not known.
      if (!row.is_null(kSize)) copy.bytes = count_in(row, kSize);
      rows_.add_copy(copy);
    } else if (type.starts_with("Fill")) {
      rows_.add_fill({times, device, queue, launch});
    } else if (type == "Barrier" || type == "Marker") {
      sink_.add({.start_ns = times.start_ns,
                 .name = sink_.name(type),
                 .track = sink_.tracks.stream(device, queue),
                 .category = sink_.builder.category("gpu_barrier"),
                 .kind = SliceKind::kDeviceAnnotation,
                 .correlation = launch,
                 .args = {}},
                times.end_ns);
    } else {
      // "KernelExecution", and "Task" for a kernel inside of a graph.
      KernelRow kernel{.times = times, .device = device, .stream = queue, .launch = launch};
      const std::string_view what = row.text(kWhat);
      kernel.name = rows_.kernel_name(what.empty() ? std::string_view(type) : what);
      const bool is_exact = counts_work_items(row.text(kCall));
      for (int side = 0; side < 3; ++side) {
        const auto at = static_cast<std::size_t>(side);
        kernel.facts.block[at] = count_in(row, kBlock + side);
        kernel.facts.grid[at] = count_in(row, kGrid + side);
        if (!is_exact) kernel.facts.grid[at] *= std::max<std::uint64_t>(kernel.facts.block[at], 1);
      }
      kernel.facts.shared_bytes = count_in(row, kShared);
      kernel.facts.scratch_bytes = count_in(row, kShared + 1);
      rows_.add_kernel(kernel);
    }
  }

  bool read_calls() {
    const bool has_domain = database_.has_column("rocpd_api", "domain_id");
    const std::string texts =
        database_.has_table("rocpd_ustring") ? "rocpd_ustring" : "rocpd_string";
    const std::string sql =
        "SELECT A.id, A.pid, A.tid, A.start, A.\"end\", N.string, S.string, " +
        std::string(has_domain ? "D.string" : "NULL") +
        " FROM rocpd_api A LEFT JOIN rocpd_string N ON N.id = A.apiName_id LEFT JOIN " + texts +
        " S ON S.id = A.args_id" +
        (has_domain ? " LEFT JOIN rocpd_string D ON D.id = A.domain_id" : "");
    return for_each("rocpd_api", sql, [&](const sqlite::Query& row) { add_call(row); });
  }

  void add_call(const sqlite::Query& row) {
    enum { kId, kProcess, kThread, kStart, kEnd, kName, kArgs, kDomain };
    const WorkTimes times{row.integer(kStart), row.integer(kEnd)};
    const TrackId track = sink_.tracks.thread(row.integer(kProcess), row.integer(kThread));
    const std::string name(row.text(kName));
    const std::string_view args = row.text(kArgs);
    if (name == "UserMarker") {
      const StringId message = sink_.name(args.empty() ? name : args);
      if (times.start_ns == times.end_ns) {
        rows_.add_mark(times, message, track, "UserMarker");
      } else {
        rows_.add_host({.times = times,
                        .name = message,
                        .kind = SliceKind::kAnnotation,
                        .category = "UserMarker",
                        .track = track});
      }
      return;
    }
    text_.clear();
    if (!args.empty()) JsonWriter(text_).begin_object().member("args", args).end_object();
    const std::string domain(row.text(kDomain));
    HostRow one{.times = times,
                .name = sink_.name(name),
                .kind = WorkRows::call_kind(name, domain),
                .category = "api",
                .track = track,
                .args = text_};
    if (one.kind == SliceKind::kRuntimeCall) one.launch = rows_.launches.of(0, count_in(row, kId));
    rows_.add_host(one);
  }

  // Clocks and the like: a value holds from a start to an end.
  bool read_monitor() {
    if (!database_.has_table("rocpd_monitor")) return true;
    return for_each("rocpd_monitor",
                    "SELECT deviceType, deviceId, monitorType, start, value FROM rocpd_monitor",
                    [&](const sqlite::Query& row) { add_sample(row); });
  }

  void add_sample(const sqlite::Query& row) {
    const auto value = parse_number(row.text(4));
    if (!value) {
      sink_.report.add(ImportIssue::kBadNumber, 0, "rocpd_monitor: " + excerpt(row.text(4)));
      return;
    }
    const std::string place = excerpt(row.text(0)) + " " + std::to_string(row.integer(1));
    CounterVectors& counters = sink_.builder.counters();
    counters.times_ns.push_back(row.integer(3));
    counters.tracks.push_back(sink_.tracks.about_machine(place));
    counters.names.push_back(sink_.name(row.text(2)));
    counters.series.push_back(counters.names.back());
    counters.values.push_back(*value);
  }

  const sqlite::Database& database_;
  TraceSink& sink_;
  WorkRows rows_;
  std::string text_;
};

bool is_rpd(const sqlite::Database& database) {
  return database.has_column("rocpd_op", "gpuId") &&
         database.has_column("rocpd_api", "apiName_id") && database.has_table("rocpd_string");
}

// Descriptions of the recording and of other rows.
constexpr std::string_view kRpdNoEvents[] = {"rocpd_metadata", "rocpd_barrierop",
                                             "rocpd_kernelcodeobject", "rocpd_op_inputSignals",
                                             "rocpd_stackframe"};

Result<LeftOut> read_rpd(const sqlite::Database& database, TraceSink& sink) {
  STROBE_TRY_VOID(RpdReader(database, sink).read());
  return LeftOut();
}

}  // namespace

const DatabaseFormat kRpd{"rocmProfileData", is_rpd, read_rpd, kRpdNoEvents};

}  // namespace strobe::readers

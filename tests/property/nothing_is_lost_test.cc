// What goes in comes out or is named: the events of a file are counted a second time by the
// plainest means of its format, and all are in the trace or in the report. Allocator snapshots and
// recordings have tests of their own for it: allocator_snapshots_test and run_file_cuts_test.
// Long because each format is counted in a way of its own.
#include <simdjson.h>
#include <sqlite3.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/readers/counters/kernel_reader.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/trace/args_store.h"
#include "tests/property/shared_files.h"
#include "tests/support/textproto.h"

namespace strobe::readers {
namespace {

namespace fs = std::filesystem;

const fs::path kVendorTraces = kShared / "traces/vendors";
const fs::path kCheckout = STROBE_SOURCE_DIR;
const fs::path kSmallTraces = kCheckout / "tests/fuzz/corpus";

std::uint64_t count_of(const LoadedTrace& loaded, ImportIssue issue) {
  return loaded.report[issue].count;
}

// Events that were not kept, by what the report says.
std::uint64_t named(const LoadedTrace& loaded) {
  std::uint64_t count = 0;
  for (const ImportIssue issue :
       {ImportIssue::kMalformedEvent, ImportIssue::kUnknownPhase, ImportIssue::kMissingTime,
        ImportIssue::kUnmatchedEnd, ImportIssue::kUnreadEvents}) {
    count += count_of(loaded, issue);
  }
  return count;
}

std::uint64_t kept(const Trace& trace) {
  return trace.slice_count() + trace.instants().times_ns.size() + trace.counters().times_ns.size();
}

std::vector<fs::path> files_in(const fs::path& folder, std::string_view name_part) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().find(name_part) != std::string::npos)
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// None of the vendors' files may be missing where ../shared is.
void add_files(std::vector<fs::path>& files, const fs::path& folder, std::string_view name_part) {
  const std::vector<fs::path> found = files_in(folder, name_part);
  const bool may_be_missing = folder.string().starts_with(kShared.string()) && !fs::exists(kShared);
  EXPECT_TRUE(may_be_missing || !found.empty()) << folder << " has no " << name_part;
  files.insert(files.end(), found.begin(), found.end());
}

// ---- JSON events

struct EventsByPhase {
  std::map<char, std::uint64_t> events;
  std::uint64_t elements = 0;
  std::uint64_t counter_values = 0;

  std::uint64_t of(std::string_view phases) const {
    std::uint64_t count = 0;
    for (const char phase : phases) {
      if (const auto found = events.find(phase); found != events.end()) count += found->second;
    }
    return count;
  }
};

EventsByPhase events_in_json(const std::string& text) {
  using simdjson::dom::element;
  simdjson::dom::parser parser;
  EventsByPhase found;
  element top = parser.parse(text).value();
  if (top.is_object()) top = top["traceEvents"].value();
  for (const element event : top.get_array()) {
    ++found.elements;
    std::string_view phase;
    if (event["ph"].get(phase) != simdjson::SUCCESS) continue;
    ++found.events[phase.at(0)];
    simdjson::dom::object args;
    if (phase == "C" && event["args"].get(args) == simdjson::SUCCESS)
      found.counter_values += args.size();
  }
  return found;
}

TEST(NothingIsLostTest, events_of_json) {
  std::vector<fs::path> files = files_in(kCheckout / "examples", ".json.gz");
  add_files(files, kCheckout / "tests/data/health", ".json.gz");
  add_files(files, kSmallTraces / "trace_differential_fuzz", "h200_");
  add_files(files, kSmallTraces / "trace_differential_fuzz", "paddle");
  add_files(files, kShared / "traces", ".json.gz");
  for (const char* folder :
       {"mtia", "rocm/kineto_mi210", "rocm/kineto_mi300", "rocm/rpd", "xplane/jax_h200",
        "ascend/text_rank0_ascend_pt/ASCEND_PROFILER_OUTPUT"})
    add_files(files, kVendorTraces / folder, ".json.zst");
  add_files(files, kVendorTraces / "other", "aiu_allreduce_tp4.json");
  EXPECT_GE(files.size(), 14u);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const EventsByPhase raw = events_in_json(file_text(file));
    const auto loaded = read_trace(file);
    ASSERT_TRUE(loaded) << loaded.error().what;
    const Trace& trace = loaded->trace;
    EXPECT_EQ(loaded->report.event_count, raw.elements);
    // An end closes a beginning or is named; a beginning is always a slice.
    const std::uint64_t begins = raw.of("BbS");
    const std::uint64_t closed = begins - count_of(*loaded, ImportIssue::kUnmatchedBegin);
    EXPECT_EQ(raw.of("EeF"), closed + count_of(*loaded, ImportIssue::kUnmatchedEnd));
    const std::uint64_t lost = count_of(*loaded, ImportIssue::kMissingTime) +
                               count_of(*loaded, ImportIssue::kUnknownPhase);
    const std::uint64_t rows =
        trace.slice_count() + trace.instants().times_ns.size() + trace.flows().times_ns.size();
    EXPECT_EQ(rows + lost, raw.of("XiIRnstf") + begins);
    EXPECT_EQ(trace.counters().times_ns.size() + count_of(*loaded, ImportIssue::kBadNumber),
              raw.counter_values);
  }
}

// ---- Databases

// What a table's rows become, where it is not one event each.
struct TableRule {
  const char* table;   // "A*" stands for all that begin so, "*A" for all that end so
  const char* events;  // an SQL expression; "0": its rows describe something else
};

constexpr TableRule kDatabaseRules[] = {
    // Nsight Systems
    {"TARGET_INFO_*", "0"},
    {"META_DATA_*", "0"},
    {"ANALYSIS_*", "0"},
    {"ENUM_*", "0"},
    {"*_CALLCHAINS", "0"},
    {"NVTX_PAYLOAD_SCHEMA*", "0"},
    {"ProcessStreams", "0"},
    {"PROCESSES", "0"},
    {"StringIds", "0"},
    {"ThreadNames", "0"},
    {"DIAGNOSTIC_EVENT", "0"},
    {"NIC_ID_MAP", "0"},
    {"NVTX_EVENTS", "sum(coalesce(eventType, 59) NOT IN (33, 39, 75, 76))"},
    // nvprof: a range is two rows with one number
    {"CUPTI_ACTIVITY_KIND_MARKER", "count(DISTINCT id)"},
    {"StringTable", "0"},
    {"CUPTI_ACTIVITY_KIND_DEVICE", "0"},
    // rocprofv3
    {"rocpd_info_*", "0"},
    {"rocpd_string*", "0"},
    {"rocpd_metadata*", "0"},
    {"rocpd_event_*", "0"},
    // rocmProfileData
    {"rocpd_api_ops", "0"},
    {"rocpd_kernelapi", "0"},
    {"rocpd_copyapi", "0"},
    // NPU
    {"HOST_INFO", "0"},
    {"NPU_INFO", "0"},
    {"META_DATA", "0"},
    {"SESSION_TIME_INFO", "0"},
    {"status_info", "0"},
    {"connectionCats", "0"},
    {"RANK_DEVICE_MAP", "0"},
    {"CONNECTION_IDS", "0"},
    {"STRING_IDS", "0"},
    {"COMPUTE_TASK_INFO", "0"},
    {"ACC_PMU",
     "count(readBwLevel) + count(writeBwLevel) + count(readOstLevel) + count(writeOstLevel)"},
    {"LLC", "count(throughput) + count(hitRate)"},
    {"NPU_MEM", "count(ddr) + count(hbm)"},
    {"MEMORY_RECORD", "count(totalAllocated) + count(totalReserved) + count(totalActive)"},
    {"SOC_BANDWIDTH_LEVEL", "count(l2BufferBwLevel) + count(mataBwLevel)"},
};

std::string events_of_table(std::string_view table) {
  for (const TableRule& rule : kDatabaseRules) {
    std::string_view name = rule.table;
    const bool is_it = name.ends_with('*')     ? table.starts_with(name.substr(0, name.size() - 1))
                       : name.starts_with('*') ? table.ends_with(name.substr(1))
                                               : table == name;
    if (is_it) return rule.events;
  }
  return "count(*)";
}

class PlainDatabase {
 public:
  explicit PlainDatabase(std::string bytes) : bytes_(std::move(bytes)) {
    bytes_.at(18) = bytes_.at(19) = 1;  // without the second file of its mode
    sqlite3_open(":memory:", &connection_);
    const auto count = static_cast<sqlite3_int64>(bytes_.size());
    sqlite3_deserialize(connection_, "main", reinterpret_cast<unsigned char*>(bytes_.data()), count,
                        count, SQLITE_DESERIALIZE_READONLY);
  }
  PlainDatabase(const PlainDatabase&) = delete;
  PlainDatabase& operator=(const PlainDatabase&) = delete;
  ~PlainDatabase() { sqlite3_close(connection_); }

  std::vector<std::string> column(const std::string& sql) const {
    std::vector<std::string> values;
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(connection_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(connection_);
    while (statement != nullptr && sqlite3_step(statement) == SQLITE_ROW) {
      const auto* text = sqlite3_column_text(statement, 0);
      values.emplace_back(text == nullptr ? "" : reinterpret_cast<const char*>(text));
    }
    sqlite3_finalize(statement);
    return values;
  }

  std::uint64_t events() const {
    std::uint64_t all = 0;
    for (const std::string& table : column(
             "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")) {
      const std::vector<std::string> count = column("SELECT coalesce(" + events_of_table(table) +
                                                    ", 0), count(*) FROM \"" + table + '"');
      all += static_cast<std::uint64_t>(parse_whole_number(count.at(0)).value());
    }
    return all;
  }

 private:
  std::string bytes_;
  sqlite3* connection_ = nullptr;
};

TEST(NothingIsLostTest, rows_of_databases) {
  std::vector<fs::path> files;
  add_files(files, kSmallTraces / "database_fuzz", ".sqlite");
  add_files(files, kSmallTraces / "rocm_fuzz", ".db");
  add_files(files, kSmallTraces / "rocm_fuzz", ".rpd");
  add_files(files, kVendorTraces / "nsys", ".sqlite.gz");
  add_files(files, kVendorTraces / "rocm/rocprof_v1", ".db.gz");
  add_files(files, kVendorTraces / "rocm/rpd", ".rpd.gz");
  add_files(files, kVendorTraces / "ascend/db_rank0_ascend_pt", "ascend_pytorch_profiler_0.db.gz");
  EXPECT_GE(files.size(), 6u);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const auto loaded = read_trace(file);
    ASSERT_TRUE(loaded) << loaded.error().what;
    const std::uint64_t events = kept(loaded->trace) + named(*loaded);
    // A value that is no number is no sample.
    EXPECT_EQ(events + count_of(*loaded, ImportIssue::kBadNumber),
              PlainDatabase(file_text(file)).events());
  }
}

// ---- Protobuf

// The fields of a message: their numbers, and the bytes of those that have bytes.
struct WireField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};

std::uint64_t take_wire_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (int shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) break;
  }
  return number;
}

std::vector<WireField> wire_fields(std::string_view message) {
  std::vector<WireField> fields;
  while (!message.empty()) {
    const std::uint64_t key = take_wire_number(message);
    WireField field{.number = key >> 3, .value = 0, .bytes = {}};
    switch (key & 7) {
      case 0:
        field.value = take_wire_number(message);
        break;
      case 1:
        message.remove_prefix(8);
        break;
      case 2: {
        const std::uint64_t length = take_wire_number(message);
        field.bytes = message.substr(0, length);
        message.remove_prefix(length);
        break;
      }
      case 5:
        message.remove_prefix(4);
        break;
      default:
        ADD_FAILURE() << "not a message";
        return fields;
    }
    fields.push_back(field);
  }
  return fields;
}

WireField whole_message(std::string_view bytes) {
  return {.number = 0, .value = 0, .bytes = bytes};
}

// The fields with this number of all these messages.
std::vector<WireField> wire_fields(const std::vector<WireField>& messages, std::uint64_t number) {
  std::vector<WireField> fields;
  for (const WireField& message : messages) {
    for (const WireField& field : wire_fields(message.bytes)) {
      if (field.number == number) fields.push_back(field);
    }
  }
  return fields;
}

TEST(NothingIsLostTest, events_of_xplane_profiles) {
  constexpr std::uint64_t kPlanes = 1;
  constexpr std::uint64_t kLines = 3;
  constexpr std::uint64_t kEvents = 4;
  std::vector<fs::path> files = files_in(kSmallTraces / "xplane_fuzz", "");
  for (const char* folder : {"xplane", "xplane/jax_h200", "xplane/jax_mi300"})
    add_files(files, kVendorTraces / folder, ".xplane.pb.gz");
  EXPECT_GE(files.size(), 2u);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const std::string bytes = file_text(file);
    const auto planes = wire_fields({whole_message(bytes)}, kPlanes);
    const auto events = wire_fields(wire_fields(planes, kLines), kEvents);
    const auto loaded = read_trace_bytes(bytes, file.string());
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_EQ(kept(loaded->trace) + named(*loaded), events.size());
  }
}

// The type of a track event, or the letter of the phase that older writers give instead.
std::uint64_t type_of_track_event(const WireField& event) {
  constexpr std::uint64_t kType = 9;
  constexpr std::uint64_t kLegacy = 6;
  constexpr std::uint64_t kPhase = 2;
  std::uint64_t type = 0;
  for (const WireField& field : wire_fields({event}, kType)) type = field.value;
  if (type != 0) return type;
  for (const WireField& field : wire_fields(wire_fields({event}, kLegacy), kPhase))
    type = field.value;
  return type;
}

std::map<std::string, std::string> perfetto_traces() {
  std::map<std::string, std::string> traces;
  const auto add = [&](const fs::path& file) { traces[file.filename()] = file_text(file); };
  add(kSmallTraces / "perfetto_fuzz/gpu");
  for (const fs::path& file : files_in(kVendorTraces / "perfetto", ".perfetto-trace.gz")) add(file);
  for (const fs::path& file : files_in(kVendorTraces / "perfetto/synthetic_gpu_textproto", ""))
    traces[file.filename()] = test::perfetto_from_text(file_text(file));
  return traces;
}

// The packets of a trace, and behind them those that were packed together.
std::vector<WireField> packets_of(std::string_view bytes, std::string& unpacked) {
  constexpr std::uint64_t kPackets = 1;
  constexpr std::uint64_t kPacked = 50;
  std::vector<WireField> packets = wire_fields({whole_message(bytes)}, kPackets);
  for (const WireField& packed : wire_fields(packets, kPacked)) {
    std::string more(1 << 16, ' ');
    uLongf size = more.size();
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(more.data()), &size,
                         reinterpret_cast<const Bytef*>(packed.bytes.data()), packed.bytes.size()),
              Z_OK);
    unpacked += more.substr(0, size);
  }
  const std::vector<WireField> more = wire_fields({whole_message(unpacked)}, kPackets);
  packets.insert(packets.end(), more.begin(), more.end());
  return packets;
}

TEST(NothingIsLostTest, packets_of_perfetto_traces) {
  constexpr std::uint64_t kTrackEvent = 11;
  constexpr std::uint64_t kGpuStage = 53;
  constexpr std::uint64_t kStageOldSpecs = 7;
  enum { kBegin = 1, kEnd, kInstant, kCounter };
  for (const auto& [name, bytes] : perfetto_traces()) {
    SCOPED_TRACE(name);
    std::string unpacked;
    const std::vector<WireField> packets = packets_of(bytes, unpacked);
    std::map<std::uint64_t, std::uint64_t> events;
    for (const WireField& event : wire_fields(packets, kTrackEvent))
      ++events[type_of_track_event(event)];
    std::uint64_t stages = 0;
    for (const WireField& stage : wire_fields(packets, kGpuStage))
      stages += wire_fields({stage}, kStageOldSpecs).empty();
    const auto loaded = read_trace_bytes(bytes, name);
    ASSERT_TRUE(loaded) << loaded.error().what;
    const std::uint64_t begins = events[kBegin] + events['B'] + events['b'] + events['S'];
    const std::uint64_t ends = events[kEnd] + events['E'] + events['e'] + events['F'];
    const std::uint64_t closed = begins - count_of(*loaded, ImportIssue::kUnmatchedBegin);
    EXPECT_EQ(ends, closed + count_of(*loaded, ImportIssue::kUnmatchedEnd));
    EXPECT_EQ(loaded->trace.slice_count(), begins + events['X'] + stages);
    EXPECT_EQ(loaded->trace.instants().times_ns.size(),
              events[kInstant] + events['i'] + events['I'] + events['R'] + events['n']);
    EXPECT_GE(loaded->trace.counters().times_ns.size(), events[kCounter]);
    EXPECT_EQ(named(*loaded), 0u);
  }
}

// ---- AMD's records and tables

TEST(NothingIsLostTest, records_of_rocprofv3) {
  using simdjson::dom::element;
  std::vector<fs::path> files = {kSmallTraces / "rocm_fuzz/records.json"};
  add_files(files, kVendorTraces / "rocm", "rocprofv3_results.json");
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    simdjson::dom::parser parser;
    std::uint64_t records = 0;
    const std::string text = file_text(file);
    const element top = parser.parse(text).value();
    for (const element process : top["rocprofiler-sdk-tool"].get_array()) {
      for (const char* group : {"buffer_records", "callback_records"}) {
        simdjson::dom::object domains;
        if (process[group].get(domains) != simdjson::SUCCESS) continue;
        for (const auto domain : domains) records += domain.value.get_array().size();
      }
    }
    const auto loaded = read_trace(file);
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_EQ(kept(loaded->trace) + named(*loaded), records);
  }
}

// No table here has a line break inside of a value. The first line is the header.
std::uint64_t rows_of_text(const std::string& text) {
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  return lines + (text.ends_with('\n') ? 0 : 1) - 1;
}

TEST(NothingIsLostTest, rows_of_tables) {
  std::vector<fs::path> files;
  for (const char* name : {"calls.csv", "copies.csv", "kernels.csv", "markers.csv"})
    files.push_back(kSmallTraces / "rocm_fuzz" / name);
  files.push_back(kSmallTraces / "npu_formats_fuzz/kernel_details.csv");
  add_files(files, kVendorTraces / "rocm/rocprof_v1", "results.csv.gz");
  add_files(files, kVendorTraces / "rocm/rocprofv3_csv", ".csv");
  add_files(files, kVendorTraces / "ascend/text_rank0_ascend_pt/ASCEND_PROFILER_OUTPUT",
            "kernel_details.csv");
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const auto loaded = read_trace(file);
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_EQ(kept(loaded->trace) + named(*loaded), rows_of_text(file_text(file)));
  }
}

// The rows of one dispatch are one kernel with several counters.
TEST(NothingIsLostTest, rows_of_a_table_of_counters) {
  const fs::path file = kSmallTraces / "rocm_fuzz/counters.csv";
  const auto loaded = read_trace(file);
  ASSERT_TRUE(loaded) << loaded.error().what;
  std::uint64_t values = 0;
  ArgsReader args(loaded->trace.args());
  for (const ArgsId id : loaded->trace.slices().args) {
    const std::string counters(find(args.text(id), "counters").text);
    for_each_member(counters, [&](std::string_view, const JsonValue&) { ++values; });
  }
  EXPECT_EQ(values + named(*loaded), rows_of_text(file_text(file)));
}

// ---- Lists of kernels

// The first value of each line, which the tables of Nsight Compute begin with: the launch's number.
std::set<std::string> first_values(const std::string& text) {
  std::set<std::string> values;
  std::string_view left = text;
  while (!left.empty()) {
    const std::string_view line = take_line(left);
    if (!line.starts_with('"') || line.size() < 2 || line[1] < '0' || line[1] > '9') continue;
    values.emplace(line.substr(1, line.find('"', 1) - 1));
  }
  return values;
}

TEST(NothingIsLostTest, launches_of_counter_tables) {
  std::vector<fs::path> files = files_in(kCheckout / "tests/data/recordings", "_ncu.csv");
  add_files(files, kCheckout / "examples", "gpt_kernels_h200.csv.gz");
  add_files(files, kShared / "traces", "ncu_raw.csv.gz");
  EXPECT_GE(files.size(), 5u);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const auto table = read_kernels(file);
    ASSERT_TRUE(table) << table.error().what;
    EXPECT_EQ(table->size(), first_values(file_text(file)).size());
  }
}

TEST(NothingIsLostTest, dispatches_of_counted_runs) {
  std::vector<fs::path> files = {kSmallTraces / "rocm_fuzz/pmc_perf.csv"};
  add_files(files, kVendorTraces / "rocm/rocprof_compute", "pmc_perf.csv");
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const auto table = read_kernels(file);
    ASSERT_TRUE(table) << table.error().what;
    EXPECT_EQ(table->size(), rows_of_text(file_text(file)));
  }
}

}  // namespace
}  // namespace strobe::readers

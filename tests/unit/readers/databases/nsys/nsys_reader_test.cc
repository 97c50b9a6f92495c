#include "strobe/readers/databases/nsys/nsys_reader.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "strobe/readers/trace_reader.h"
#include "tests/support/damage.h"
#include "tests/support/slice_texts.h"
#include "tests/support/sql_database.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::slices_of;
using testing::sql_database;

// Processes 1 and 2 with the threads 11 and 12.
constexpr auto kIds =
    "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES(1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'cuLaunchKernel'),"
    "(4, '_Z4geluPf'), (5, 'ncclDevKernel_AllReduce'), (6, 'read'), (7, 'worker'), (8, 'NCCL');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, \"end\" INT, deviceId INT, contextId INT,"
    " streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT,"
    " registersPerThread INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT,"
    " staticSharedMemory INT, dynamicSharedMemory INT, graphNodeId INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, \"end\" INT, eventClass INT, globalTid "
    "INT,"
    " correlationId INT, nameId INT, returnValue INT);";
constexpr std::int64_t kFirst = std::int64_t{1} << 24;
constexpr std::int64_t kSecond = std::int64_t{2} << 24;

std::string kernel(std::int64_t start, std::int64_t end, int device, int correlation,
                   std::int64_t process, int name, const char* node = "NULL") {
  const auto text = [](std::int64_t number) { return std::to_string(number); };
  return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(" + text(start) + "," + text(end) + "," +
         text(device) + ",1,7," + text(correlation) + "," + text(process) + "," + text(name) +
         ",1,32,4,2,1,128,1,1,1024,16," + node + ");";
}
std::string call(std::int64_t start, std::int64_t end, int what, std::int64_t thread,
                 int correlation, int name, int result = 0) {
  const auto text = [](std::int64_t number) { return std::to_string(number); };
  return "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(" + text(start) + "," + text(end) + "," +
         text(what) + "," + text(thread) + "," + text(correlation) + "," + text(name) + "," +
         text(result) + ");";
}

LoadedTrace load(const std::string& sql) {
  auto loaded = read_trace_bytes(sql_database(sql), "made.sqlite");
  EXPECT_TRUE(loaded) << loaded.error().what;
  return loaded ? *std::move(loaded) : LoadedTrace();
}

std::string args_of(const Trace& trace, std::string_view name) {
  ArgsReader reader(trace.args());
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.name(SliceId(row)) == name) return std::string(reader.text(trace.slices().args[row]));
  }
  return "no slice";
}

TEST(NsysReaderTest, work_and_calls_are_joined_in_each_process) {
  const LoadedTrace loaded =
      load(kIds + call(30, 40, 0, kFirst + 11, 5, 2) + call(10, 15, 0, kFirst + 11, 4, 2) +
           call(12, 14, 1, kSecond + 12, 5, 3, 700) + kernel(50, 60, 0, 5, kFirst, 1) +
           kernel(20, 25, 0, 4, kFirst, 4) + kernel(20, 30, 0, 5, kSecond, 5));
  const Trace& trace = loaded.trace;
  EXPECT_TRUE(loaded.report.is_clean());
  EXPECT_EQ(loaded.report.event_count, 6u);
  EXPECT_EQ(loaded.report[ImportIssue::kOrphanDeviceWork].count, 0u);
  EXPECT_THAT(
      slices_of(trace, SliceKind::kRuntimeCall),
      ElementsAre("10+5 cudaLaunchKernel", "30+10 cudaLaunchKernel", "12+2 cuLaunchKernel"));
  EXPECT_THAT(slices_of(trace, SliceKind::kKernel),
              ElementsAre("20+5 gelu(float*)", "50+10 gemm", "20+10 ncclDevKernel_AllReduce"));
  std::map<std::uint32_t, int> launches;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    ++launches[trace.slices().correlations[row]];
    const bool communicates = (trace.slices().flags[row] & kCommunicates) != 0;
    EXPECT_EQ(communicates, trace.name(SliceId(row)) == "ncclDevKernel_AllReduce");
  }
  ASSERT_EQ(launches.size(), 3u);
  for (const auto& [launch, slices] : launches) EXPECT_EQ(slices, 2);
  EXPECT_EQ(args_of(trace, "gemm"),
            R"({"device":0,"context":1,"stream":7,"registers per thread":32,"shared memory":1040,)"
            R"("grid":[4,2,1],"block":[128,1,1]})");
  EXPECT_EQ(args_of(trace, "cuLaunchKernel"), R"({"result":700})");
}

TEST(NsysReaderTest, processes_do_not_share_streams) {
  const LoadedTrace loaded =
      load(kIds + kernel(1, 9, 0, 1, kFirst, 1) + kernel(2, 8, 0, 1, kSecond, 1));
  ASSERT_EQ(loaded.trace.tracks().size(), 2u);
  EXPECT_EQ(loaded.trace.strings()[loaded.trace.tracks()[1].thread], "7 of process 2");
  EXPECT_EQ(loaded.report[ImportIssue::kOrphanDeviceWork].count, 2u);
}

TEST(NsysReaderTest, copies_have_directions_and_bytes) {
  const LoadedTrace loaded = load(
      std::string(kIds) +
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, \"end\" INT, deviceId INT, streamId INT,"
      " bytes INT, copyKind INT, srcKind INT, dstKind INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(10, 30, 0, 7, 4096, 1, 1, 2),"
      "(40, 50, 0, 7, 64, 11, NULL, NULL), (60, 61, 0, 7, 1, 99, 0, 0);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INT, \"end\" INT, deviceId INT, streamId INT,"
      " bytes INT); INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(70, 72, 0, 7, 8)");
  EXPECT_THAT(slices_of(loaded.trace, SliceKind::kMemcpy),
              ElementsAre("10+20 Memcpy HtoD (Pinned -> Device)", "40+10 Memcpy HtoD (Unified)",
                          "60+1 Memcpy of kind 99"));
  EXPECT_THAT(slices_of(loaded.trace, SliceKind::kMemset), ElementsAre("70+2 Memset (Unknown)"));
  EXPECT_THAT(args_of(loaded.trace, "Memcpy HtoD (Pinned -> Device)"),
              HasSubstr(R"("bytes":4096)"));
}

constexpr auto kGraphs =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INT, \"end\" INT, deviceId INT, streamId "
    "INT,"
    " correlationId INT, globalPid INT, graphId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(10, 90, 0, 7, 5, 16777216, 3),"
    "(100, 120, 0, 7, 6, 16777216, 3);";

TEST(NsysReaderTest, a_graph_without_its_nodes_is_one_block_of_work) {
  const LoadedTrace loaded = load(std::string(kIds) + kGraphs);
  EXPECT_THAT(slices_of(loaded.trace, SliceKind::kKernel),
              ElementsAre("10+80 CUDA graph 3", "100+20 CUDA graph 3"));
  EXPECT_EQ(loaded.report[ImportIssue::kWholeGraphs].count, 2u);
}

TEST(NsysReaderTest, a_graph_with_nodes_is_not_counted_twice) {
  const LoadedTrace loaded =
      load(kIds + kernel(20, 30, 0, 5, kFirst, 1, "77") + std::string(kGraphs));
  EXPECT_THAT(slices_of(loaded.trace, SliceKind::kKernel),
              ElementsAre("20+10 gemm", "100+20 CUDA graph 3"));
  EXPECT_THAT(slices_of(loaded.trace, SliceKind::kDeviceAnnotation),
              ElementsAre("10+80 CUDA graph 3"));
  EXPECT_EQ(loaded.report[ImportIssue::kWholeGraphs].count, 1u);
}

TEST(NsysReaderTest, ranges_have_names_domains_and_values) {
  const LoadedTrace loaded = load(
      std::string(kIds) +
      "CREATE TABLE NVTX_EVENTS(start INT, \"end\" INT, eventType INT, category INT, text TEXT,"
      " globalTid INT, textId INT, domainId INT, uint64Value INT, int64Value INT, doubleValue REAL,"
      " jsonText TEXT);"
      "INSERT INTO NVTX_EVENTS VALUES"
      "(50, 60, 59, NULL, 'aten::mm, seq = 3, op_id = 17', 16777227, NULL, 0, NULL, NULL, NULL, "
      "NULL),"
      "(40, 90, 59, NULL, 'step 1', 16777227, NULL, 0, NULL, NULL, NULL, NULL),"
      "(70, 75, 59, 4, NULL, 16777227, 8, 2, 99, NULL, NULL, NULL),"
      "(76, 77, 60, NULL, 'free', 16777227, NULL, 0, NULL, -5, NULL, NULL),"
      "(78, NULL, 59, NULL, 'open', 16777227, NULL, 0, NULL, NULL, 0.5, NULL),"
      "(79, NULL, 34, NULL, 'mark', 16777227, NULL, 0, NULL, NULL, NULL, '[1]'),"
      "(0, NULL, 75, NULL, 'collectives', 16777227, NULL, 2, NULL, NULL, NULL, NULL),"
      "(0, NULL, 33, 4, 'sends', 16777227, NULL, 2, NULL, NULL, NULL, NULL),"
      "(0, NULL, 39, NULL, 'loader', 16777227, NULL, 0, NULL, NULL, NULL, NULL),"
      "(5, NULL, 36, NULL, 'odd', 16777227, NULL, 0, NULL, NULL, NULL, NULL)");
  const Trace& trace = loaded.trace;
  EXPECT_THAT(slices_of(trace, SliceKind::kOperator), ElementsAre("50+10 aten::mm"));
  EXPECT_THAT(slices_of(trace, SliceKind::kStep), ElementsAre("40+50 step 1"));
  EXPECT_THAT(slices_of(trace, SliceKind::kAnnotation),
              ElementsAre("70+5 NCCL", "78+12 open", "76+1 free"));
  EXPECT_EQ(args_of(trace, "NCCL"), R"({"domain":"collectives","category":"sends","payload":99})");
  EXPECT_EQ(args_of(trace, "aten::mm"), R"({"Record function id":17,"Sequence number":3})");
  EXPECT_EQ(args_of(trace, "free"), R"({"payload":-5})");
  EXPECT_EQ(args_of(trace, "open"), R"({"payload":0.5})");
  EXPECT_THAT(trace.sequences().sequence_numbers, ElementsAre(3));
  EXPECT_EQ(trace.name(trace.sequences().slices[0]), "aten::mm");
  EXPECT_THAT(trace.instants().times_ns, ElementsAre(79));
  EXPECT_EQ(ArgsReader(trace.args()).text(trace.instants().args[0]), R"({"payload":"[1]"})");
  EXPECT_EQ(trace.strings()[trace.tracks()[0].thread_name], "thread 11 (loader)");
  EXPECT_EQ(loaded.report[ImportIssue::kUnmatchedBegin].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kUnreadEvents].examples.at(0).detail,
            "1 in NVTX_EVENTS of type 36");
  EXPECT_EQ(loaded.report.event_count, 6u);
}

TEST(NsysReaderTest, the_host_waits_and_calls) {
  const LoadedTrace loaded = load(
      kIds + call(1, 2, 67, kFirst + 11, 9, 2) +
      "CREATE TABLE OSRT_API(start INT, \"end\" INT, eventClass INT, globalTid INT, nameId INT);"
      "INSERT INTO OSRT_API VALUES(5, 5, 31, 16777216, 7), (10, 30, 27, 16777227, 6);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INT, \"end\" INT, streamId INT,"
      " globalPid INT, syncType INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(40, 60, 7, 16777216, 3);"
      "CREATE TABLE PROFILER_OVERHEAD(start INT, \"end\" INT, globalTid INT, nameId INT);"
      "INSERT INTO PROFILER_OVERHEAD VALUES(61, 62, 16777227, 999);"
      "CREATE TABLE SCHED_EVENTS(start INT, cpu INT); INSERT INTO SCHED_EVENTS VALUES(1, 0), (2, "
      "0);"
      "CREATE TABLE TARGET_INFO_SYSTEM_ENV(start INT, name TEXT, value TEXT);"
      "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(1, 'TOKEN', 'secret')");
  EXPECT_THAT(slices_of(loaded.trace, SliceKind::kOther), ElementsAre("10+20 read"));
  EXPECT_THAT(slices_of(loaded.trace, SliceKind::kSync), ElementsAre("40+20 Stream Sync"));
  EXPECT_THAT(slices_of(loaded.trace, SliceKind::kOverhead), ElementsAre("61+1 (lost name)"));
  EXPECT_THAT(loaded.trace.instants().times_ns, ElementsAre(5));
  EXPECT_EQ(loaded.report[ImportIssue::kUnreadEvents].count, 3u);
  EXPECT_EQ(loaded.report[ImportIssue::kUnreadEvents].examples.at(0).detail,
            "2 in SCHED_EVENTS, 1 in call chains that repeat a call");
  for (const std::string_view text : loaded.trace.strings().texts()) EXPECT_NE(text, "secret");
}

TEST(NsysReaderTest, measurements_become_counters_and_instants) {
  const LoadedTrace loaded =
      load(std::string(kIds) +
           "CREATE TABLE GPU_METRICS(timestamp INT, typeId INT, metricId INT, value INT);"
           "INSERT INTO GPU_METRICS VALUES(10, 258, 5, 97);"
           "CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INT, metricId INT, metricName TEXT);"
           "INSERT INTO TARGET_INFO_GPU_METRICS VALUES(258, 5, 'SMs Active [%]');"
           "CREATE TABLE TARGET_INFO_GPU(id INT, cuDevice INT, name TEXT, smCount INT);"
           "INSERT INTO TARGET_INFO_GPU VALUES(2, 0, 'H100', 132), (3, NULL, 'other', 1);"
           "CREATE TABLE NET_NIC_METRIC(start INT, \"end\" INT, globalId INT, portId INT,"
           " metricsListId INT, metricsIdx INT, value INT);"
           "INSERT INTO NET_NIC_METRIC VALUES(20, 30, 5, 1, 1, 0, 1000);"
           "CREATE TABLE TARGET_INFO_NETWORK_METRICS(metricsListId INT, metricsIdx INT, name TEXT);"
           "INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES(1, 0, 'IB: Bytes sent');"
           "CREATE TABLE COMPOSITE_EVENTS(id INTEGER PRIMARY KEY, start INT, globalTid INT);"
           "INSERT INTO COMPOSITE_EVENTS VALUES(1, 40, 16777227), (2, 41, 16777227);"
           "CREATE TABLE SAMPLING_CALLCHAINS(id INT, symbol INT, stackDepth INT);"
           "INSERT INTO SAMPLING_CALLCHAINS VALUES(2, 7, 1), (2, 6, 0);"
           "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INT, globalPid INT, deviceId INT,"
           " address INT, bytes INT, memKind INT, memoryOperationType INT);"
           "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES(60, 16777216, 0, 512, 64, 2, 1),"
           "(50, 16777216, 0, 512, 64, 2, 0)");
  const Trace& trace = loaded.trace;
  const auto name = [&](StringId id) { return trace.strings()[id]; };
  ASSERT_EQ(trace.counters().size(), 2u);
  EXPECT_EQ(name(trace.counters().names[0]), "SMs Active [%]");
  EXPECT_EQ(trace.counters().values[0], 97);
  EXPECT_EQ(trace.tracks()[trace.counters().tracks[0].index()].device, 0);
  EXPECT_EQ(name(trace.counters().series[1]), "NIC 5 port 1");
  ASSERT_EQ(trace.metadata().devices.size(), 1u);
  EXPECT_EQ(trace.metadata().devices[0].name, "H100");
  EXPECT_EQ(trace.metadata().devices[0].multiprocessors, 132);
  ASSERT_EQ(trace.instants().size(), 4u);
  EXPECT_EQ(name(trace.instants().names[0]), "sample");
  EXPECT_EQ(name(trace.instants().names[1]), "read");
  EXPECT_THAT(trace.memory().times_ns, ElementsAre(50, 60));
  EXPECT_THAT(trace.memory().bytes, ElementsAre(64, -64));
  EXPECT_EQ(name(trace.memory().places[0]), "Place(gpu:0)");
}

TEST(NsysReaderTest, the_oldest_exports_lack_processes_and_metadata) {
  const LoadedTrace loaded = load(
      "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
      "INSERT INTO StringIds VALUES(1, 'gemm'), (2, 'cudaLaunchKernel_v7000');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT NOT NULL, \"end\" INT NOT NULL,"
      " deviceId INT NOT NULL, streamId INT NOT NULL, correlationId INT NOT NULL,"
      " shortName INT NOT NULL); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(50, 60, 1, 7, 5, 1);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, \"end\" INT, globalTid INT,"
      " correlationId INT, nameId INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(10, 20, 16777227, 5, 2);"
      "CREATE TABLE TARGET_INFO_GPU(id INT, deviceId INT, name TEXT);"
      "INSERT INTO TARGET_INFO_GPU VALUES(9, 1, 'V100');"
      "CREATE TABLE NVTX_EVENTS(start INT, \"end\" INT, text TEXT, globalTid INT);"
      "INSERT INTO NVTX_EVENTS VALUES(5, 25, 'epoch', 16777227)");
  EXPECT_THAT(slices_of(loaded.trace, SliceKind::kKernel), ElementsAre("50+10 gemm"));
  EXPECT_THAT(slices_of(loaded.trace, SliceKind::kAnnotation), ElementsAre("5+20 epoch"));
  EXPECT_EQ(loaded.report[ImportIssue::kOrphanDeviceWork].count, 0u);
  EXPECT_EQ(loaded.trace.metadata().devices.at(0).id, 1);
  EXPECT_TRUE(loaded.report.is_clean());
}

TEST(NsysReaderTest, without_its_texts_an_export_keeps_its_times) {
  const LoadedTrace loaded = load(
      "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, \"end\" INT, deviceId INT,"
      " streamId INT, correlationId INT, globalPid INT, demangledName INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(50, 60, 1, 7, 5, 16777216, 1)");
  const Trace& trace = loaded.trace;
  ASSERT_EQ(trace.slice_count(), 1u);
  EXPECT_EQ(trace.slices().kinds[0], SliceKind::kKernel);
  EXPECT_EQ(trace.slices().durations_ns[0], 10);
  EXPECT_EQ(loaded.report[ImportIssue::kLostName].count, 1u);
}

TEST(NsysReaderTest, bad_values_are_repaired_and_reported) {
  const LoadedTrace loaded = load(kIds + kernel(50, 40, 0, 1, kFirst, 1) +
                                  kernel(0, 8'000'000'000'000'000'000, 0, 2, kFirst, 1) +
                                  kernel(60, 61, -1, 3, kFirst, 1) +
                                  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(\"end\") VALUES(5);" +
                                  call(1, 2, 0, kFirst + 11, -7, 2));
  EXPECT_EQ(loaded.trace.slice_count(), 4u);
  EXPECT_EQ(loaded.report[ImportIssue::kNegativeDuration].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kAbsurdTime].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kMissingTime].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kWideCorrelation].count, 1u);
}

TEST(NsysReaderTest, what_the_profiler_lost_is_told) {
  const LoadedTrace loaded = load(
      kIds + kernel(50, 60, 0, 1, kFirst, 1) +
      "CREATE TABLE DIAGNOSTIC_EVENT(timestamp INT, severity INT, text TEXT);"
      "INSERT INTO DIAGNOSTIC_EVENT VALUES(1, 2, 'Not all CUDA events might have been collected.'),"
      "(2, 1, 'Number of events lost: 0.'), (3, 3, 'The driver is old.')");
  EXPECT_EQ(loaded.report[ImportIssue::kDroppedRecords].count, 1u);
  EXPECT_THAT(loaded.report[ImportIssue::kDroppedRecords].examples.at(0).detail,
              HasSubstr("Not all CUDA events"));
  EXPECT_EQ(loaded.report[ImportIssue::kRecorderRemark].count, 1u);
}

TEST(NsysReaderTest, damage_never_does_harm) {
  std::string sql = kIds;
  for (int i = 0; i < 40; ++i) {
    sql += call(i * 10, i * 10 + 5, 0, kFirst + 11, i + 1, 2);
    sql += kernel(i * 10 + 3, i * 10 + 9, 0, i + 1, kFirst, 1);
  }
  const std::string whole = sql_database(sql);
  testing::expect_survives(whole);
}

TEST(NsysReaderTest, other_databases_are_refused) {
  const auto other =
      read_trace_bytes(sql_database("CREATE TABLE StringIds(id INT, value TEXT)"), "a");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("without the tables of a profiler"));
}

// More rows than are packed at once: ranges of steps and operators on one thread, written when they
// end, and calls of two processes on others.
TEST(NsysReaderTest, many_rows_are_ordered_numbered_and_closed_like_few) {
  constexpr int kSteps = 3000;
  std::string sql = std::string(kIds) +
                    "CREATE TABLE NVTX_EVENTS(start INT, \"end\" INT, eventType INT, globalTid INT,"
                    " text TEXT, domainId INT); INSERT INTO NVTX_EVENTS VALUES";
  const auto text = [](std::int64_t number) { return std::to_string(number); };
  for (int step = 0; step < kSteps; ++step) {
    const std::int64_t start = 100 * step + 100;
    const std::string rest = ", 59, " + text(kFirst + 11) + ", ";
    sql += "(" + text(start + 10) + "," + text(start + 20) + rest +
           "'aten::add, seq = " + text(step) + "', 0), (" + text(start) + "," + text(start + 90) +
           rest + "'step " + text(step) + "', 0),";
  }
  sql += "(5, NULL, 59, " + text(kFirst + 11) + ", 'open', 0);";
  for (int launch = 1; launch <= kSteps; ++launch) {
    sql += call(100 * launch + 1, 100 * launch + 5, 0, kFirst + 12, launch, 2);
    sql += call(100 * launch + 1, 100 * launch + 5, 0, kSecond + 12, launch, 2);
    sql += kernel(100 * launch + 7, 100 * launch + 9, 0, launch, kSecond, 1);
  }
  const LoadedTrace loaded = load(sql);
  const Trace& trace = loaded.trace;
  const SliceColumns& slices = trace.slices();
  ASSERT_EQ(slices.size(), 5u * kSteps + 1);
  EXPECT_TRUE(slices.starts_ns.unpacked().empty()) << "they are packed";
  EXPECT_EQ(loaded.report[ImportIssue::kOrphanDeviceWork].count, 0u);
  EXPECT_EQ(loaded.report[ImportIssue::kDuplicateCorrelation].count, 0u);
  std::map<TrackId, std::int64_t> latest;
  std::map<SliceKind, int> kinds;
  std::int64_t last_end_ns = 0;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const auto [before, is_first] = latest.try_emplace(slices.tracks[row], -1);
    EXPECT_LT(std::exchange(before->second, slices.starts_ns[row]), slices.starts_ns[row]);
    ++kinds[slices.kinds[row]];
    last_end_ns = std::max(last_end_ns, slices.starts_ns[row] + slices.durations_ns[row]);
    if (trace.name(SliceId(row)) == "open") {
      EXPECT_EQ(slices.durations_ns[row], 100 * kSteps + 90 - 5);
    }
  }
  EXPECT_EQ(last_end_ns, 100 * kSteps + 90);
  EXPECT_EQ(kinds[SliceKind::kStep], kSteps);
  EXPECT_EQ(kinds[SliceKind::kOperator], kSteps);
  ASSERT_EQ(trace.sequences().slices.size(), static_cast<std::size_t>(kSteps));
  for (std::size_t i = 0; i < trace.sequences().slices.size(); ++i) {
    ASSERT_EQ(trace.name(trace.sequences().slices[i]), "aten::add");
    ASSERT_EQ(trace.sequences().sequence_numbers[i], static_cast<std::int64_t>(i));
  }
}

}  // namespace
}  // namespace strobe::readers

#include "strobe/readers/databases/ascend_database.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "strobe/readers/trace_reader.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/readers/damage.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;

// The bytes of a database, as a profiler exports it.
std::string npu_database(const std::string& sql) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "ascend_pytorch_profiler_0.db";
  sqlite3* connection = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(connection);
  sqlite3_close(connection);
  return testing::bytes_of(path);
}

LoadedTrace load_database(const std::string& sql, const LoadOptions& options = {.threads = 1}) {
  auto loaded = read_trace_bytes(npu_database(sql), "a.db", options);
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().what);
  return *std::move(loaded);
}

SliceId row_named(const Trace& trace, std::string_view name) {
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.name(SliceId(row)) == name) return SliceId(row);
  }
  return {};
}

const std::string kNpuTexts =
    "CREATE TABLE STRING_IDS(id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO STRING_IDS VALUES (0,'KERNEL_AICORE'),(1,'MEMCPY_ASYNC'),(2,'AI_CORE'),"
    "(3,'EVENT_WAIT'),(4,'matmul_kernel'),(5,'MIX_AIC'),(6,'AI_CPU'),(7,'topk_kernel'),"
    "(8,'hcom_allReduce__1'),(9,'group'),(10,'Notify_Wait'),(11,'launch'),(12,'aclnnMm'),"
    "(13,'aten::mm'),(14,'Enqueue'),(15,'Dequeue@aclnnMm'),(16,'ProfilerStep#3'),"
    "(17,'main.py(3): train'),(18,'my range'),(19,'a mark'),(20,'2,2');";

const std::string kNpuTasks =
    "CREATE TABLE TASK(startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER,"
    " globalTaskId INTEGER, globalPid INTEGER, taskType INTEGER, contextId INTEGER,"
    " streamId INTEGER, taskId INTEGER, modelId INTEGER);"
    "CREATE TABLE COMPUTE_TASK_INFO(name INTEGER, globalTaskId INTEGER PRIMARY KEY,"
    " blockDim INTEGER, taskType INTEGER, opType INTEGER, inputShapes INTEGER);";

std::int64_t rows_of_kind(const Trace& trace, SliceKind kind) {
  return std::ranges::count(trace.slices().kinds, kind);
}

TEST(AscendDatabaseTest, kernels_are_the_tasks_that_the_table_of_computations_knows) {
  const LoadedTrace loaded =
      load_database(kNpuTexts + kNpuTasks +
                    "INSERT INTO TASK VALUES (100,150,2,5,1,9,0,0,4,1,0),"  // a kernel on two cores
                    "(100,150,2,5,2,9,2,0,4,1,0),"                          // its parent
                    "(200,260,2,6,3,9,6,0,4,2,0),"                          // on the host's cores
                    "(300,310,2,7,4,9,1,0,4,3,0),(400,900,2,8,5,9,3,0,4,4,0);"
                    "INSERT INTO COMPUTE_TASK_INFO VALUES (4,1,8,5,4,20),(7,3,1,6,7,20)");
  const Trace& trace = loaded.trace;
  EXPECT_EQ(trace.traits().dialect, "ascend");
  EXPECT_FALSE(loaded.report.lost_something());
  EXPECT_THAT(trace.slices().kinds,
              ElementsAre(SliceKind::kKernel, SliceKind::kDeviceAnnotation, SliceKind::kKernel,
                          SliceKind::kMemcpy, SliceKind::kDeviceAnnotation));
  EXPECT_EQ(trace.name(SliceId(0)), "matmul_kernel");
  EXPECT_EQ(trace.duration_ns(SliceId(2)), 60);
  EXPECT_EQ(trace.track(SliceId(0)).device, 2);
  const auto category = [&](std::size_t row) {
    return trace.strings()[trace.categories()[trace.slices().categories[row].index()].name];
  };
  EXPECT_EQ(category(0), "MIX_AIC");
  EXPECT_EQ(category(2), "AI_CPU");
  EXPECT_EQ(ArgsReader(trace.args()).text(trace.slices().args[0]),
            R"({"device":2,"stream":4,"Type":"matmul_kernel","Accelerator Core":"MIX_AIC",)"
            R"("Block Dim":8,"Input Shapes":"2,2"})");
}

TEST(AscendDatabaseTest, a_collective_is_one_work_and_its_parts_stand_on_planes) {
  const Trace trace =
      load_database(kNpuTexts + kNpuTasks +
                    "INSERT INTO TASK VALUES (100,200,3,5,1,9,2,0,4,1,0),"
                    "(110,120,3,5,2,9,3,0,4,1,0);"
                    "CREATE TABLE COMMUNICATION_TASK_INFO(name INTEGER, globalTaskId INTEGER,"
                    " taskType INTEGER, planeId INTEGER, groupName INTEGER, size INTEGER);"
                    "INSERT INTO COMMUNICATION_TASK_INFO VALUES (8,2,10,1,9,64);"
                    "CREATE TABLE COMMUNICATION_OP(opName INTEGER, startNs INTEGER,"
                    " endNs INTEGER, connectionId INTEGER, groupName INTEGER);"
                    "INSERT INTO COMMUNICATION_OP VALUES (8,100,190,5,9)")
          .trace;
  EXPECT_EQ(rows_of_kind(trace, SliceKind::kKernel), 1);
  EXPECT_EQ(rows_of_kind(trace, SliceKind::kDeviceAnnotation), 3);
  const SliceId collective = row_named(trace, "hcom_allReduce__1");
  ASSERT_TRUE(collective.valid());
  EXPECT_EQ(trace.slices().flags[collective.index()], kCommunicates);
  EXPECT_EQ(trace.track(collective).device, 3);
  EXPECT_EQ(trace.strings()[trace.track(collective).thread], "Group 0 Communication");
  EXPECT_EQ(trace.duration_ns(collective), 90);
  EXPECT_EQ(trace.strings()[trace.track(row_named(trace, "Notify_Wait")).thread],
            "Plane 1 of Group 0 Communication");
}

// (7 << 32) + 1 and + 2 are threads of process 7.
const std::string kNpuHost =
    "CREATE TABLE CANN_API(startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER,"
    " connectionId INTEGER PRIMARY KEY, name INTEGER);"
    "INSERT INTO CANN_API VALUES (50,60,20000,30064771074,4,12),(50,60,10000,30064771074,5,11);"
    "CREATE TABLE PYTORCH_API(startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER,"
    " name INTEGER, sequenceNumber INTEGER, fwdThreadId INTEGER, type INTEGER);"
    "INSERT INTO PYTORCH_API VALUES ('10','30',30064771073,2,13,4,0,50001),"
    "('15','17',30064771073,0,14,NULL,NULL,50002),('40','70',30064771074,1,15,NULL,NULL,50002),"
    "('5','95',30064771073,NULL,16,-1,0,50001),('6','90',30064771073,NULL,17,NULL,NULL,50003);"
    "CREATE TABLE CONNECTION_IDS(id INTEGER, connectionId INTEGER);"
    "INSERT INTO CONNECTION_IDS VALUES (0,77),(1,77),(2,5);";

TEST(AscendDatabaseTest, operators_queue_calls_which_launch_work) {
  const Trace trace = load_database(kNpuTexts + kNpuTasks + kNpuHost +
                                    "INSERT INTO TASK VALUES (100,150,0,5,1,9,0,0,4,1,0);"
                                    "INSERT INTO COMPUTE_TASK_INFO VALUES (4,1,8,2,4,20)")
                          .trace;
  const SliceId call = row_named(trace, "aclnnMm");
  const SliceId kernel = row_named(trace, "matmul_kernel");
  ASSERT_TRUE(call.valid() && kernel.valid());
  EXPECT_EQ(trace.kind(call), SliceKind::kRuntimeCall);
  EXPECT_EQ(trace.kind(row_named(trace, "launch")), SliceKind::kDynamicLaunch);
  EXPECT_EQ(trace.slices().correlations[call.index()], trace.slices().correlations[kernel.index()]);
  EXPECT_NE(trace.slices().correlations[call.index()], kNoLaunchId);
  EXPECT_EQ(trace.nesting_hints().owners[call.index()], row_named(trace, "Enqueue"));
  EXPECT_EQ(trace.kind(row_named(trace, "aten::mm")), SliceKind::kOperator);
  EXPECT_EQ(trace.kind(row_named(trace, "ProfilerStep#3")), SliceKind::kStep);
  EXPECT_EQ(trace.kind(row_named(trace, "main.py(3): train")), SliceKind::kPythonCall);
  EXPECT_EQ(trace.start_ns(row_named(trace, "aten::mm")), 10);
  EXPECT_EQ(trace.track(call).process_number, 7);
  EXPECT_EQ(trace.track(call).thread_number, 2);
  EXPECT_THAT(trace.sequences().sequence_numbers, ElementsAre(4));
}

TEST(AscendDatabaseTest, marks_steps_counters_and_facts) {
  const Trace trace =
      load_database(kNpuTexts + kNpuTasks +
                    "CREATE TABLE MSTX_EVENTS(startNs INTEGER, endNs INTEGER, eventType INTEGER,"
                    " rangeId INTEGER, message INTEGER, globalTid INTEGER);"
                    "INSERT INTO MSTX_EVENTS VALUES (10,20,1,0,18,30064771073),"
                    "(12,40,2,1,18,30064771073),(30,30,0,2,19,30064771073);"
                    "CREATE TABLE STEP_TIME(id INTEGER, startNs INTEGER, endNs INTEGER);"
                    "INSERT INTO STEP_TIME VALUES (50,5,95);"
                    "CREATE TABLE AICORE_FREQ(deviceId INTEGER, timestampNs NUMERIC, freq INTEGER);"
                    "INSERT INTO AICORE_FREQ VALUES (1,7,1800);"
                    "CREATE TABLE NPU_INFO(id INTEGER, name TEXT);"
                    "INSERT INTO NPU_INFO VALUES (1,'Ascend910B');"
                    "CREATE TABLE RANK_DEVICE_MAP(rankId INTEGER, deviceId INTEGER);"
                    "INSERT INTO RANK_DEVICE_MAP VALUES (6,1)")
          .trace;
  EXPECT_THAT(trace.slices().kinds,
              ElementsAre(SliceKind::kAnnotation, SliceKind::kAnnotation, SliceKind::kStep));
  EXPECT_EQ(trace.track(SliceId(1)).kind, TrackKind::kAsync);
  EXPECT_EQ(trace.name(SliceId(2)), "ProfilerStep#50");
  EXPECT_THAT(trace.instants().times_ns, ElementsAre(30));
  EXPECT_THAT(trace.counters().values, ElementsAre(1800.0));
  EXPECT_EQ(trace.metadata().distributed.rank, 6);
  ASSERT_EQ(trace.metadata().devices.size(), 1u);
  EXPECT_EQ(trace.metadata().devices[0].name, "Ascend910B");
}

TEST(AscendDatabaseTest, rows_that_cannot_be_are_told) {
  const LoadedTrace loaded =
      load_database(kNpuTexts + kNpuTasks +
                    "INSERT INTO TASK VALUES (NULL,150,0,5,1,9,0,0,4,1,0),"
                    "('later',150,0,5,2,9,3,0,4,1,0),(100,50,0,5,3,9,3,0,4,1,0),"
                    "(100,150,-4,5,4,9,99,0,-4,1,0);"
                    "INSERT INTO COMPUTE_TASK_INFO VALUES (4,9,8,2,4,20)");
  EXPECT_EQ(loaded.trace.slice_count(), 2u);
  EXPECT_EQ(loaded.report[ImportIssue::kMissingTime].count, 3u);  // with a kernel without a task
  EXPECT_EQ(loaded.report[ImportIssue::kNegativeDuration].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kLostName].count, 1u);
}

TEST(AscendDatabaseTest, a_view_in_place_of_a_table_is_not_read) {
  const LoadedTrace loaded =
      load_database(kNpuTexts + kNpuTasks +
                    "CREATE VIEW HBM AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
                    " FROM n) SELECT i AS timestampNs, 0 AS deviceId, i AS bandwidth FROM n;");
  EXPECT_EQ(loaded.trace.counters().size(), 0u);
}

TEST(AscendDatabaseTest, reading_stops_when_there_is_too_much) {
  std::string rows = "INSERT INTO TASK VALUES (1,2,0,0,1,0,3,0,0,0,0)";
  for (int i = 0; i < 5000; ++i) rows += ",(1,2,0,0,1,0,3,0,0,0,0)";
  const auto loaded =
      read_trace_bytes(npu_database(kNpuTexts + kNpuTasks + rows), "a.db", {.most_events = 100});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kMalformed);
}

TEST(AscendDatabaseTest, damage_costs_only_what_it_hits) {
  const std::string bytes = npu_database(
      "PRAGMA page_size = 512;" + kNpuTexts + kNpuTasks + kNpuHost +
      "INSERT INTO TASK VALUES (100,150,0,5,1,9,0,0,4,1,0),(200,250,0,6,2,9,3,0,4,1,0);"
      "INSERT INTO COMPUTE_TASK_INFO VALUES (4,1,8,2,4,20)");
  expect_survives(bytes, 999);
}

}  // namespace
}  // namespace strobe::readers

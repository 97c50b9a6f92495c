#include <map>
#include <string>

#include <gtest/gtest.h>

#include "strobe/base/json_value.h"
#include "strobe/readers/databases/rocm_databases.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/trace/args_store.h"
#include "tests/support/damage.h"
#include "tests/support/sql_database.h"
#include "tests/support/trace_totals.h"

namespace strobe::readers {
namespace {

using strobe::testing::Total;

const std::string kRpdTables =
    R"(CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);
       INSERT INTO rocpd_string VALUES (1, ''), (2, 'hipLaunchKernel'), (3, 'KernelExecution'),
         (4, 'f'), (5, 'CopyHostToDevice'), (6, 'hipMemcpy'), (7, 'UserMarker'), (8, 'my step'),
         (9, 'Task'), (10, 'FillBuffer'), (11, 'OpTable::writeRows'), (12, 'Barrier');
       CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER,
         start INTEGER, "end" INTEGER, description_id INTEGER, opType_id INTEGER);
       INSERT INTO rocpd_op VALUES (1, 2, 0, 100, 150, 4, 3), (2, 2, 0, 160, 170, 1, 5),
         (3, 2, 0, 180, 190, 4, 9), (4, 2, 0, 191, 192, 1, 10), (5, 2, 0, 193, 199, 1, 12),
         (6, 2, 1, 210, 205, 4, 3);
       CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER,
         "end" INTEGER, apiName_id INTEGER, args_id INTEGER);
       INSERT INTO rocpd_api VALUES (10, 5, 6, 90, 95, 2, 1), (11, 5, 6, 155, 175, 6, 1),
         (12, 5, 6, 80, 300, 7, 8), (13, 5, 6, 85, 85, 7, 8), (14, 5, 6, 300, 301, 11, 1);
       CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);
       INSERT INTO rocpd_api_ops VALUES (1, 10, 1), (2, 11, 2), (3, 10, 1);
       CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER PRIMARY KEY, gridX INTEGER, gridY INTEGER,
         gridZ INTEGER, workgroupX INTEGER, workgroupY INTEGER, workgroupZ INTEGER,
         groupSegmentSize INTEGER, privateSegmentSize INTEGER);
       INSERT INTO rocpd_kernelapi VALUES (10, 7, 2, 1, 128, 1, 1, 64, 0);
       CREATE TABLE rocpd_copyapi (api_ptr_id INTEGER PRIMARY KEY, size INTEGER);
       INSERT INTO rocpd_copyapi VALUES (11, 4096);
       CREATE TABLE rocpd_monitor (deviceType TEXT, deviceId INTEGER, monitorType TEXT,
         start INTEGER, "end" INTEGER, value TEXT);
       INSERT INTO rocpd_monitor VALUES ('gpu', 0, 'sclk', 100, 200, '1700'),
         ('gpu', 0, 'sclk', 200, 300, 'fast');)";

TEST(RpdTest, operations_and_calls_are_told_apart_and_joined) {
  const auto loaded = read_trace_bytes(strobe::testing::sql_database(kRpdTables), "a.rpd");
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Trace& trace = loaded->trace;
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kKernel), (Total{3, 60}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kMemcpy), (Total{1, 10}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kMemset), (Total{1, 1}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kDeviceAnnotation), (Total{1, 6}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kRuntimeCall), (Total{2, 25}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kOverhead), (Total{1, 1}));
  EXPECT_EQ(strobe::testing::totals_by_name(trace, SliceKind::kAnnotation),
            (std::map<std::string, Total>{{"my step", {1, 220}}}));
  EXPECT_EQ(trace.instants().size(), 1u);
  EXPECT_EQ(trace.counters().size(), 1u);
  EXPECT_EQ(loaded->report[ImportIssue::kBadNumber].count, 1u);
  EXPECT_EQ(loaded->report[ImportIssue::kNegativeDuration].count, 1u);
  EXPECT_EQ(loaded->report[ImportIssue::kOrphanDeviceWork].count, 3u);  // the graph's and two more
}

TEST(RpdTest, sizes_come_from_the_calls) {
  const auto loaded = read_trace_bytes(strobe::testing::sql_database(kRpdTables), "a.rpd");
  ASSERT_TRUE(loaded);
  const Trace& trace = loaded->trace;
  ArgsReader args(trace.args());
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const std::string text(args.text(trace.slices().args[row]));
    if (trace.slices().kinds[row] == SliceKind::kMemcpy) {
      EXPECT_EQ(find(text, "bytes").as_int64(), 4096);
    }
    if (trace.slices().correlations[row] == 10 && trace.slices().kinds[row] == SliceKind::kKernel) {
      EXPECT_EQ(find(text, "grid").text, "[7,2,1]");
      EXPECT_EQ(find(text, "shared memory").as_int64(), 64);
    }
  }
}

TEST(RpdTest, tables_that_are_missing_are_not_needed) {
  const auto loaded = read_trace_bytes(
      strobe::testing::sql_database(kRpdTables +
                                    "DROP TABLE rocpd_api_ops; DROP TABLE rocpd_monitor;"
                                    "DROP TABLE rocpd_kernelapi; DROP TABLE rocpd_copyapi;"),
      "a.rpd");
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(strobe::testing::total_of(loaded->trace, SliceKind::kKernel), (Total{3, 60}));
}

TEST(RpdTest, damage_never_crashes) {
  strobe::testing::expect_survives(strobe::testing::sql_database(kRpdTables));
}

}  // namespace
}  // namespace strobe::readers

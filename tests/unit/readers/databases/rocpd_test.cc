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

// Tables with a number at the end of their names, and the views in front of them.
const std::string kRocpdTables =
    R"(CREATE TABLE rocpd_info_agent_1 (id INTEGER PRIMARY KEY, guid TEXT, type TEXT,
         absolute_index INTEGER, logical_index INTEGER, product_name TEXT, extdata TEXT);
       INSERT INTO rocpd_info_agent_1 VALUES (1, 'g', 'CPU', 0, 0, 'A CPU', '{}'),
         (2, 'g', 'GPU', 4, 2, 'AMD Instinct MI300X', '{"cu_count": 304}');
       CREATE VIEW rocpd_info_agent AS SELECT * FROM rocpd_info_agent_1;
       CREATE TABLE rocpd_info_process_1 (id INTEGER PRIMARY KEY, pid INTEGER, command TEXT);
       INSERT INTO rocpd_info_process_1 VALUES (5, 5, '/usr/bin/python3 train.py');
       CREATE VIEW rocpd_info_process AS SELECT * FROM rocpd_info_process_1;
       CREATE TABLE rocpd_event_1 (id INTEGER PRIMARY KEY, stack_id INTEGER, category TEXT,
         extdata TEXT);
       INSERT INTO rocpd_event_1 VALUES (1, 7, 'KERNEL_DISPATCH', '{}'),
         (2, 7, 'HIP_RUNTIME_API_EXT', '{}'), (3, 8, 'MEMORY_COPY', '{}'),
         (4, 9, 'MARKER_CORE_RANGE_API', '{"message": "my step"}'), (5, 10, 'MEMORY_ALLOCATION', '{}');
       CREATE TABLE rocpd_kernel_dispatch_1 (id INTEGER PRIMARY KEY, start INTEGER, "end" INTEGER,
         event_id INTEGER);
       INSERT INTO rocpd_kernel_dispatch_1 VALUES (1, 100, 150, 1), (2, 200, 190, 1), (3, 1, 2, 99);
       CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch_1;
       CREATE VIEW kernels AS SELECT K.id, 'g' AS guid, 5 AS pid, 6 AS tid, E.category,
         'f(int) [clone .kd]' AS name, 2 AS agent_logical_index, 1 AS queue_id, 3 AS stream_id,
         K.start AS start, K."end" AS "end", 512 AS grid_x, 1 AS grid_y, 1 AS grid_z,
         256 AS workgroup_x, 1 AS workgroup_y, 1 AS workgroup_z, E.stack_id
         FROM rocpd_kernel_dispatch K JOIN rocpd_event_1 E ON E.id = K.event_id;
       CREATE TABLE rocpd_region_1 (id INTEGER PRIMARY KEY, start INTEGER, "end" INTEGER,
         name TEXT, event_id INTEGER);
       INSERT INTO rocpd_region_1 VALUES (1, 90, 95, 'hipLaunchKernel', 2),
         (2, 80, 300, 'roctxThreadRangeA', 4);
       CREATE VIEW rocpd_region AS SELECT * FROM rocpd_region_1;
       CREATE VIEW regions AS SELECT R.id, 'g' AS guid, E.category, R.name, 5 AS pid, 6 AS tid,
         R.start, R."end", E.stack_id, E.extdata
         FROM rocpd_region R JOIN rocpd_event_1 E ON E.id = R.event_id;
       CREATE TABLE rocpd_memory_copy_1 (id INTEGER PRIMARY KEY, start INTEGER, "end" INTEGER,
         size INTEGER, event_id INTEGER);
       INSERT INTO rocpd_memory_copy_1 VALUES (1, 160, 170, 4096, 3);
       CREATE VIEW rocpd_memory_copy AS SELECT * FROM rocpd_memory_copy_1;
       CREATE VIEW memory_copies AS SELECT M.id, 'g' AS guid, 5 AS pid, 6 AS tid, E.category,
         'MEMORY_COPY_DEVICE_TO_HOST' AS name, M.start, M."end", M.size, 3 AS stream_id,
         2 AS src_agent_logical_index, 'GPU' AS src_agent_type, 0 AS dst_agent_logical_index,
         'CPU' AS dst_agent_type, E.stack_id
         FROM rocpd_memory_copy M JOIN rocpd_event_1 E ON E.id = M.event_id;
       CREATE TABLE rocpd_memory_allocate_1 (id INTEGER PRIMARY KEY, start INTEGER, "end" INTEGER,
         size INTEGER, event_id INTEGER);
       INSERT INTO rocpd_memory_allocate_1 VALUES (1, 50, 60, 1024, 5);
       CREATE VIEW rocpd_memory_allocate AS SELECT * FROM rocpd_memory_allocate_1;
       CREATE VIEW memory_allocations AS SELECT M.id, 'g' AS guid, 5 AS pid, 6 AS tid,
         'ALLOC' AS type, 'REAL' AS level, M.start, M."end", M.size, 77 AS address,
         2 AS agent_logical_index, 'GPU' AS agent_type FROM rocpd_memory_allocate M;)";

TEST(RocpdTest, the_views_become_a_trace) {
  const auto loaded = read_trace_bytes(strobe::testing::sql_database(kRocpdTables), "a.db");
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Trace& trace = loaded->trace;
  EXPECT_EQ(strobe::testing::totals_by_name(trace, SliceKind::kKernel),
            (std::map<std::string, Total>{{"f(int)", {2, 50}}}));
  EXPECT_EQ(strobe::testing::totals_by_name(trace, SliceKind::kMemcpy),
            (std::map<std::string, Total>{{"Memcpy DtoH (Device -> Host)", {1, 10}}}));
  EXPECT_EQ(strobe::testing::totals_by_name(trace, SliceKind::kRuntimeCall),
            (std::map<std::string, Total>{{"hipLaunchKernel", {1, 5}}}));
  EXPECT_EQ(strobe::testing::totals_by_name(trace, SliceKind::kAnnotation),
            (std::map<std::string, Total>{{"my step", {1, 220}}}));
  EXPECT_EQ(trace.memory().size(), 1u);
  ASSERT_EQ(trace.metadata().devices.size(), 1u);
  EXPECT_EQ(trace.metadata().devices[0].name, "AMD Instinct MI300X");
  EXPECT_EQ(trace.metadata().devices[0].multiprocessors, 304);
}

TEST(RocpdTest, rows_that_a_view_does_not_show_are_counted) {
  const auto loaded = read_trace_bytes(strobe::testing::sql_database(kRocpdTables), "a.db");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->report[ImportIssue::kMalformedEvent].count, 1u);
  EXPECT_EQ(loaded->report[ImportIssue::kNegativeDuration].count, 1u);
  EXPECT_EQ(loaded->report[ImportIssue::kOrphanDeviceWork].count, 1u);  // the copy
}

TEST(RocpdTest, copies_have_their_bytes) {
  const auto loaded = read_trace_bytes(strobe::testing::sql_database(kRocpdTables), "a.db");
  ASSERT_TRUE(loaded);
  ArgsReader args(loaded->trace.args());
  for (std::size_t row = 0; row < loaded->trace.slice_count(); ++row) {
    if (loaded->trace.slices().kinds[row] != SliceKind::kMemcpy) continue;
    EXPECT_EQ(find(args.text(loaded->trace.slices().args[row]), "bytes").as_int64(), 4096);
  }
}

TEST(RocpdTest, tables_that_no_view_shows_are_named) {
  const auto loaded = read_trace_bytes(
      strobe::testing::sql_database(
          kRocpdTables +
          "CREATE TABLE rocpd_region_2 AS SELECT * FROM rocpd_region_1;"
          "CREATE TABLE rocpd_pmc_event_1 (id INTEGER PRIMARY KEY, event_id INTEGER, value REAL);"
          "INSERT INTO rocpd_pmc_event_1 VALUES (1, 1, 0.5), (2, 1, 1.5);"
          "CREATE TABLE rocpd_string_2 (id INTEGER PRIMARY KEY, string TEXT);"
          "INSERT INTO rocpd_string_2 VALUES (1, 'a name')"),
      "a.db");
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->report[ImportIssue::kUnreadEvents].examples.size(), 1u);
  EXPECT_EQ(loaded->report[ImportIssue::kUnreadEvents].examples[0].detail,
            "2 in rocpd_pmc_event_1, 2 in rocpd_region_2");
}

// Damage can do it as well: pages that lead in circles.
TEST(RocpdTest, a_view_without_end_costs_only_itself) {
  std::string tables = kRocpdTables;
  const std::string view = "CREATE VIEW regions AS ";
  tables.insert(tables.find(view) + view.size(),
                "WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless) ");
  tables.insert(tables.find("FROM rocpd_region R", tables.find(view)) + 19, " JOIN endless");
  const std::string bytes = strobe::testing::sql_database(tables);
  const auto loaded = read_trace_bytes(bytes, "a.db");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(strobe::testing::total_of(loaded->trace, SliceKind::kKernel), (Total{2, 50}));
  EXPECT_EQ(strobe::testing::total_of(loaded->trace, SliceKind::kMemcpy).count, 1);
  EXPECT_LE(loaded->trace.slice_count(), bytes.size() + 4);
  ASSERT_EQ(loaded->report[ImportIssue::kDamagedChunk].count, 1u);
  EXPECT_EQ(loaded->report[ImportIssue::kDamagedChunk].examples[0].detail,
            "table regions: the database has more rows than its size allows: it is damaged");
}

TEST(RocpdTest, damage_never_crashes) {
  strobe::testing::expect_survives(strobe::testing::sql_database(kRocpdTables));
}

TEST(RocpdTest, a_kernel_has_what_the_hardware_counted) {
  const std::string counters =
      R"(CREATE TABLE rocpd_info_pmc_1 (id INTEGER PRIMARY KEY, guid TEXT, name TEXT);
         INSERT INTO rocpd_info_pmc_1 VALUES (1, 'g', 'FETCH_SIZE'), (2, 'h', 'SQ_INSTS');
         CREATE VIEW rocpd_info_pmc AS SELECT * FROM rocpd_info_pmc_1;
         CREATE TABLE rocpd_pmc_event_1 (id INTEGER PRIMARY KEY, guid TEXT, event_id INTEGER,
           pmc_id INTEGER, value REAL);
         INSERT INTO rocpd_pmc_event_1 VALUES (1, 'g', 1, 1, 10.5), (2, 'g', 1, 1, 2),
           (3, 'g', 5, 1, 4), (4, 'g', 1, 2, 4);
         CREATE VIEW rocpd_pmc_event AS SELECT * FROM rocpd_pmc_event_1;)";
  std::string tables = kRocpdTables;
  tables.replace(tables.find("1 AS workgroup_z,"), 17, "1 AS workgroup_z, K.event_id,");
  const auto loaded = read_trace_bytes(strobe::testing::sql_database(tables + counters), "a.db");
  ASSERT_TRUE(loaded) << loaded.error().what;
  ArgsReader args(loaded->trace.args());
  for (std::size_t row = 0; row < loaded->trace.slice_count(); ++row) {
    const std::string text(args.text(loaded->trace.slices().args[row]));
    const bool is_kernel = loaded->trace.slices().kinds[row] == SliceKind::kKernel;
    EXPECT_EQ(find(text, "counters").text, is_kernel ? R"({"FETCH_SIZE":12.5})" : "");
  }
  EXPECT_EQ(loaded->report[ImportIssue::kUnreadEvents].count, 1u);  // of the allocation
  EXPECT_EQ(loaded->report[ImportIssue::kLostName].count, 1u);      // of another recording
}

}  // namespace
}  // namespace strobe::readers

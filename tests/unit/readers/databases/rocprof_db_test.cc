#include <map>
#include <string>

#include <gtest/gtest.h>

#include "strobe/readers/databases/rocm_databases.h"
#include "strobe/readers/databases/table_rows.h"
#include "strobe/readers/trace_reader.h"
#include "tests/support/damage.h"
#include "tests/support/sql_database.h"
#include "tests/support/trace_totals.h"

namespace strobe::readers {
namespace {

using strobe::testing::Total;

const std::string kCountedRun =
    R"(CREATE TABLE KERN ("Index" INTEGER, "KernelName" TEXT, "gpu-id" INTEGER, "queue-id" INTEGER,
         "pid" INTEGER, "tid" INTEGER, "grd" INTEGER, "wgr" INTEGER, "BeginNs" INTEGER,
         "EndNs" INTEGER);
       INSERT INTO KERN VALUES (0, '"f(int) [clone .kd]"', 8, 0, 5, 5, 512, 256, 100, 150),
                               (1, '"f(int) [clone .kd]"', 8, 0, 5, 5, 512, 256, 200, 190);)";
const std::string kTracedRun =
    R"(CREATE TABLE OPS (BeginNs INTEGER, EndNs INTEGER, "dev-id" INTEGER, "queue-id" INTEGER,
         Name TEXT, pid INTEGER, tid INTEGER, "stream-id" INTEGER, "Index" INTEGER);
       INSERT INTO OPS VALUES (100, 140, 0, 1, 'f', 5, 5, 2, 7);
       CREATE TABLE COPY (BeginNs INTEGER, EndNs INTEGER, Name TEXT, pid INTEGER, tid INTEGER,
         "Index" INTEGER);
       INSERT INTO COPY VALUES (150, 170, 'CopyHostToDevice', 5, 5, 8), (180, 190, 'FillBuffer', 5, 5, 9);
       CREATE TABLE HIP (BeginNs INTEGER, EndNs INTEGER, pid INTEGER, tid INTEGER, Name TEXT,
         args TEXT, "Index" INTEGER);
       INSERT INTO HIP VALUES (90, 95, 5, 5, 'hipLaunchKernel', 'stream(2)', 7);
       CREATE TABLE rocTX (BeginNs INTEGER, EndNs INTEGER, pid INTEGER, tid INTEGER, Name TEXT);
       INSERT INTO rocTX VALUES (80, 200, 5, 5, 'my step');)";

TEST(RocprofDbTest, names_lose_their_quotes) {
  const auto loaded = read_trace_bytes(strobe::testing::sql_database(kCountedRun), "a.db");
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(strobe::testing::totals_by_name(loaded->trace, SliceKind::kKernel),
            (std::map<std::string, Total>{{"f(int)", {2, 50}}}));
  EXPECT_EQ(loaded->report[ImportIssue::kNegativeDuration].count, 1u);
  EXPECT_EQ(loaded->trace.tracks()[0].device, 8);
}

TEST(RocprofDbTest, a_traced_run_has_calls_copies_and_ranges_and_its_kernels_once) {
  const auto loaded =
      read_trace_bytes(strobe::testing::sql_database(kCountedRun + kTracedRun), "a.db");
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Trace& trace = loaded->trace;
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kKernel), (Total{1, 40}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kMemcpy), (Total{1, 20}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kMemset), (Total{1, 10}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kRuntimeCall), (Total{1, 5}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kAnnotation), (Total{1, 120}));
  EXPECT_EQ(loaded->report[ImportIssue::kUnreadEvents].count, 2u);
  EXPECT_EQ(loaded->report[ImportIssue::kOrphanDeviceWork].count, 2u);  // copy and fill
}

// Copies alone do not say that the run lists its kernels elsewhere.
TEST(RocprofDbTest, kernels_beside_copies_are_read_if_nothing_else_lists_them) {
  const auto loaded = read_trace_bytes(
      strobe::testing::sql_database(kCountedRun +
                                    "CREATE TABLE COPY (BeginNs INTEGER, EndNs INTEGER, Name TEXT);"
                                    "INSERT INTO COPY VALUES (150, 170, 'CopyHostToDevice')"),
      "a.db");
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(strobe::testing::total_of(loaded->trace, SliceKind::kKernel), (Total{2, 50}));
  EXPECT_EQ(loaded->report[ImportIssue::kUnreadEvents].count, 0u);
}

TEST(RocprofDbTest, damage_never_crashes) {
  strobe::testing::expect_survives(strobe::testing::sql_database(kCountedRun + kTracedRun));
}

}  // namespace
}  // namespace strobe::readers

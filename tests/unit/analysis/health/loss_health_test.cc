#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/health/health_sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::HasSubstr;

Health health_with(const ImportReport& import, const Loop& loop = {}) {
  Sketch sketch = sketch_of(loop);
  return health_of(sketch, import);
}

TEST(LossHealthTest, a_file_that_is_cut_off_is_usable_up_to_its_last_work) {
  ImportReport import;
  import.add(ImportIssue::kTruncatedFile, 4711);
  Sketch sketch = sketch_of({});  // the last kernel ends at 10.06 ms
  sketch.thread(1).slice("aten::mm", kOp, 40'000_us, 60_us);
  const auto remark = remark_of(health_of(sketch, import), "trace_cut_off");
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->verdict, HealthVerdict::kUsable);
  EXPECT_EQ(remark->seen, "the file is cut off, so a part of the trace is missing");
  EXPECT_EQ(remark->consequence,
            "the last GPU work ends 30.0 ms before the end: idle time after it cannot be trusted");
}

TEST(LossHealthTest, work_may_come_last_in_a_file) {
  ImportReport import;
  import.add(ImportIssue::kBadCompressedData, 4711);
  Sketch sketch;
  sketch.thread(1).slice("aten::mm", kOp, 0_us, 60_us);
  const auto remark = remark_of(health_of(sketch, import), "trace_cut_off");
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->consequence,
            "no GPU work is left, and nothing here tells how busy the GPU was");
}

TEST(LossHealthTest, what_the_recorder_dropped_is_told_with_its_share) {
  ImportReport import;
  import.add_many(ImportIssue::kDroppedRecords, 300);
  const Health health = health_with(import);
  EXPECT_EQ(health.verdict, HealthVerdict::kUsable);
  EXPECT_EQ(health.remarks.front().seen,
            "the device's tracing library dropped 300 of 400 records (75.0 %)");
}

TEST(LossHealthTest, every_loss_of_a_recording_has_its_remark) {
  ImportReport import;
  import.add_many(ImportIssue::kDiskFull, 5);
  import.add(ImportIssue::kDamagedChunk, 100);
  import.add(ImportIssue::kSourceFailed, 0, "another tool holds the device");
  import.add_many(ImportIssue::kDuplicateEventArray, 1);
  const Health health = health_with(import);
  EXPECT_EQ(health.verdict, HealthVerdict::kUsable);
  for (const char* code : {"disk_full", "damaged_parts", "source_failed", "events_skipped"}) {
    EXPECT_TRUE(remark_of(health, code)) << code;
  }
  EXPECT_EQ(remark_of(health, "source_failed")->seen,
            "a part of the recording failed: another tool holds the device");
}

TEST(LossHealthTest, a_single_event_among_thousands_is_only_a_note) {
  ImportReport import;
  import.event_count = 100'000;
  import.add_many(ImportIssue::kUnmatchedEnd, 99);
  EXPECT_EQ(health_with(import).verdict, HealthVerdict::kComplete);
  import.add_many(ImportIssue::kUnmatchedEnd, 1);
  EXPECT_EQ(health_with(import).verdict, HealthVerdict::kUsable);
}

TEST(LossHealthTest, durations_that_cannot_be_are_told) {
  ImportReport import;
  import.add_many(ImportIssue::kNegativeDuration, 3);  // of 300 slices
  const auto remark = remark_of(health_with(import), "impossible_durations");
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->verdict, HealthVerdict::kUsable);
  EXPECT_THAT(remark->seen, HasSubstr("3 of 300 slices (1.0 %) end before they start"));
}

TEST(LossHealthTest, a_step_that_never_ends_matters_and_one_range_of_many_does_not) {
  Sketch range = sketch_of({});
  range.thread(1).slice("open", kOp, 20'000_us, 5_us).flags(kUnfinished);
  EXPECT_EQ(health_of(range).verdict, HealthVerdict::kComplete);
  Sketch step = sketch_of({});
  step.thread(1).slice("Step#0", SliceKind::kStep, 20'000_us, 5_us).flags(kUnfinished);
  const Health health = health_of(step);
  EXPECT_EQ(health.verdict, HealthVerdict::kUsable);
  EXPECT_THAT(health.remarks.front().seen, HasSubstr("among them 1 step"));
}

TEST(LossHealthTest, a_trace_that_ends_where_writers_stop_is_suspicious) {
  ImportReport import;
  import.event_count = 1'000'000;
  auto remark = remark_of(health_with(import), "event_limit");
  ASSERT_TRUE(remark);
  EXPECT_THAT(remark->seen, HasSubstr("exactly 1,000,000 events, a number"));
  import.event_count = (1 << 20) + 12;
  import.events[{'M', ""}] = 12;
  remark = remark_of(health_with(import), "event_limit");
  ASSERT_TRUE(remark);
  EXPECT_THAT(remark->seen, HasSubstr("exactly 1,048,576 events beside its metadata"));
  import.event_count = 1'000'001;
  EXPECT_FALSE(remark_of(health_with(import), "event_limit"));
}

TEST(LossHealthTest, rows_in_a_log_beside_the_database_are_missing) {
  ImportReport import;
  import.add(ImportIssue::kUnreadLog, 0, "a.db-wal");
  const Health health = health_with(import);
  EXPECT_EQ(health.verdict, HealthVerdict::kUsable);
  const auto remark = remark_of(health, "unread_log");
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->seen,
            "the last rows of the database are still in a log beside it ('a.db-wal'), which strobe "
            "does not read");
  EXPECT_NE(remark->advice.find("PRAGMA wal_checkpoint"), std::string::npos);
}

}  // namespace
}  // namespace strobe::analysis

#include "strobe/report/summary/import_warning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/report/summary/summary_sketch.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;

TEST(ImportWarningTest, a_clean_or_repaired_trace_needs_no_warning) {
  ImportReport report;
  EXPECT_EQ(import_warning("a.json", report), "");
  report.add(ImportIssue::kNegativeDuration, 12);
  EXPECT_EQ(import_warning("a.json", report), "");
}

TEST(ImportWarningTest, a_killed_job_is_told_with_its_place) {
  ImportReport report;
  report.event_count = 91203;
  report.add(ImportIssue::kTruncatedFile, 48213110, "inside entry 91204");
  EXPECT_EQ(import_warning("run8.json", report),
            "'run8.json' ends inside entry 91204 (byte 48213110); kept 91,203 events");
}

TEST(ImportWarningTest, skipped_events_are_counted_by_reason) {
  ImportReport report;
  report.event_count = 7;
  report.add(ImportIssue::kMalformedEvent, 120);
  report.add(ImportIssue::kMalformedEvent, 99);
  report.add(ImportIssue::kMissingTime, 300);
  EXPECT_EQ(import_warning("a.json", report),
            "'a.json' has unreadable data: 2 entries are not JSON objects (first at byte 99), "
            "1 event has no time (at byte 300); kept 6 events");
}

TEST(ImportWarningTest, damage_is_told_once_although_the_text_also_ends_early) {
  ImportReport report;
  report.event_count = 1;
  report.add(ImportIssue::kBadCompressedData, 4096, "the checksum is wrong");
  report.add(ImportIssue::kTruncatedFile, 4096, "inside entry 2");
  EXPECT_EQ(import_warning("a.json.gz", report),
            "'a.json.gz' is damaged: the checksum is wrong; kept 1 event");
}

TEST(ImportWarningTest, tells_what_a_recording_lacks) {
  ImportReport report;
  report.event_count = 90;
  report.add_many(ImportIssue::kDroppedRecords, 10);
  report.add(ImportIssue::kUnfinishedRecording, 0);
  EXPECT_EQ(import_warning("process-7.strobe", report),
            "'process-7.strobe' is not finished: its process was killed or still runs; lacks 10 "
            "records that the tracing library dropped; kept 90 events");
  ImportReport logged;
  logged.add(ImportIssue::kUnreadLog, 0, "a.db-wal");
  EXPECT_EQ(import_warning("a.db", logged),
            "'a.db' lacks the rows that are still in 'a.db-wal' beside it; kept 0 events");
  ImportReport failed;
  failed.add(ImportIssue::kSourceFailed, 0, "another tool holds CUPTI");
  EXPECT_EQ(import_warning("a.strobe", failed),
            "'a.strobe' was not recorded as a whole: another tool holds CUPTI; kept 0 events");
}

class ImportSectionTest : public SummarySketch {};

TEST_F(ImportSectionTest, the_import_comes_last_and_only_when_something_is_wrong) {
  EXPECT_TRUE(document(only(View::kKernel)).sections.back().for_tools);
  import_.add(ImportIssue::kMissingCategory, 5);
  EXPECT_TRUE(document(only(View::kKernel)).sections.back().for_tools);
  import_.add(ImportIssue::kTruncatedFile, 48'213'110, "inside an object");
  const Document report = document(only(View::kKernel));
  EXPECT_THAT(keys(report), ElementsAre("kernels", "import"));
  EXPECT_FALSE(report.sections[1].for_tools);
  EXPECT_THAT(table_texts(report.sections[1].table),
              ElementsAre(ElementsAre("run.json", "lost", "1", "truncated_file",
                                      "the text ends inside the trace; kept what came before",
                                      "48,213,110", "inside an object")));
  EXPECT_EQ(document(only(View::kKernel), true).sections[1].table.rows.size(), 2u);
}

}  // namespace

}  // namespace strobe::report

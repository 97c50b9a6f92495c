#include "strobe/trace/import_report.h"

#include <gmock/gmock.h>

#include <set>

namespace strobe {
namespace {

std::vector<std::uint64_t> offsets_of(const ImportReport::Line& line) {
  std::vector<std::uint64_t> offsets;
  for (const ImportExample& example : line.examples) offsets.push_back(example.byte_offset);
  return offsets;
}

TEST(ImportReportTest, the_first_examples_by_offset_are_kept) {
  ImportReport report;
  for (const std::uint64_t offset : {50u, 10u, 40u, 30u, 20u}) {
    report.add(ImportIssue::kBadString, offset, "x");
  }
  EXPECT_EQ(report[ImportIssue::kBadString].count, 5u);
  EXPECT_THAT(offsets_of(report[ImportIssue::kBadString]), ::testing::ElementsAre(10, 20, 30));
}

TEST(ImportReportTest, a_trace_is_cut_off_if_its_text_or_its_packed_data_ends_early) {
  EXPECT_FALSE(ImportReport().is_cut_off());
  for (const ImportIssue issue : {ImportIssue::kTruncatedFile, ImportIssue::kBadCompressedData,
                                  ImportIssue::kUnfinishedRecording}) {
    ImportReport report;
    report.add(issue, 100);
    EXPECT_TRUE(report.is_cut_off());
  }
  ImportReport other;
  other.add(ImportIssue::kMalformedEvent, 100);
  EXPECT_FALSE(other.is_cut_off());
}

TEST(ImportReportTest, a_later_part_adds_its_counts_and_fills_the_examples) {
  ImportReport report;
  report.add(ImportIssue::kMissingTime, 5);
  report.event_count = 2;
  report.events[{'X', "kernel"}] = 2;
  ImportReport later;
  later.add(ImportIssue::kMissingTime, 100, "late");
  later.add_many(ImportIssue::kMissingTime, 10);
  later.event_count = 3;
  later.events[{'X', "kernel"}] = 1;
  later.events[{'i', ""}] = 2;
  report.append(later);
  EXPECT_EQ(report[ImportIssue::kMissingTime].count, 12u);
  EXPECT_THAT(offsets_of(report[ImportIssue::kMissingTime]), ::testing::ElementsAre(5, 100));
  EXPECT_EQ(report[ImportIssue::kMissingTime].examples[1].detail, "late");
  EXPECT_EQ(report.event_count, 5u);
  EXPECT_EQ((report.events[{'X', "kernel"}]), 3u);
  EXPECT_EQ((report.events[{'i', ""}]), 2u);
}

TEST(ImportReportTest, what_is_only_worth_knowing_leaves_the_report_clean) {
  ImportReport report;
  report.add(ImportIssue::kMissingCategory, 0);
  EXPECT_TRUE(report.is_clean());
  EXPECT_FALSE(report.lost_something());
}

TEST(ImportReportTest, a_repair_is_not_clean_but_loses_nothing) {
  ImportReport report;
  report.add(ImportIssue::kNegativeDuration, 0);
  EXPECT_FALSE(report.is_clean());
  EXPECT_FALSE(report.lost_something());
}

TEST(ImportReportTest, a_skipped_event_is_a_loss) {
  ImportReport report;
  report.add_many(ImportIssue::kMalformedEvent, 1);
  EXPECT_FALSE(report.is_clean());
  EXPECT_TRUE(report.lost_something());
}

TEST(ImportReportTest, every_issue_has_a_word_and_a_sentence_of_its_own) {
  std::set<std::string_view> words;
  std::set<std::string_view> sentences;
  for (int row = 0; row < static_cast<int>(ImportIssue::kCount_); ++row) {
    words.insert(word_of(static_cast<ImportIssue>(row)));
    sentences.insert(sentence_of(static_cast<ImportIssue>(row)));
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(ImportIssue::kCount_));
  EXPECT_EQ(sentences.size(), static_cast<std::size_t>(ImportIssue::kCount_));
  EXPECT_EQ(word_of(ImportIssue::kMalformedEvent), "malformed_event");
  EXPECT_EQ(sentence_of(ImportIssue::kMalformedEvent), "not a JSON object; skipped");
}

}  // namespace
}  // namespace strobe

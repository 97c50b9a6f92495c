#include "strobe/readers/recording/recorded_file.h"

#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include "strobe/wire/chunk_checksum.h"
#include "tests/unit/readers/recording/sink_sketch.h"

namespace strobe::readers {
namespace {

using test::RecordedSketch;
using test::RunFileSketch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::ChunkKind;

std::vector<std::uint64_t> column_of(const RecordedFile& file, ChunkKind kind, std::size_t column,
                                     ImportReport& report) {
  std::vector<std::uint64_t> values;
  file.for_each_block(kind, report, [&](const DecodedRows& rows) {
    values.insert(values.end(), rows.columns[column].begin(), rows.columns[column].end());
    return true;
  });
  return values;
}

// The offset of the n-th chunk of a kind.
std::uint64_t offset_of(const std::string& bytes, ChunkKind kind, int number = 0) {
  wire::ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  while (const auto chunk = cursor.next()) {
    if (chunk->header.kind == kind && number-- == 0) return chunk->offset;
  }
  ADD_FAILURE() << "there is no such chunk";
  return 0;
}

void break_chunk(std::string& bytes, std::uint64_t offset) {
  bytes[offset + sizeof(wire::ChunkHeader)] ^= 1;
}

TEST(RecordedFileTest, facts_definitions_and_rows_are_told_apart) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.process(17).fact("rank", "3");
    const auto main = run.thread(21, "main");
    run.call(main, "cudaMalloc", 100, 5, 1).call(main, "cudaFree", 200, 5, 2);
  });
  EXPECT_EQ(sketch.file().number_fact("rank"), 3);
  EXPECT_EQ(sketch.file().fact("program"), "python3");
  EXPECT_EQ(sketch.file().number_fact("program"), std::nullopt);
  EXPECT_EQ(sketch.file().fact("absent"), std::nullopt);
  ASSERT_EQ(sketch.file().segments().size(), 1u);
  const RecordedSegment& segment = sketch.file().segments()[0];
  EXPECT_EQ(segment.threads[0][wire::kThreadId], 21u);
  EXPECT_EQ(segment.text(segment.threads[0][wire::kThreadName]), "main");
  EXPECT_EQ(sketch.file().rows(), 2u) << "definitions are no events";
  ImportReport report;
  EXPECT_THAT(column_of(sketch.file(), ChunkKind::kCalls, wire::kCallStart, report),
              ElementsAre(100, 200));
}

TEST(RecordedFileTest, a_later_fact_replaces_an_earlier_one) {
  const RecordedSketch sketch(
      [](RunFileSketch& run) { run.fact("finished", "0").fact("finished", "1"); });
  EXPECT_EQ(sketch.file().fact("finished"), "1");
}

TEST(RecordedFileTest, a_segment_starts_again) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.thread(1, "a");
    run.segment();
    run.thread(2, "b");
  });
  ASSERT_EQ(sketch.file().segments().size(), 2u);
  EXPECT_EQ(sketch.file().segments()[0].threads[0][wire::kThreadId], 1u);
  EXPECT_EQ(sketch.file().segments()[1].threads[0][wire::kThreadId], 2u);
  EXPECT_EQ(sketch.file().segments()[1].text(1), "b");
}

TEST(RecordedFileTest, a_lost_chunk_shifts_no_numbers) {
  std::string bytes = test::run_file_bytes([](RunFileSketch& run) {
    run.thread(1, "a");
    run.thread(2, "b");
    run.thread(3, "c");
  });
  break_chunk(bytes, offset_of(bytes, ChunkKind::kThreads, 1));
  break_chunk(bytes, offset_of(bytes, ChunkKind::kTexts, 0));
  ImportReport report;
  const auto file = RecordedFile::take_apart(bytes, report);
  ASSERT_TRUE(file);
  const RecordedSegment& segment = file->segments()[0];
  ASSERT_EQ(segment.threads.size(), 3u);
  EXPECT_TRUE(segment.threads[0].is_known);
  EXPECT_FALSE(segment.threads[1].is_known);
  EXPECT_EQ(segment.threads[2][wire::kThreadId], 3u);
  EXPECT_EQ(segment.text(segment.threads[0][wire::kThreadName]), std::nullopt);
  EXPECT_EQ(segment.text(segment.threads[2][wire::kThreadName]), "c");
  EXPECT_EQ(report[ImportIssue::kDamagedChunk].count, 2u);
}

TEST(RecordedFileTest, a_segment_whose_own_chunk_is_lost_starts_again_all_the_same) {
  std::string bytes = test::run_file_bytes([](RunFileSketch& run) {
    run.call(run.thread(1, "a"), "first", 10, 5, 1);
    run.segment();
    run.call(run.thread(2, "b"), "second", 20, 5, 1);
  });
  bytes[offset_of(bytes, ChunkKind::kSegment, 1) + 9] ^= 1;  // it has no payload
  ImportReport report;
  const auto file = RecordedFile::take_apart(bytes, report);
  ASSERT_TRUE(file);
  ASSERT_EQ(file->segments().size(), 2u);
  EXPECT_EQ(file->segments()[0].threads[0][wire::kThreadId], 1u);
  EXPECT_EQ(file->segments()[1].threads[0][wire::kThreadId], 2u);
  EXPECT_EQ(report[ImportIssue::kDamagedChunk].count, 1u);
}

TEST(RecordedFileTest, a_file_that_ends_inside_a_chunk_is_cut_off) {
  const std::string bytes = test::run_file_bytes([](RunFileSketch& run) { run.thread(1, "a"); });
  ImportReport report;
  ASSERT_TRUE(RecordedFile::take_apart(std::span(bytes).first(bytes.size() - 8), report));
  EXPECT_TRUE(report.is_cut_off());
  EXPECT_EQ(report[ImportIssue::kDamagedChunk].count, 0u);
}

TEST(RecordedFileTest, nothing_whole_is_an_error) {
  ImportReport report;
  const auto file = RecordedFile::take_apart(std::string(500, 'x'), report);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().what, HasSubstr("damaged"));
}

// Changes the header of the first chunk, with a checksum that fits.
template <class Change>
std::string with_header(std::string bytes, std::uint64_t offset, Change change) {
  wire::ChunkHeader header = {};
  std::memcpy(&header, bytes.data() + offset, sizeof header);
  change(header);
  const auto* payload =
      reinterpret_cast<const std::uint8_t*>(bytes.data()) + offset + sizeof header;
  header.checksum = wire::chunk_checksum(header, {payload, header.payload_bytes});
  std::memcpy(bytes.data() + offset, &header, sizeof header);
  return bytes;
}

TEST(RecordedFileTest, a_newer_format_is_refused) {
  const std::string bytes = test::run_file_bytes([](RunFileSketch&) {});
  ImportReport report;
  const std::string changed =
      with_header(bytes, 0, [](wire::ChunkHeader& header) { header.version = 2; });
  const auto file = RecordedFile::take_apart(changed, report);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().what, HasSubstr("newer strobe"));
}

TEST(RecordedFileTest, an_impossible_number_takes_no_memory) {
  const std::string bytes = test::run_file_bytes([](RunFileSketch& run) { run.thread(1); });
  ImportReport report;
  const std::string changed =
      with_header(bytes, offset_of(bytes, ChunkKind::kThreads),
                  [](wire::ChunkHeader& header) { header.first_row = std::uint64_t{1} << 60; });
  const auto file = RecordedFile::take_apart(changed, report);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->segments()[0].threads.empty());
  EXPECT_EQ(report[ImportIssue::kDamagedChunk].count, 1u);
}

// Each chunk leaves a gap that a full disk might have left; all of them together cannot be true.
TEST(RecordedFileTest, gaps_of_all_segments_have_one_limit) {
  constexpr std::uint64_t kGap = 400'000;  // of threads with two columns each
  std::string bytes = test::run_file_bytes([](RunFileSketch& run) {
    for (int i = 0; i < 5; ++i) run.segment().rows(ChunkKind::kThreads, {{1, 0}});
  });
  for (int i = 0; i < 5; ++i) {
    bytes = with_header(bytes, offset_of(bytes, ChunkKind::kThreads, i),
                        [](wire::ChunkHeader& header) { header.first_row = kGap; });
  }
  ImportReport report;
  const auto file = RecordedFile::take_apart(bytes, report);
  ASSERT_TRUE(file);
  std::vector<std::size_t> threads;
  for (const RecordedSegment& segment : file->segments()) threads.push_back(segment.threads.size());
  std::erase(threads, 0u);
  EXPECT_THAT(threads, ElementsAre(kGap + 1));
  EXPECT_EQ(report[ImportIssue::kDamagedChunk].count, 4u);
}

TEST(RecordedFileTest, texts_with_impossible_numbers_are_reported) {
  const std::string bytes = test::run_file_bytes([](RunFileSketch& run) { run.thread(1, "a"); });
  ImportReport report;
  const std::string changed =
      with_header(bytes, offset_of(bytes, ChunkKind::kTexts),
                  [](wire::ChunkHeader& header) { header.first_row = 2'000'000; });
  const auto file = RecordedFile::take_apart(changed, report);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->segments()[0].texts.empty());
  EXPECT_EQ(report[ImportIssue::kDamagedChunk].count, 1u);
}

TEST(RecordedFileTest, a_long_text_is_cut_between_two_characters) {
  const std::string longest(64 << 10, 'x');
  const std::string longer = longest.substr(1) + "\xc3\xa9";  // its last character does not fit
  const RecordedSketch sketch([&](RunFileSketch& run) {
    run.thread(1, longest);
    run.thread(2, longer);
  });
  const RecordedSegment& segment = sketch.file().segments()[0];
  EXPECT_EQ(segment.text(segment.threads[0][wire::kThreadName]), longest);
  EXPECT_EQ(segment.text(segment.threads[1][wire::kThreadName]), longest.substr(1));
  EXPECT_EQ(sketch.report[ImportIssue::kBadString].count, 1u);
}

TEST(RecordedFileTest, rows_that_cannot_be_decoded_are_reported) {
  const std::string bytes = test::run_file_bytes([](RunFileSketch& run) { run.work(0, 5, 6, 7); });
  ImportReport report;
  const std::string changed = with_header(bytes, offset_of(bytes, ChunkKind::kWork),
                                          [](wire::ChunkHeader& header) { header.rows = 2; });
  const auto file = RecordedFile::take_apart(changed, report);
  ASSERT_TRUE(file);
  EXPECT_TRUE(column_of(*file, ChunkKind::kWork, wire::kWorkStart, report).empty());
  EXPECT_EQ(report[ImportIssue::kDamagedChunk].count, 1u);
}

TEST(RecordedFileTest, rows_that_cannot_be_there_are_not_counted) {
  const std::string bytes = test::run_file_bytes([](RunFileSketch& run) { run.work(0, 5, 6, 7); });
  ImportReport report;
  const std::string changed =
      with_header(bytes, offset_of(bytes, ChunkKind::kWork),
                  [](wire::ChunkHeader& header) { header.rows = 4'000'000'000; });
  const auto file = RecordedFile::take_apart(changed, report);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->rows(), 0u);
  EXPECT_EQ(report[ImportIssue::kDamagedChunk].count, 1u);
}

TEST(RecordedFileTest, a_row_takes_a_byte_in_each_column) {
  const std::string bytes = test::run_file_bytes([](RunFileSketch& run) { run.work(0, 5, 6, 7); });
  ImportReport report;
  const std::string changed =
      with_header(bytes, offset_of(bytes, ChunkKind::kWork),
                  [](wire::ChunkHeader& header) { header.rows = header.payload_bytes / 2; });
  const auto file = RecordedFile::take_apart(changed, report);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->rows(), 0u);
  EXPECT_EQ(report[ImportIssue::kDamagedChunk].count, 1u);
}

TEST(RecordedFileTest, rows_without_a_usable_time_are_left_out) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.rows(ChunkKind::kWork, {{0, 10, 1, 1},
                                {0, 0, 2, 2},
                                {0, std::uint64_t{1} << 63, 3, 3},
                                {0, 20, std::uint64_t{1} << 60, 4}});
  });
  ImportReport report;
  EXPECT_THAT(column_of(sketch.file(), ChunkKind::kWork, wire::kWorkCorrelation, report),
              ElementsAre(1, 4));
  EXPECT_EQ(report[ImportIssue::kMissingTime].count, 2u);
  EXPECT_EQ(report[ImportIssue::kAbsurdTime].count, 1u);
  EXPECT_THAT(column_of(sketch.file(), ChunkKind::kWork, wire::kWorkDuration, report),
              ElementsAre(1, 0));
}

TEST(RecordedFileTest, chunks_of_unknown_kinds_are_left_out) {
  const std::string bytes =
      test::run_file_bytes([](RunFileSketch& run) { run.work(0, 5, 6, 7).work(0, 8, 9, 10); });
  ImportReport report;
  const std::string changed =
      with_header(bytes, offset_of(bytes, ChunkKind::kWork),
                  [](wire::ChunkHeader& header) { header.kind = static_cast<ChunkKind>(99); });
  const auto file = RecordedFile::take_apart(changed, report);
  ASSERT_TRUE(file);
  EXPECT_THAT(column_of(*file, ChunkKind::kWork, wire::kWorkStart, report), ElementsAre(8));
  EXPECT_TRUE(report.is_clean());
}

}  // namespace
}  // namespace strobe::readers

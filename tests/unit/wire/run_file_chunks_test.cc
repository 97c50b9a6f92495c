#include "strobe/wire/run_file_chunks.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "strobe/wire/chunk_checksum.h"
#include "tests/support/run_file_sketch.h"

namespace strobe::wire {
namespace {

using test::RunFileSketch;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::span<const std::uint8_t> as_bytes(const std::string& file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

std::vector<Chunk> whole_chunks(const std::string& file, std::vector<DamagedBytes>* damage) {
  ChunkCursor cursor(as_bytes(file));
  std::vector<Chunk> chunks;
  while (const auto chunk = cursor.next()) chunks.push_back(*chunk);
  if (damage != nullptr) *damage = cursor.damage();
  return chunks;
}

// Segment, and four chunks of one row each.
std::string four_threads() {
  return test::run_file_bytes([](RunFileSketch& run) {
    for (const std::uint64_t id : {11, 12, 13, 14}) run.rows(ChunkKind::kThreads, {{id, 0}});
  });
}

TEST(RunFileChunksTest, a_file_is_recognised_by_its_first_bytes) {
  const std::string file = four_threads();
  EXPECT_TRUE(begins_like_run_file(file));
  EXPECT_FALSE(begins_like_run_file(std::string_view(file).substr(0, 7)));
  EXPECT_FALSE(begins_like_run_file("STROBEKR"));
  EXPECT_FALSE(begins_like_run_file(""));
}

TEST(RunFileChunksTest, a_damaged_chunk_is_skipped_and_located) {
  std::string file = four_threads();
  const std::vector<Chunk> before = whole_chunks(file, nullptr);
  const Chunk broken = before[3];
  file[broken.offset + sizeof(ChunkHeader)] ^= 1;
  std::vector<DamagedBytes> damage;
  const std::vector<Chunk> after = whole_chunks(file, &damage);
  EXPECT_EQ(after.size(), before.size() - 1);
  ASSERT_THAT(damage, SizeIs(1));
  EXPECT_EQ(damage[0].offset, broken.offset);
  EXPECT_EQ(damage[0].bytes, before[4].offset - broken.offset);
  EXPECT_FALSE(damage[0].is_at_end);
}

TEST(RunFileChunksTest, a_file_that_ends_inside_a_chunk_keeps_the_others) {
  const std::string file = four_threads();
  const std::vector<Chunk> all = whole_chunks(file, nullptr);
  const std::uint64_t last = all.back().offset;
  std::vector<DamagedBytes> damage;
  EXPECT_THAT(whole_chunks(file.substr(0, last + 3), &damage), SizeIs(all.size() - 1));
  ASSERT_THAT(damage, SizeIs(1));
  EXPECT_TRUE(damage[0].is_at_end);
  EXPECT_THAT(whole_chunks(file.substr(0, last), &damage), SizeIs(all.size() - 1));
  EXPECT_THAT(damage, IsEmpty()) << "a cut between chunks leaves no trace";
}

TEST(RunFileChunksTest, bytes_that_are_no_file_have_no_chunks) {
  std::vector<DamagedBytes> damage;
  EXPECT_THAT(whole_chunks("", &damage), IsEmpty());
  EXPECT_THAT(damage, IsEmpty());
  EXPECT_THAT(whole_chunks(std::string(1000, 'x'), &damage), IsEmpty());
  EXPECT_THAT(damage, SizeIs(1));
}

TEST(RunFileChunksTest, a_length_beyond_the_file_is_damage) {
  std::string file = four_threads();
  ChunkHeader header = {};
  std::memcpy(&header, file.data(), sizeof header);
  header.payload_bytes = 0xffffffff;
  std::memcpy(file.data(), &header, sizeof header);
  EXPECT_THAT(whole_chunks(file, nullptr), SizeIs(5));
}

// Headers without chunks: each claims all that follows, and then a whole file.
std::string with_false_headers(std::size_t count) {
  const std::string whole = four_threads();
  std::string file;
  for (std::size_t left = count; left > 0; --left) {
    ChunkHeader header = {};
    std::memcpy(header.magic, kChunkMagic, sizeof kChunkMagic);
    header.payload_bytes = static_cast<std::uint32_t>((left - 1) * sizeof header + whole.size());
    file.append(reinterpret_cast<const char*>(&header), sizeof header);
  }
  return file + whole;
}

TEST(RunFileChunksTest, the_search_for_a_whole_chunk_ends) {
  std::vector<DamagedBytes> damage;
  const std::size_t chunks = whole_chunks(four_threads(), nullptr).size();
  EXPECT_THAT(whole_chunks(with_false_headers(100), &damage), SizeIs(chunks));
  EXPECT_THAT(damage, SizeIs(1));
  const std::string hostile = with_false_headers(4000);
  EXPECT_THAT(whole_chunks(hostile, &damage), IsEmpty());
  ASSERT_THAT(damage, SizeIs(1));
  EXPECT_EQ(damage[0].offset, 0u);
  EXPECT_EQ(damage[0].bytes, hostile.size());
  EXPECT_TRUE(damage[0].is_at_end);
}

// A chunk around any payload, with a checksum that fits.
Chunk chunk_around(ChunkKind kind, std::uint32_t rows, std::uint32_t columns,
                   std::span<const std::uint8_t> payload) {
  Chunk chunk;
  chunk.header.kind = kind;
  chunk.header.rows = rows;
  chunk.header.columns = columns;
  chunk.payload = payload;
  return chunk;
}

TEST(RunFileChunksTest, numbers_of_every_length_read_back_in_blocks) {
  std::mt19937_64 random(7);
  ChunkRows rows(ChunkKind::kSamples);
  std::vector<std::vector<std::uint64_t>> expected(kSampleColumns);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t row[] = {random() >> (random() % 64), random() >> (random() % 64),
                                 random()};
    rows.add(row);
    for (std::size_t column = 0; column < kSampleColumns; ++column) {
      expected[column].push_back(row[column]);
    }
  }
  const testing::TemporaryFolder folder;
  RunFileWriter writer;
  ASSERT_TRUE(writer.open((folder / "a.strobe").string()));
  writer.write(rows);
  writer.close();
  const std::string file = testing::bytes_of(folder / "a.strobe");
  const Chunk chunk = whole_chunks(file, nullptr).back();
  Columns whole;
  ASSERT_TRUE(decode_columns(chunk, whole));
  EXPECT_EQ(whole, expected);
  RowBlocks blocks(chunk);
  Columns block;
  std::size_t done = 0;
  while (const std::size_t count = blocks.next(block, 999)) {
    for (std::size_t column = 0; column < kSampleColumns; ++column) {
      const auto first = expected[column].begin() + static_cast<std::ptrdiff_t>(done);
      EXPECT_TRUE(std::equal(block[column].begin(), block[column].end(), first));
    }
    done += count;
  }
  EXPECT_EQ(done, 10'000u);
  EXPECT_FALSE(blocks.is_damaged());
}

TEST(RunFileChunksTest, columns_that_do_not_fit_their_rows_are_refused) {
  const std::uint8_t good[] = {2, 0, 0, 0, 7, 8, 2, 0, 0, 0, 1, 2};
  Columns columns;
  ASSERT_TRUE(decode_columns(chunk_around(ChunkKind::kThreads, 2, 2, good), columns));
  EXPECT_THAT(columns[kThreadId], ElementsAre(7, 8));
  EXPECT_FALSE(decode_columns(chunk_around(ChunkKind::kThreads, 3, 2, good), columns));
  EXPECT_FALSE(decode_columns(chunk_around(ChunkKind::kThreads, 1, 2, good), columns));
  EXPECT_FALSE(decode_columns(chunk_around(ChunkKind::kThreads, 2, 1, good), columns));
  EXPECT_FALSE(decode_columns(chunk_around(ChunkKind::kThreads, 4'000'000'000, 2, good), columns));
  const std::uint8_t long_column[] = {200, 0, 0, 0, 7, 8};
  EXPECT_FALSE(decode_columns(chunk_around(ChunkKind::kThreads, 2, 2, long_column), columns));
  EXPECT_FALSE(decode_columns(chunk_around(ChunkKind::kThreads, 2, 2, {}), columns));
}

TEST(RunFileChunksTest, a_row_takes_a_byte_in_each_column) {
  const std::uint8_t payload[100] = {};
  EXPECT_FALSE(has_room_for_rows(chunk_around(ChunkKind::kThreads, 51, 2, payload)));
  EXPECT_TRUE(has_room_for_rows(chunk_around(ChunkKind::kThreads, 50, 2, payload)));
  EXPECT_TRUE(RowBlocks(chunk_around(ChunkKind::kThreads, 51, 2, payload)).is_damaged());
  EXPECT_TRUE(has_room_for_rows(chunk_around(ChunkKind::kTexts, 100, 0, payload)));
}

TEST(RunFileChunksTest, columns_of_a_newer_version_are_left_out) {
  const std::uint8_t wider[] = {1, 0, 0, 0, 7, 1, 0, 0, 0, 1, 1, 0, 0, 0, 99};
  Columns columns;
  ASSERT_TRUE(decode_columns(chunk_around(ChunkKind::kThreads, 1, 3, wider), columns));
  EXPECT_THAT(columns, ElementsAre(ElementsAre(7), ElementsAre(1)));
}

TEST(RunFileChunksTest, texts_before_a_damaged_one_are_kept) {
  const std::uint8_t texts[] = {1, 'a', 0, 2, 'b', 'c', 9, 'd'};
  EXPECT_THAT(decode_texts(chunk_around(ChunkKind::kTexts, 4, 0, texts)),
              ElementsAre("a", "", "bc"));
}

}  // namespace
}  // namespace strobe::wire

#include "strobe/readers/recording/row_stream.h"

#include <gmock/gmock.h>

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/run_file_sketch.h"

namespace strobe::readers {
namespace {

using test::RunFileSketch;
using ::testing::SizeIs;

constexpr std::uint64_t kChunks = 7;
constexpr std::uint64_t kRowsEach = 3 * wire::RowBlocks::kMostRows + 5;  // more than the queue has

// Chunks of kernels, numbered by their start; the chunk `damaged` has a byte too many.
class KernelChunks {
 public:
  explicit KernelChunks(std::optional<std::uint64_t> damaged = std::nullopt)
      : bytes_(test::run_file_bytes([](RunFileSketch& run) {
          for (std::uint64_t chunk = 0; chunk < kChunks; ++chunk) {
            wire::ChunkRows rows(wire::ChunkKind::kWork);
            for (std::uint64_t row = 0; row < kRowsEach; ++row) {
              rows.add({row % 3, chunk * kRowsEach + row, 1000 + row, row});
            }
            run.writer().write(rows);
          }
        })) {
    wire::ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size()});
    while (const auto chunk = cursor.next()) {
      if (chunk->header.kind != wire::ChunkKind::kWork) continue;
      chunks_.push_back({*chunk, static_cast<std::uint32_t>(chunks_.size())});
      if (chunks_.size() - 1 == damaged) --chunks_.back().chunk.header.rows;
    }
  }

  std::span<const RowChunk> all() const { return chunks_; }

 private:
  std::string bytes_;
  std::vector<RowChunk> chunks_;
};

using Row = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>;  // segment, shape, start

struct TakenRows {
  std::vector<Row> rows;
  std::vector<std::uint32_t> damaged_segments;

  bool operator==(const TakenRows&) const = default;
};

TakenRows take_all(std::span<const RowChunk> chunks, bool ahead) {
  TakenRows taken;
  RowBlockQueue blocks(chunks, ahead);
  while (const DecodedRows* block = blocks.next()) {
    if (block->is_damaged) taken.damaged_segments.push_back(block->segment);
    for (std::size_t row = 0; row < block->rows; ++row) {
      taken.rows.emplace_back(block->segment, block->at(wire::kWorkShape, row),
                              block->at(wire::kWorkStart, row));
    }
  }
  return taken;
}

TEST(RowBlockQueueTest, a_thread_of_its_own_gives_the_same_rows_in_the_same_order) {
  const KernelChunks chunks;
  const TakenRows taken = take_all(chunks.all(), false);
  ASSERT_THAT(taken.rows, SizeIs(kChunks * kRowsEach));
  for (std::uint64_t i = 0; i < taken.rows.size(); ++i) {
    const std::uint64_t in_chunk = i % kRowsEach;
    ASSERT_EQ(taken.rows[i], Row(i / kRowsEach, in_chunk % 3, i));
  }
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(take_all(chunks.all(), true), taken);
  }
}

TEST(RowBlockQueueTest, a_damaged_chunk_is_told_and_the_next_ones_are_decoded) {
  const KernelChunks chunks(2);
  const TakenRows taken = take_all(chunks.all(), false);
  EXPECT_THAT(taken.damaged_segments, ::testing::ElementsAre(2u));
  EXPECT_EQ(std::get<0>(taken.rows.back()), kChunks - 1);
  EXPECT_EQ(take_all(chunks.all(), true), taken);
}

TEST(RowBlockQueueTest, whoever_has_seen_enough_may_leave) {
  const KernelChunks chunks;
  for (std::size_t blocks = 0; blocks < 8; ++blocks) {
    RowBlockQueue queue(chunks.all(), true);
    for (std::size_t i = 0; i < blocks; ++i) ASSERT_NE(queue.next(), nullptr);
  }
}

TEST(RowBlockQueueTest, no_chunks_have_no_rows) {
  for (const bool ahead : {false, true}) {
    RowBlockQueue queue({}, ahead);
    EXPECT_EQ(queue.next(), nullptr);
    EXPECT_EQ(queue.next(), nullptr) << "and stay so";
  }
}

}  // namespace
}  // namespace strobe::readers

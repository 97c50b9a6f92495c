#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "strobe/wire/run_file_chunks.h"

namespace strobe::readers {

// A chunk whose rows are not decoded yet.
struct RowChunk {
  wire::Chunk chunk;
  std::uint32_t segment = 0;
};

// Some rows of a chunk.
struct DecodedRows {
  wire::Columns columns;
  std::size_t rows = 0;
  std::uint32_t segment = 0;
  wire::ChunkKind kind = {};
  std::uint64_t offset = 0;  // of the chunk
  bool is_damaged = false;   // the rest of the chunk cannot be decoded

  const std::uint64_t* column(std::size_t number) const { return columns[number].data(); }
  std::uint64_t at(std::size_t column, std::size_t row) const { return columns[column][row]; }
  std::int64_t time(std::size_t column, std::size_t row) const {
    return static_cast<std::int64_t>(columns[column][row]);
  }
};

// The rows of some chunks, block by block.
class RowStream {
 public:
  explicit RowStream(std::span<const RowChunk> chunks) : chunks_(chunks) {}

  // False after the last block.
  bool next(DecodedRows& rows);

 private:
  std::span<const RowChunk> chunks_;  // the first one is being decoded
  std::optional<wire::RowBlocks> blocks_;
};

// The same; `ahead`: decoded in a thread of its own while the blocks before are used.
class RowBlockQueue {
 public:
  RowBlockQueue(std::span<const RowChunk> chunks, bool ahead);
  ~RowBlockQueue();

  // Valid until the next call; nullptr after the last block. What the thread has thrown (memory may
  // run out) is thrown here.
  DecodedRows* next();

 private:
  static constexpr std::size_t kBlocks = 16;

  void decode_all();
  bool wait_for_room();

  RowStream stream_;
  std::array<DecodedRows, kBlocks> blocks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t decoded_ = 0;  // blocks so far, under mutex_ like the rest
  std::size_t used_ = 0;
  bool is_used_ = false;  // the caller has a block
  bool is_at_end_ = false;
  bool is_stopped_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // uses all of the above
};

}  // namespace strobe::readers

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/wire/run_file.h"

// Reading the chunks of a file of a recorded run. Damage is found here: what is returned is whole.
namespace strobe::wire {

struct Chunk {
  ChunkHeader header = {};
  std::span<const std::uint8_t> payload;
  std::uint64_t offset = 0;  // in the file
};

// What lies between whole chunks, or after the last one.
struct DamagedBytes {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool is_at_end = false;  // the file ends inside of a chunk: its writer was killed
};

// Goes through a file from its start. Where a chunk is damaged, it searches for the next whole one;
// if that takes too long, the rest of the file counts as damaged.
class ChunkCursor {
 public:
  explicit ChunkCursor(std::span<const std::uint8_t> file) noexcept : file_(file) {}

  std::optional<Chunk> next();
  const std::vector<DamagedBytes>& damage() const noexcept { return damage_; }

 private:
  std::optional<Chunk> chunk_at(std::uint64_t offset) noexcept;
  bool is_hopeless() const noexcept;

  std::span<const std::uint8_t> file_;
  std::uint64_t offset_ = 0;
  std::uint64_t hashed_in_vain_ = 0;  // bytes of what only looked like a chunk
  std::vector<DamagedBytes> damage_;
};

bool begins_like_run_file(std::string_view first_bytes) noexcept;

// Every number takes at least one byte: a count that cannot be true must not take memory.
bool has_room_for_rows(const Chunk& chunk) noexcept;

using Columns = std::vector<std::vector<std::uint64_t>>;

// The rows of a chunk, column by column: columns[kWorkStart][row]. False if a column has not
// exactly one number per row. Columns that this version does not know are left out.
bool decode_columns(const Chunk& chunk, Columns& columns);

// The same in blocks of rows that stay in a processor's cache while they are used.
class RowBlocks {
 public:
  static constexpr std::size_t kMostRows = 2048;

  explicit RowBlocks(const Chunk& chunk) noexcept;

  // The number of rows of the next block; 0 at the end, and where the chunk is damaged.
  std::size_t next(Columns& columns, std::size_t most = kMostRows);
  bool is_damaged() const noexcept { return is_damaged_; }

 private:
  struct Column {
    Coding coding = Coding::kPlain;
    std::uint64_t before = 0;
    std::span<const std::uint8_t> left;
  };
  class Reading;
  template <std::size_t... Places>
  bool decode(std::size_t first, std::size_t rows, Columns& columns,
              std::index_sequence<Places...> places) noexcept;

  std::vector<Column> columns_;
  std::size_t rows_left_ = 0;
  bool is_damaged_ = false;
};

// The texts of kTexts and kFacts, one after the other; those before the first damaged one.
std::vector<std::string_view> decode_texts(const Chunk& chunk);

}  // namespace strobe::wire

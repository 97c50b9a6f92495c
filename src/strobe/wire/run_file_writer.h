#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "strobe/wire/run_file.h"
#include "strobe/wire/varint.h"

// Writing a file of a recorded run. Nothing here throws or prints: it is also used inside other
// people's processes.
namespace strobe::wire {

// Rows of one kind on their way into a chunk, already encoded: about 8 bytes a row.
class ChunkRows {
 public:
  explicit ChunkRows(ChunkKind kind) noexcept;

  // One value per column, in the order of the kind's enum; signed values as their 64 bits.
  void add(std::span<const std::uint64_t> values) noexcept;
  void add(std::initializer_list<std::uint64_t> values) noexcept {
    add(std::span(values.begin(), values.size()));
  }

  ChunkKind kind() const noexcept { return kind_; }
  std::uint32_t rows() const noexcept { return rows_; }
  std::size_t bytes() const noexcept;
  void clear() noexcept;  // keeps its memory

 private:
  friend class RunFileWriter;

  struct Column {
    Coding coding = Coding::kPlain;
    std::uint64_t before = 0;
    std::vector<std::uint8_t> bytes;
  };
  ChunkKind kind_;
  std::uint32_t rows_ = 0;
  std::vector<Column> columns_;
};

// Appends chunks to a file. Every call is safe from several threads at once.
class RunFileWriter {
 public:
  RunFileWriter() = default;
  RunFileWriter(const RunFileWriter&) = delete;
  RunFileWriter& operator=(const RunFileWriter&) = delete;
  ~RunFileWriter();

  // Creates the file, readable only by its owner, and starts its first segment; false if it exists
  // or cannot be made.
  bool open(const std::string& path) noexcept;
  bool is_open() const noexcept { return descriptor_ >= 0; }
  // Goes on in another file, whose texts, threads, shapes and series are numbered from 0 again.
  // What was interned before must be interned again.
  bool next_file(const std::string& path) noexcept;
  // The same in this file.
  void next_segment() noexcept;
  void close() noexcept;
  // A forked child closes its copy of the file without writing to it.
  void abandon() noexcept;

  void facts(std::span<const std::pair<std::string_view, std::string_view>> pairs) noexcept;
  void fact(std::string_view key, std::string_view value) noexcept;
  // The number of a text, which is written before the next chunk that follows.
  std::uint64_t text(std::string_view text) noexcept;
  void note(NoteWhat what, std::string_view text, std::uint64_t count = 0) noexcept;
  // Writes the rows as one chunk, after the texts that were interned so far, and clears them. On a
  // full disk the rows are lost and counted; a later chunk may have room again.
  void write(ChunkRows& rows) noexcept;

  std::uint64_t file_bytes() const noexcept { return file_bytes_; }
  std::uint64_t lost_rows() const noexcept { return lost_rows_; }

 private:
  void begin_segment() noexcept;
  void write_texts() noexcept;
  bool append(ChunkKind kind, std::uint32_t rows, std::uint32_t columns) noexcept;  // scratch_
  void note_losses() noexcept;

  mutable std::recursive_mutex mutex_;
  int descriptor_ = -1;
  std::uint64_t file_bytes_ = 0;  // whole chunks
  std::uint64_t lost_rows_ = 0;
  std::uint64_t noted_losses_ = 0;
  std::array<std::uint64_t, kChunkKinds> rows_ = {};  // of each kind in this segment, lost ones too
  std::vector<std::uint8_t> scratch_;  // header and payload of the chunk being written
  std::unordered_map<std::string, std::uint64_t> texts_;
  std::vector<std::uint8_t> new_texts_;
  std::uint32_t new_text_count_ = 0;
};

// Nanoseconds of the clock of all times in a run.
std::int64_t run_clock_ns() noexcept;
// What must be added for the wall clock.
std::int64_t run_clock_to_unix_ns() noexcept;

}  // namespace strobe::wire

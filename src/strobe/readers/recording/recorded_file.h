#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/readers/recording/row_stream.h"
#include "strobe/trace/import_report.h"
#include "strobe/wire/run_file_chunks.h"

namespace strobe::readers {

// A row of a table that other chunks refer to by its number. It stays unknown if its chunk is lost.
template <std::size_t columns>
struct Definition {
  std::array<std::uint64_t, columns> values = {};
  bool is_known = false;

  std::uint64_t operator[](std::size_t column) const { return values[column]; }
};

using ThreadDefinition = Definition<wire::kThreadColumns>;
using ShapeDefinition = Definition<wire::kShapeColumns>;
using SeriesDefinition = Definition<wire::kSeriesColumns>;

// What the rows of one segment refer to, by number.
struct RecordedSegment {
  std::vector<std::string_view> texts;  // without data: lost
  std::vector<ThreadDefinition> threads;
  std::vector<ShapeDefinition> shapes;
  std::vector<SeriesDefinition> series;

  // Nothing if it is lost.
  std::optional<std::string_view> text(std::uint64_t number) const {
    if (number >= texts.size() || texts[number].data() == nullptr) return std::nullopt;
    return texts[number];
  }
};

// A file of a recorded run, taken apart: its facts, the definitions of each segment, and the chunks
// with rows by kind. The texts and chunks lie in the bytes that were given.
class RecordedFile {
 public:
  // Damage goes to the report. An error if no chunk is whole, or a newer strobe wrote the file.
  static Result<RecordedFile> take_apart(std::span<const char> bytes, ImportReport& report);

  std::optional<std::string_view> fact(std::string_view key) const;
  std::optional<std::int64_t> number_fact(std::string_view key) const;
  const std::map<std::string, std::string, std::less<>>& facts() const { return facts_; }

  const std::vector<RecordedSegment>& segments() const { return segments_; }
  bool has(wire::ChunkKind kind) const { return !chunks_of(kind).empty(); }
  std::uint64_t rows_of(wire::ChunkKind kind) const;
  std::uint64_t rows() const;  // of all kinds except definitions

  // Whether a second thread decodes rows while the caller uses those before.
  void decode_ahead(bool is_wanted) { decodes_ahead_ = is_wanted; }

  // Calls f(const DecodedRows&) for the rows of a kind, block by block in the file's order; f
  // returns false to end. A row without a usable time is left out, an impossible duration is 0.
  // Chunks and rows that cannot be used go to the report.
  template <class Function>
  bool for_each_block(wire::ChunkKind kind, ImportReport& report, Function f) const {
    RowBlockQueue blocks(chunks_of(kind), decodes_ahead_ && rows_of(kind) >= kRowsWorthAThread);
    while (DecodedRows* rows = blocks.next()) {
      if (keep_usable(*rows, report) && !f(std::as_const(*rows))) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kRowsWorthAThread = 50'000;

  const std::vector<RowChunk>& chunks_of(wire::ChunkKind kind) const {
    return chunks_[static_cast<std::size_t>(kind)];
  }
  // False if there are none.
  static bool keep_usable(DecodedRows& rows, ImportReport& report);
  void follow_segments(const wire::ChunkHeader& header);
  void take(const wire::Chunk& chunk, ImportReport& report);
  void take_facts(const wire::Chunk& chunk);
  void take_texts(const wire::Chunk& chunk, ImportReport& report);
  template <std::size_t columns>
  void define(const wire::Chunk& chunk, std::vector<Definition<columns>>& table,
              ImportReport& report);
  // False if too many rows are missing before those of the chunk.
  bool leave_gap(const wire::Chunk& chunk, std::size_t known, std::size_t columns);

  std::size_t file_bytes_ = 0;
  std::uint64_t lost_values_ = 0;  // of rows whose chunks are lost
  bool decodes_ahead_ = false;
  std::map<std::string, std::string, std::less<>> facts_;
  std::vector<RecordedSegment> segments_;
  std::array<std::vector<RowChunk>, wire::kChunkKinds> chunks_;
  std::array<std::uint64_t, wire::kChunkKinds> next_rows_ = {};  // of the last segment
};

}  // namespace strobe::readers

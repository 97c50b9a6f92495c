#include "strobe/readers/recording/recorded_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

using wire::Chunk;
using wire::ChunkKind;

Error newer_version(std::uint16_t version) {
  return {ErrorCode::kMalformed,
          fmt::format("a newer strobe wrote this recording (format {}, this one reads {})", version,
                      wire::kRunFileVersion),
          "", "update strobe"};
}

Error nothing_whole() {
  return {ErrorCode::kMalformed, "the recording is damaged: no part of it is whole", "",
          "the process may have been killed before it wrote anything"};
}

void report_damage(const std::vector<wire::DamagedBytes>& damage, ImportReport& report) {
  for (const wire::DamagedBytes& one : damage) {
    if (one.is_at_end) {
      report.add(ImportIssue::kTruncatedFile, one.offset, "inside a chunk");
    } else {
      report.add(ImportIssue::kDamagedChunk, one.offset, counted(one.bytes, "byte"));
    }
  }
}

constexpr std::string_view kCannotDecode = "its rows cannot be decoded";

// A text in memory is as large as two numbers.
constexpr std::size_t kTextColumns = 2;

constexpr std::size_t kNoColumn = ~std::size_t{0};
struct TimeColumns {
  std::size_t start = 0;
  std::size_t duration = kNoColumn;
};

std::optional<TimeColumns> time_columns_of(ChunkKind kind) {
  switch (kind) {
    case ChunkKind::kWork:
      return TimeColumns{wire::kWorkStart, wire::kWorkDuration};
    case ChunkKind::kCopies:
      return TimeColumns{wire::kCopyStart, wire::kCopyDuration};
    case ChunkKind::kCalls:
      return TimeColumns{wire::kCallStart, wire::kCallDuration};
    case ChunkKind::kSyncs:
      return TimeColumns{wire::kSyncStart, wire::kSyncDuration};
    case ChunkKind::kRanges:
      return TimeColumns{wire::kRangeStart, wire::kRangeDuration};
    case ChunkKind::kWaits:
      return TimeColumns{wire::kWaitStart, wire::kWaitDuration};
    case ChunkKind::kAllocations:
      return TimeColumns{wire::kAllocationTime};
    case ChunkKind::kSamples:
      return TimeColumns{wire::kSampleTime};
    default:
      return std::nullopt;
  }
}

// Nanoseconds since the machine started are positive: a library that could not measure a time
// leaves 0.
bool is_usable_time(std::uint64_t time) { return time - 1 < (std::uint64_t{1} << 62) - 1; }

// Longer than any recording: nine years.
constexpr std::uint64_t kLongestRow_ns = std::uint64_t{1} << 58;

void keep_usable_starts(std::size_t start, DecodedRows& rows) {
  std::size_t kept = 0;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    if (!is_usable_time(rows.at(start, row))) continue;
    for (auto& column : rows.columns) {
      if (row < column.size()) column[kept] = column[row];
    }
    ++kept;
  }
  for (auto& column : rows.columns) column.resize(std::min(column.size(), kept));
  rows.rows = kept;
}

void keep_usable_times(const TimeColumns& times, DecodedRows& rows, ImportReport& report) {
  const auto unusable = static_cast<std::uint64_t>(std::ranges::count_if(
      rows.columns[times.start], [](std::uint64_t time) { return !is_usable_time(time); }));
  if (unusable > 0) {
    report.add(ImportIssue::kMissingTime, rows.offset, counted(unusable, "row of a chunk"));
    report.add_many(ImportIssue::kMissingTime, unusable - 1);
    keep_usable_starts(times.start, rows);
  }
  if (times.duration == kNoColumn) return;
  for (std::uint64_t& duration : rows.columns[times.duration]) {
    if (duration <= kLongestRow_ns) [[likely]]
      continue;
    report.add(ImportIssue::kAbsurdTime, rows.offset);
    duration = 0;
  }
}

// A row may repeat its text as an argument: a long one would be copied for each.
void cut_long_texts(std::uint64_t offset, std::vector<std::string_view>& texts,
                    ImportReport& report) {
  constexpr std::size_t kMostTextBytes = 64 << 10;
  for (std::string_view& text : texts) {
    if (text.size() <= kMostTextBytes) [[likely]]
      continue;
    report.add(ImportIssue::kBadString, offset,
               fmt::format("a text of {}, cut", counted(text.size(), "byte")));
    text = prefix_of(text, kMostTextBytes);
  }
}

}  // namespace

Result<RecordedFile> RecordedFile::take_apart(std::span<const char> bytes, ImportReport& report) {
  RecordedFile file;
  file.file_bytes_ = bytes.size();
  wire::ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  bool has_chunks = false;
  while (const std::optional<Chunk> chunk = cursor.next()) {
    if (chunk->header.version > wire::kRunFileVersion) {
      return newer_version(chunk->header.version);
    }
    has_chunks = true;
    file.take(*chunk, report);
  }
  if (!has_chunks) return nothing_whole();
  report_damage(cursor.damage(), report);
  return file;
}

std::optional<std::string_view> RecordedFile::fact(std::string_view key) const {
  const auto found = facts_.find(key);
  if (found == facts_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::int64_t> RecordedFile::number_fact(std::string_view key) const {
  const std::optional<std::string_view> text = fact(key);
  return text ? parse_whole_number(*text) : std::nullopt;
}

std::uint64_t RecordedFile::rows_of(ChunkKind kind) const {
  std::uint64_t rows = 0;
  for (const RowChunk& one : chunks_of(kind)) rows += one.chunk.header.rows;
  return rows;
}

std::uint64_t RecordedFile::rows() const {
  std::uint64_t rows = 0;
  for (std::size_t kind = 0; kind < chunks_.size(); ++kind) {
    rows += rows_of(static_cast<ChunkKind>(kind));
  }
  return rows;
}

bool RecordedFile::keep_usable(DecodedRows& rows, ImportReport& report) {
  if (rows.is_damaged) report.add(ImportIssue::kDamagedChunk, rows.offset, kCannotDecode);
  if (rows.rows == 0) return false;
  if (const auto times = time_columns_of(rows.kind)) keep_usable_times(*times, rows, report);
  return true;
}

// Where rows are counted from the beginning again, the chunk that starts the segment is lost.
void RecordedFile::follow_segments(const wire::ChunkHeader& header) {
  const auto kind = static_cast<std::size_t>(header.kind);
  if (kind >= next_rows_.size()) return;
  if (header.kind == ChunkKind::kSegment || segments_.empty() ||
      header.first_row < next_rows_[kind]) {
    segments_.emplace_back();
    next_rows_ = {};
  }
  next_rows_[kind] = header.first_row + header.rows;
}

void RecordedFile::take(const Chunk& chunk, ImportReport& report) {
  const ChunkKind kind = chunk.header.kind;
  follow_segments(chunk.header);
  if (segments_.empty()) return;
  RecordedSegment& segment = segments_.back();
  if (kind == ChunkKind::kFacts) {
    take_facts(chunk);
  } else if (kind == ChunkKind::kTexts) {
    take_texts(chunk, report);
  } else if (kind == ChunkKind::kThreads) {
    define(chunk, segment.threads, report);
  } else if (kind == ChunkKind::kShapes) {
    define(chunk, segment.shapes, report);
  } else if (kind == ChunkKind::kSeries) {
    define(chunk, segment.series, report);
  } else if (wire::codings_of(kind).empty()) {
    return;  // of a newer version
  } else if (!wire::has_room_for_rows(chunk)) {
    report.add(ImportIssue::kDamagedChunk, chunk.offset, kCannotDecode);
  } else {
    chunks_[static_cast<std::size_t>(kind)].push_back(
        {chunk, static_cast<std::uint32_t>(segments_.size() - 1)});
  }
}

void RecordedFile::take_facts(const Chunk& chunk) {
  const std::vector<std::string_view> texts = wire::decode_texts(chunk);
  for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
    facts_.insert_or_assign(std::string(texts[i]), std::string(texts[i + 1]));
  }
}

// Numbers are dense, apart from lost chunks: others are damage, and must not take memory. The gaps
// of all tables and segments have one limit.
bool RecordedFile::leave_gap(const Chunk& chunk, std::size_t known, std::size_t columns) {
  constexpr std::uint64_t kMostLostToAFullDisk = 1 << 20;
  const std::uint64_t left = file_bytes_ + kMostLostToAFullDisk - lost_values_;
  const std::uint64_t first = chunk.header.first_row;
  const std::uint64_t gap = first - std::min<std::uint64_t>(first, known);
  if (gap > left / columns) return false;
  lost_values_ += gap * columns;
  return true;
}

void RecordedFile::take_texts(const Chunk& chunk, ImportReport& report) {
  std::vector<std::string_view>& texts = segments_.back().texts;
  if (!leave_gap(chunk, texts.size(), kTextColumns)) {
    report.add(ImportIssue::kDamagedChunk, chunk.offset, kCannotDecode);
    return;
  }
  std::vector<std::string_view> found = wire::decode_texts(chunk);
  cut_long_texts(chunk.offset, found, report);
  const auto first = static_cast<std::size_t>(chunk.header.first_row);
  texts.resize(std::max(texts.size(), first + found.size()));
  std::ranges::copy(found, texts.begin() + static_cast<std::ptrdiff_t>(first));
}

template <std::size_t columns>
void RecordedFile::define(const Chunk& chunk, std::vector<Definition<columns>>& table,
                          ImportReport& report) {
  wire::Columns decoded;
  if (!wire::decode_columns(chunk, decoded) || !leave_gap(chunk, table.size(), columns)) {
    report.add(ImportIssue::kDamagedChunk, chunk.offset, kCannotDecode);
    return;
  }
  const auto first = static_cast<std::size_t>(chunk.header.first_row);
  table.resize(std::max(table.size(), first + chunk.header.rows));
  for (std::size_t row = 0; row < chunk.header.rows; ++row) {
    Definition<columns>& definition = table[first + row];
    definition.is_known = true;
    for (std::size_t column = 0; column < columns; ++column) {
      definition.values[column] = decoded[column][row];
    }
  }
}

}  // namespace strobe::readers

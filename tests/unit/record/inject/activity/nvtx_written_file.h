#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "strobe/wire/run_file.h"
#include "strobe/wire/run_file_chunks.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {

struct WrittenRange {
  std::uint64_t thread_id = 0;
  std::string name;
  std::string domain;
  std::string category;
  wire::RangeWhat what = {};
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  wire::PayloadType payload_type = {};
  std::uint64_t payload = 0;
};

// What a reader finds of ranges in a file of a run.
struct WrittenFile {
  std::vector<WrittenRange> ranges;
  std::map<std::string, std::string> facts;
  std::map<std::string, std::uint64_t> notes;  // text and count
  std::size_t texts = 0;
  std::size_t damaged = 0;

  std::map<std::string, int> counts() const {
    std::map<std::string, int> by_name;
    for (const WrittenRange& range : ranges) ++by_name[range.name];
    return by_name;
  }
  WrittenRange only(const std::string& name) const {
    WrittenRange found;
    for (const WrittenRange& range : ranges) {
      if (range.name == name) found = range;
    }
    found.name = counts()[name] == 1 ? name : "not once: " + name;
    return found;
  }
};

inline WrittenFile read_written(const std::filesystem::path& path) {
  const std::string bytes = testing::bytes_of(path);
  wire::ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  WrittenFile file;
  std::vector<std::string> texts;
  std::vector<std::uint64_t> threads;
  std::vector<std::vector<std::uint64_t>> columns;
  while (const auto chunk = cursor.next()) {
    const std::vector<std::string_view> plain = wire::decode_texts(*chunk);
    switch (chunk->header.kind) {
      case wire::ChunkKind::kSegment:
        texts.clear();
        threads.clear();
        continue;
      case wire::ChunkKind::kTexts:
        texts.insert(texts.end(), plain.begin(), plain.end());
        file.texts += plain.size();
        continue;
      case wire::ChunkKind::kFacts:
        for (std::size_t i = 0; i + 1 < plain.size(); i += 2) {
          file.facts[std::string(plain[i])] = plain[i + 1];
        }
        continue;
      default:
        break;
    }
    if (!wire::decode_columns(*chunk, columns)) ++file.damaged;
    for (std::size_t row = 0; row < chunk->header.rows; ++row) {
      const auto at = [&](std::size_t column) { return columns.at(column).at(row); };
      if (chunk->header.kind == wire::ChunkKind::kThreads) {
        threads.push_back(at(wire::kThreadId));
      } else if (chunk->header.kind == wire::ChunkKind::kNotes) {
        file.notes[texts.at(at(wire::kNoteText))] = at(wire::kNoteCount);
      } else if (chunk->header.kind == wire::ChunkKind::kRanges) {
        WrittenRange range;
        range.thread_id = threads.at(at(wire::kRangeThread));
        range.name = texts.at(at(wire::kRangeName));
        range.domain = texts.at(at(wire::kRangeDomain));
        range.category = texts.at(at(wire::kRangeCategory));
        range.what = static_cast<wire::RangeWhat>(at(wire::kRangeWhat));
        range.start_ns = static_cast<std::int64_t>(at(wire::kRangeStart));
        range.duration_ns = static_cast<std::int64_t>(at(wire::kRangeDuration));
        range.payload_type = static_cast<wire::PayloadType>(at(wire::kRangePayloadType));
        range.payload = at(wire::kRangePayload);
        file.ranges.push_back(range);
      }
    }
  }
  file.damaged += cursor.damage().size();
  return file;
}

}  // namespace strobe::record

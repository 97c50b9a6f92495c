#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/record/sampler/sample_log.h"
#include "strobe/wire/run_file_chunks.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {

// Samples of devices that were written into a file, and read again.
class DeviceRecording {
 public:
  DeviceRecording() { writer_.open((folder_ / "host-1.strobe").string()); }

  SampleLog& log() { return log_; }

  // Of a metric and its key, in the order of their times; with the scale.
  std::vector<double> values(std::string_view metric, unsigned device = 0,
                             std::string_view key = "") {
    std::vector<double> found;
    for (const Row& row : rows()) {
      if (row.metric == metric && row.device == device && row.key == key) {
        found.push_back(row.value);
      }
    }
    return found;
  }
  std::vector<std::int64_t> times(std::string_view metric, unsigned device = 0) {
    std::vector<std::int64_t> found;
    for (const Row& row : rows()) {
      if (row.metric == metric && row.device == device) found.push_back(row.time_ns);
    }
    return found;
  }
  std::vector<std::string> keys(std::string_view metric) {
    std::vector<std::string> found;
    for (const Row& row : rows()) {
      if (row.metric == metric) found.push_back(row.key);
    }
    return found;
  }

  struct Note {
    wire::NoteWhat what;
    std::uint64_t count;
    std::string text;
  };
  std::vector<Note> notes() {
    rows();
    return notes_;
  }

 private:
  struct Row {
    unsigned device;
    std::string metric;
    std::string key;
    std::int64_t time_ns;
    double value;
  };
  using Columns = std::vector<std::vector<std::uint64_t>>;

  std::vector<Row> rows() {
    log_.flush();
    bytes_ = testing::bytes_of(folder_ / "host-1.strobe");
    wire::ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size()});
    texts_.clear();
    series_.clear();
    notes_.clear();
    std::vector<Row> rows;
    while (const auto chunk = cursor.next()) take(*chunk, rows);
    return rows;
  }

  void take(const wire::Chunk& chunk, std::vector<Row>& rows) {
    if (chunk.header.kind == wire::ChunkKind::kTexts) {
      for (const std::string_view text : wire::decode_texts(chunk)) texts_.emplace_back(text);
      return;
    }
    Columns columns;
    if (!wire::decode_columns(chunk, columns)) return;
    for (std::size_t row = 0; row < chunk.header.rows; ++row) take_row(chunk, columns, row, rows);
  }

  void take_row(const wire::Chunk& chunk, const Columns& columns, std::size_t row,
                std::vector<Row>& rows) {
    if (chunk.header.kind == wire::ChunkKind::kSeries) {
      series_.push_back({static_cast<unsigned>(columns[wire::kSeriesNumber][row]),
                         texts_[columns[wire::kSeriesMetric][row]],
                         texts_[columns[wire::kSeriesKey][row]],
                         static_cast<std::int64_t>(columns[wire::kSeriesScale][row]), 0});
    } else if (chunk.header.kind == wire::ChunkKind::kSamples) {
      Row one = series_[columns[wire::kSampleSeries][row]];
      const auto scale = static_cast<double>(one.time_ns);
      one.time_ns = static_cast<std::int64_t>(columns[wire::kSampleTime][row]);
      one.value = static_cast<double>(static_cast<std::int64_t>(columns[wire::kSampleValue][row])) *
                  std::pow(10.0, scale);
      rows.push_back(one);
    } else if (chunk.header.kind == wire::ChunkKind::kNotes) {
      notes_.push_back({static_cast<wire::NoteWhat>(columns[wire::kNoteWhat][row]),
                        columns[wire::kNoteCount][row], texts_[columns[wire::kNoteText][row]]});
    }
  }

  testing::TemporaryFolder folder_;
  wire::RunFileWriter writer_;
  SampleLog log_{writer_};
  std::string bytes_;
  std::vector<std::string> texts_;
  std::vector<Row> series_;  // their times are the scales
  std::vector<Note> notes_;
};

}  // namespace strobe::record

#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/record/sampler/sample_log.h"
#include "strobe/wire/run_file_chunks.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {

// What was written about a host into a file, read again.
class HostRecording {
 public:
  struct Sample {
    std::int64_t time_ns = 0;
    std::int64_t value = 0;  // without its scale
    auto operator<=>(const Sample&) const = default;
  };
  struct Series {
    wire::SeriesOf of = wire::SeriesOf::kMachine;
    pid_t process = 0;
    pid_t thread = 0;
    std::string metric;
    std::string key;
    std::int64_t scale = 0;
    std::vector<Sample> samples = {};
  };
  struct Process {
    pid_t id = 0;
    pid_t parent = 0;
    std::string name;
    bool is_foreign = false;
    auto operator<=>(const Process&) const = default;
  };
  struct Thread {
    pid_t id = 0;
    std::string name;
    auto operator<=>(const Thread&) const = default;
  };
  struct Wait {
    pid_t process = 0;
    pid_t thread = 0;
    std::int64_t start_ns = 0;
    std::int64_t duration_ns = 0;
    pid_t other = 0;
    std::string other_name;
  };
  struct Note {
    wire::NoteWhat what;
    std::uint64_t count = 0;
    std::string text;
  };

  HostRecording() { writer_.open((folder_ / "host-1.strobe").string()); }

  SampleLog& log() { return log_; }
  wire::RunFileWriter& writer() { return writer_; }

  // Samples of a thread, of a process (thread 0), or of the machine (both 0).
  std::vector<Sample> samples(std::string_view metric, pid_t process = 0, pid_t thread = 0,
                              std::string_view key = "") {
    read();
    std::vector<Sample> found;
    for (const Series& series : series_) {
      if (series.metric == metric && series.process == process && series.thread == thread &&
          series.key == key) {
        found.insert(found.end(), series.samples.begin(), series.samples.end());
      }
    }
    return found;
  }
  std::vector<std::int64_t> values(std::string_view metric, pid_t process = 0, pid_t thread = 0,
                                   std::string_view key = "") {
    std::vector<std::int64_t> found;
    for (const Sample& sample : samples(metric, process, thread, key)) {
      found.push_back(sample.value);
    }
    return found;
  }
  std::vector<Series> all_series() { return read(), series_; }
  std::vector<Process> processes() { return read(), processes_; }
  std::vector<Thread> threads() { return read(), threads_; }
  std::vector<Wait> waits() { return read(), waits_; }
  std::vector<Note> notes() { return read(), notes_; }

 private:
  using Columns = std::vector<std::vector<std::uint64_t>>;

  void read() {
    log_.flush();
    texts_.clear();
    series_.clear();
    processes_.clear();
    threads_.clear();
    waits_.clear();
    notes_.clear();
    const std::string bytes = testing::bytes_of(folder_ / "host-1.strobe");
    wire::ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    while (const auto chunk = cursor.next()) take(*chunk);
  }

  void take(const wire::Chunk& chunk) {
    if (chunk.header.kind == wire::ChunkKind::kTexts) {
      for (const std::string_view text : wire::decode_texts(chunk)) texts_.emplace_back(text);
      return;
    }
    Columns columns;
    if (!wire::decode_columns(chunk, columns)) return;
    for (std::size_t row = 0; row < chunk.header.rows; ++row) {
      take_row(chunk.header.kind, columns, row);
    }
  }

  void take_row(wire::ChunkKind kind, const Columns& columns, std::size_t row) {
    const auto number = [&](std::size_t column) {
      return static_cast<std::int64_t>(columns[column][row]);
    };
    const auto id = [&](std::size_t column) { return static_cast<pid_t>(columns[column][row]); };
    const auto text = [&](std::size_t column) { return texts_.at(columns[column][row]); };
    if (kind == wire::ChunkKind::kSeries) {
      series_.push_back({static_cast<wire::SeriesOf>(number(wire::kSeriesOf)),
                         id(wire::kSeriesNumber), id(wire::kSeriesThread),
                         text(wire::kSeriesMetric), text(wire::kSeriesKey),
                         number(wire::kSeriesScale)});
    } else if (kind == wire::ChunkKind::kSamples) {
      series_.at(columns[wire::kSampleSeries][row])
          .samples.push_back({number(wire::kSampleTime), number(wire::kSampleValue)});
    } else if (kind == wire::ChunkKind::kProcesses) {
      processes_.push_back({id(wire::kProcessId), id(wire::kProcessParent),
                            text(wire::kProcessName), number(wire::kProcessIsForeign) != 0});
    } else if (kind == wire::ChunkKind::kThreads) {
      threads_.push_back({id(wire::kThreadId), text(wire::kThreadName)});
    } else if (kind == wire::ChunkKind::kWaits) {
      waits_.push_back({id(wire::kWaitProcess), id(wire::kWaitThread), number(wire::kWaitStart),
                        number(wire::kWaitDuration), id(wire::kWaitOtherProcess),
                        text(wire::kWaitOtherName)});
    } else if (kind == wire::ChunkKind::kNotes) {
      notes_.push_back({static_cast<wire::NoteWhat>(number(wire::kNoteWhat)),
                        columns[wire::kNoteCount][row], text(wire::kNoteText)});
    }
  }

  testing::TemporaryFolder folder_;
  wire::RunFileWriter writer_;
  SampleLog log_{writer_};
  std::vector<std::string> texts_;
  std::vector<Series> series_;
  std::vector<Process> processes_;
  std::vector<Thread> threads_;
  std::vector<Wait> waits_;
  std::vector<Note> notes_;
};

}  // namespace strobe::record

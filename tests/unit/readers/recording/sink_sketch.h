#pragma once

#include <cstdlib>
#include <string>
#include <utility>

#include "strobe/readers/recording/recorded_file.h"
#include "strobe/readers/trace_sink.h"
#include "tests/support/run_file_sketch.h"

namespace strobe::test {

// A file of a recorded run, sketched and taken apart.
class RecordedSketch {
 public:
  template <class Draw>
  explicit RecordedSketch(Draw draw)
      : bytes_(run_file_bytes(draw)), file_(taken_apart(bytes_, report)) {}
  RecordedSketch(const RecordedSketch&) = delete;
  RecordedSketch& operator=(const RecordedSketch&) = delete;

  const readers::RecordedFile& file() const { return file_; }
  const std::string& bytes() const { return bytes_; }

  ImportReport report;

 private:
  static readers::RecordedFile taken_apart(const std::string& bytes, ImportReport& report) {
    auto file = readers::RecordedFile::take_apart(bytes, report);
    if (!file) std::abort();
    return *std::move(file);
  }

  std::string bytes_;
  readers::RecordedFile file_;
};

// A trace while a recording is read into it.
class SinkSketch {
 public:
  explicit SinkSketch(readers::LoadOptions options = {}) : options_(std::move(options)) {}

  Trace trace() {
    sink.builder.args() = sink.args.finish();
    return std::move(sink.builder).build();
  }

 private:
  readers::LoadOptions options_;

 public:
  readers::TraceSink sink{options_};
  ImportReport& report = sink.report;
};

// The arguments of a slice as text.
inline std::string args_of(const Trace& trace, std::size_t slice) {
  ArgsReader reader(trace.args());
  return std::string(reader.text(trace.slices().args[slice]));
}

}  // namespace strobe::test

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "strobe/wire/run_file_writer.h"

namespace strobe::record {

// A file of a recorded process, as the injected library writes it.
class RunFileSketch {
 public:
  RunFileSketch(const std::filesystem::path& path, std::int64_t process, std::int64_t recorder) {
    file_.open(path.string());
    file_.fact(wire::kFactProcess, std::to_string(process));
    file_.fact(wire::kFactProgram, "app");
    file_.fact(wire::kFactRecorder, std::to_string(recorder));
  }

  RunFileSketch& fact(const std::string& key, const std::string& value) {
    file_.fact(key, value);
    return *this;
  }
  RunFileSketch& kernels(std::uint64_t count) {
    wire::ChunkRows rows(wire::ChunkKind::kWork);
    for (std::uint64_t i = 0; i < count; ++i) rows.add({0, 1000 * i, 10, i});
    file_.write(rows);
    return *this;
  }
  RunFileSketch& calls(std::uint64_t count) {
    wire::ChunkRows rows(wire::ChunkKind::kCalls);
    for (std::uint64_t i = 0; i < count; ++i) rows.add({0, 0, 1000 * i, 10, i, 0});
    file_.write(rows);
    return *this;
  }
  RunFileSketch& note(wire::NoteWhat what, const std::string& text, std::uint64_t count = 0) {
    file_.note(what, text, count);
    return *this;
  }
  void finish() {
    file_.fact(wire::kFactFinished, "1");
    file_.close();
  }

 private:
  wire::RunFileWriter file_;
};

}  // namespace strobe::record

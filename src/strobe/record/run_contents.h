#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/record/run_manifest.h"
#include "strobe/wire/run_file.h"

// What the processes of a run have recorded, counted when the program has ended.
namespace strobe::record {

// What a file says about itself.
struct FileNote {
  wire::NoteWhat what = wire::NoteWhat::kRemark;
  std::uint64_t count = 0;  // of all notes with the same words
  std::string text;
};

// A file of a run. Its rows are counted and not decoded.
struct FileContents {
  std::string name;
  std::map<std::string, std::string> facts;
  std::array<std::uint64_t, wire::kChunkKinds> rows = {};  // by ChunkKind
  std::vector<FileNote> notes;
  std::uint64_t bytes = 0;
  std::uint64_t damaged_bytes = 0;

  std::string fact(const std::string& key) const;  // "" if there is none
  std::uint64_t rows_of(wire::ChunkKind kind) const { return rows[static_cast<std::size_t>(kind)]; }
  bool has_device_work() const {
    return rows_of(wire::ChunkKind::kWork) > 0 || rows_of(wire::ChunkKind::kCopies) > 0;
  }
};
Result<FileContents> contents_of_file(const std::filesystem::path& file);

// The files of processes in a folder, by name: those that this recorder's program has written, or
// all of them. What is no file of a run is left out.
std::vector<FileContents> process_files(const std::filesystem::path& folder,
                                        std::optional<std::int64_t> recorder);

RecordedFile recorded_file(const FileContents& contents);

// What else decides whether the work of the GPU was recorded.
struct DeviceConditions {
  bool was_started = true;      // by strobe; no process that already runs is recorded
  std::string no_library = {};  // why the injected library is missing; "" if it is there
  std::string no_driver = {};   // why there is no driver or no device
};

// The sources that the injected library records: gpu_work, launches, ranges.
std::vector<SourceReport> judge_device_sources(const std::vector<FileContents>& files,
                                               const RunOptions& settings,
                                               const DeviceConditions& conditions);

// What a file lacks, one sentence each. `is_over`: its process should have ended by now.
std::vector<std::string> losses_in(const FileContents& contents, bool is_over);

}  // namespace strobe::record

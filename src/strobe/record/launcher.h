#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "strobe/base/exec_words.h"
#include "strobe/base/result.h"

namespace strobe::record {

// Settings that are passed to the recorded processes through their environment.
struct RecordSettings {
  std::filesystem::path library;
  // One list; with windows one for each, used in turn.
  std::vector<std::vector<std::string>> metrics;
  bool is_strict = false;        // a metric that the chip lacks is an error
  std::string kernel_pattern;    // "": all
  std::string isolated_pattern;  // "": chosen automatically
  std::string launches;          // "": all
  bool has_windows = false;      // only between cuProfilerStart and cuProfilerStop
};

// Names and values for a process that runs `program`; "" for a variable that must not be set.
Variables recording_environment(const RecordSettings& settings, const std::filesystem::path& folder,
                                const std::string& program);

struct Sections {
  std::string bytes;  // of all processes, in order of start
  std::size_t processes = 0;
};

// The folder for the sections of a recording; removed by the destructor.
class SectionFolder {
 public:
  static Result<SectionFolder> make();
  SectionFolder(SectionFolder&& other) noexcept;
  SectionFolder& operator=(SectionFolder&&) = delete;
  ~SectionFolder();

  const std::filesystem::path& path() const { return path_; }
  // Only what the headers confirm: a process may still be writing, or may have died meanwhile.
  Result<Sections> collect() const;

 private:
  explicit SectionFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

struct RecordRequest {
  std::vector<std::string> command;
  RecordSettings settings;
};

struct RecordOutcome {
  std::string recording;  // the sections of all processes, in order of start
  std::size_t processes = 0;
  int exit_code = 0;
  int signal = 0;  // that ended the program; 0 if none did
  double seconds = 0;
};

// Runs the command with the library injected into it and everything it starts, and collects their
// sections. Signals sent to strobe meanwhile go to the command, which decides how to end. kNotFound
// if the command cannot be started.
Result<RecordOutcome> record_kernels(const RecordRequest& request);

}  // namespace strobe::record

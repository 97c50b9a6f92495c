#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "strobe/base/exec_words.h"
#include "strobe/base/result.h"

namespace strobe::record {

// What a recording is told through the environment of whoever is recorded.
struct RecordSettings {
  std::filesystem::path library;
  // One list; with windows one for each, counted by turns.
  std::vector<std::vector<std::string>> metrics;
  bool is_strict = false;        // a metric that the chip lacks is an error
  std::string kernel_pattern;    // "": all
  std::string isolated_pattern;  // "": none
  std::string launches;          // "": all
  bool has_windows = false;      // only between cuProfilerStart and cuProfilerStop
};

// Names and values for a process that runs `program`; "" where a variable must not be set.
Variables recording_environment(const RecordSettings& settings, const std::filesystem::path& folder,
                                const std::string& program);

struct Sections {
  std::string bytes;  // of all processes, in the order in which they began
  std::size_t processes = 0;
};

// Where the processes of a recording leave their sections; gone with this.
class SectionFolder {
 public:
  static Result<SectionFolder> make();
  SectionFolder(SectionFolder&& other) noexcept;
  SectionFolder& operator=(SectionFolder&&) = delete;
  ~SectionFolder();

  const std::filesystem::path& path() const { return path_; }
  // Only what the headers vouch for: a process may still be writing, or have died in the middle.
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
  std::string recording;  // the sections of all processes, in the order in which they began
  std::size_t processes = 0;
  int exit_code = 0;
  int signal = 0;  // that ended the program; 0 if it ended by itself
  double seconds = 0;
};

// Runs the command with the library injected into it and everything it starts, and collects what
// they wrote. Signals sent to strobe meanwhile go to the command, which may end in its own way.
// kNotFound if the command cannot be started.
Result<RecordOutcome> record_kernels(const RecordRequest& request);

}  // namespace strobe::record

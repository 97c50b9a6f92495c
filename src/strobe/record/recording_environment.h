#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "strobe/base/exec_words.h"

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

}  // namespace strobe::record

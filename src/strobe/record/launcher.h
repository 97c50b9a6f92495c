#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/record/recording_environment.h"

namespace strobe::record {

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

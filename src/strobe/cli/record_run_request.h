#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "strobe/cli/command.h"
#include "strobe/record/run_recorder.h"

namespace strobe::cli {

// `strobe record`, as typed.
struct RecordRunRequest {
  record::RunRequest run;
  std::string output = "run";
  std::optional<int> runs;  // into numbered folders; none: one, into the folder itself
  bool gpu_only = false;
};

std::vector<Flag> record_run_flags(RecordRunRequest& request);
Result<void> complete_record_run(RecordRunRequest& request, const Arguments& arguments);

// `strobe record dump`, as typed.
struct RecordDumpRequest {
  pid_t process = 0;
};

std::vector<Flag> record_dump_flags(RecordDumpRequest& request);
Result<void> complete_record_dump(RecordDumpRequest& request, const Arguments& arguments);

}  // namespace strobe::cli

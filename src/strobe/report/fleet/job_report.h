#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/fleet/job.h"
#include "strobe/fleet/replay/replay.h"
#include "strobe/fleet/stragglers/stragglers.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

struct JobPage {
  std::string path;               // of the run
  std::size_t top = 0;            // rows per table, 0: all
  std::vector<Error> unreadable;  // files without an answer
  bool for_tools = false;         // all rows, and no pictures of them
  // Of its pipeline, where ranges name the operations.
  std::optional<Result<fleet::Replay>> replay = {};
};

// Which rank holds a job up, why, and what that costs; then who waited for whom.
Document job_document(const fleet::Job& job, const std::vector<fleet::Straggler>& stragglers,
                      const JobPage& page);

}  // namespace strobe::report

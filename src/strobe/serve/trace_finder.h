#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "strobe/serve/recorded_run.h"
#include "strobe/serve/run_folder.h"

namespace strobe::serve {

// A trace on disk, and what its folder says about it.
struct SeenTrace {
  FoundTrace trace;        // its stamp changes with the samples beside it too
  bool is_of_run = false;  // recorded by strobe
  bool is_recording = false;
};

using RunsByName = std::map<std::string, std::shared_ptr<const RecordedRun>>;

struct SeenFolder {
  std::vector<SeenTrace> traces;  // by name
  std::vector<FoundKernels> kernel_files;
  std::vector<FoundBench> bench_files;
  RunsByName recorded;
};

// Scans the served folder and the run.json files in it. Not for several threads at once.
class TraceFinder {
 public:
  TraceFinder(RunFolder folder, RecordedRuns::IsAlive is_alive,
              std::int64_t quiet_ns = RecordedRuns::kQuietNs);

  const std::string& label() const { return folder_.label(); }
  const std::filesystem::path& root() const { return folder_.root(); }
  SeenFolder scan();

 private:
  SeenTrace with_run(FoundTrace trace, RunsByName& recorded);
  const RecordedRuns::Look& look_at(const std::filesystem::path& folder);

  RunFolder folder_;
  RecordedRuns recorded_;
  std::map<std::filesystem::path, RecordedRuns::Look> looks_;  // of the scan under way
  std::map<std::filesystem::path, bool> run_files_;            // whether a file is one of a run
};

}  // namespace strobe::serve

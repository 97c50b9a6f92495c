#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/exec_words.h"
#include "strobe/base/result.h"
#include "strobe/record/child_process.h"
#include "strobe/record/run_manifest.h"
#include "strobe/record/run_watch.h"
#include "strobe/record/sampler/sampler.h"

// `strobe record`: starts a program, looks at it until it ends, and keeps the folder of the run.
namespace strobe::record {

struct RunRequest {
  std::vector<std::string> command;   // empty with `process`
  std::optional<pid_t> process = {};  // runs already
  std::filesystem::path folder = "run";
  bool overwrite = false;
  std::string torch_hook = {};  // a folder for Python's path; "": none
  RunOptions options;
  std::function<void()> when_entered = {};  // called when run.json has the entry of this recorder
};

struct RunOutcome {
  std::filesystem::path folder;
  Recording recording;  // as in run.json
  double seconds = 0;
  std::uint64_t bytes = 0;  // of all files of this recorder
  std::size_t dumps = 0;
  bool was_interrupted = false;         // somebody wanted strobe to end
  std::optional<Error> unwritten = {};  // why run.json does not tell the end
  Sampler::Cost sampler = {};
};

// What the program and whatever it starts get through their environment. `library`: "" if there is
// none; `torch_hook`: a folder for Python, or "".
struct RunPlace {
  std::filesystem::path folder = {};
  std::int64_t recorder = 0;
  std::string library = {};
  std::string torch_hook = {};
};
Variables run_environment(const RunOptions& options, const RunPlace& place,
                          const std::string& program);

// How a dump went, told while the program runs.
using DumpNews = std::function<void(const Result<std::filesystem::path>& dump)>;

// Returns when the program has ended. Errors are those from before it was started, kInterrupted if
// somebody wanted strobe to end before; then nothing is left behind. See ChildProcess::begin() for
// those of the program itself.
Result<RunOutcome> record_run(const RunRequest& request, RunWatch& watch, const SignalRelay& relay,
                              const DumpNews& news);

}  // namespace strobe::record

#include "strobe/cli/record_run_request.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/text.h"

namespace strobe::cli {
namespace {

using record::CallChoice;
using record::RunOptions;

constexpr std::int64_t kLeastKept_ms = 1000;    // a part of a file has at least a second
constexpr std::int64_t kLeastPeriod_ms = 1000;  // attaching and detaching takes a part of it
constexpr std::int64_t kLeastLook_ms = 10;
constexpr int kMostRuns = 10'000;

// How a time is read: at least this long.
auto at_least(std::int64_t least_ms) {
  return [least_ms](std::string_view flag, std::string_view typed) {
    return duration_ms(flag, typed, least_ms);
  };
}

Result<pid_t> read_process(std::string_view flag, std::string_view typed) {
  STROBE_TRY(const std::int64_t number,
             whole_number(flag, typed, 1, std::numeric_limits<pid_t>::max()));
  return static_cast<pid_t>(number);
}

Result<void> check_windows(const RunOptions& options) {
  if (options.every_ms && !options.for_ms) {
    return bad_request("needs the length of a window", "--every",
                       "`--every 60s --for 1s` records one second in each minute");
  }
  if (!options.every_ms && options.for_ms) {
    return bad_request("is the length of a window or of a look at a process", "--for",
                       "give --every or --pid, too; the program itself is recorded to its end");
  }
  if (options.every_ms && *options.for_ms >= *options.every_ms) {
    return bad_request("a window is as long as the time between two windows", "--for",
                       "without --every and --for, everything is recorded");
  }
  return {};
}

// A process that already runs: most of what can be chosen is not there to choose from.
Result<void> complete_process(const Arguments& arguments) {
  if (!arguments.positionals.empty()) {
    return bad_request(fmt::format("a running process is recorded, or a program is started: "
                                   "'{}' is one too much",
                                   arguments.positionals[0]),
                       "--pid");
  }
  const std::string_view senseless =
      arguments.first_of({"runs", "last", "every", "torch", "gpu-only", "graph-nodes", "api"});
  if (senseless.empty()) return {};
  return bad_request("a process that already runs is only looked at from outside",
                     fmt::format("--{}", senseless),
                     "start it with `strobe record -- PROGRAM` to record what it does itself");
}

Result<void> complete_program(RecordRunRequest& request, const Arguments& arguments) {
  RunOptions& options = request.run.options;
  if (arguments.positionals.empty()) {
    return bad_request("no program was given", "",
                       "put it after two dashes: `strobe record -- python3 train.py`");
  }
  request.run.command = arguments.positionals;
  STROBE_TRY_VOID(check_windows(options));
  if (options.last_ms) {
    if (const std::string_view other = arguments.first_of({"every", "runs"}); !other.empty()) {
      return bad_request("a flight recorder keeps the last minutes of one program, without gaps",
                         fmt::format("--{}", other), "leave --last out");
    }
  }
  if (!request.gpu_only) return {};
  if (arguments.has("api") && options.calls != CallChoice::kNone) {
    return bad_request("leaves out all calls", "--gpu-only", "give it or --api, not both");
  }
  options.calls = CallChoice::kNone;
  options.ranges = false;
  if (options.torch) {
    return bad_request("names operators by ranges, which --gpu-only leaves out", "--torch");
  }
  return {};
}

}  // namespace

std::vector<Flag> record_run_flags(RecordRunRequest& request) {
  static constexpr Word<CallChoice> kCalls[] = {
      {"launches", CallChoice::kLaunches}, {"all", CallChoice::kAll}, {"none", CallChoice::kNone}};
  RunOptions& options = request.run.options;
  return {
      flag("-o, --output DIR", "the folder of the run", to(request.output)),
      flag("--overwrite", "replace the run that is in this folder", to(request.run.overwrite)),
      flag(
          "--runs N",
          "run the program N times, one after the other, into DIR/1 to DIR/N; `compare` then knows "
          "the noise; stops at the first run that fails",
          to_number(request.runs, 1, kMostRuns)),
      flag(
          "--last TIME",
          "flight recorder: keep only the last TIME (60s, 10m); it is written to DIR/dump-1, "
          "DIR/dump-2 and so on when asked by `strobe record dump PID` or SIGUSR2, and to DIR when "
          "the program ends",
          to(options.last_ms, at_least(kLeastKept_ms))),
      flag("--every TIME",
           "always on: record GPU work, calls and ranges only in windows, one in each TIME; the "
           "library is detached in between, metrics go on",
           to(options.every_ms, at_least(kLeastPeriod_ms))),
      flag("--for TIME", "the length of a window; with --pid: how long to look at the process",
           to(options.for_ms, at_least(kLeastLook_ms))),
      flag("--pid PID",
           "look at a process that already runs, and at what it starts: metrics and scheduler, no "
           "GPU work; until --for is over, it ends or Ctrl-C",
           to(request.run.process, read_process)),
      flag("--torch", "name PyTorch's operators: switches on its NVTX ranges; slows the host down",
           to(options.torch)),
      flag("--gpu-only", "no calls and no ranges: costs least", to(request.gpu_only)),
      flag("--graph-nodes",
           "every kernel of a CUDA graph, instead of one record for each launch of a graph; costs "
           "more",
           to(options.graph_nodes)),
      flag("--api CALLS",
           "which calls of CUDA's runtime and driver to record: launches (those that launch, copy, "
           "wait or allocate), all (costs much more) or none",
           to_choice(options.calls, kCalls)),
      flag("--redact",
           "names of programs, processes, kernels and ranges and the words of the command become "
           "hashes",
           to(options.redact))};
}

Result<void> complete_record_run(RecordRunRequest& request, const Arguments& arguments) {
  request.run.folder = request.output;
  return request.run.process ? complete_process(arguments) : complete_program(request, arguments);
}

std::vector<Flag> record_dump_flags(RecordDumpRequest&) { return {}; }

Result<void> complete_record_dump(RecordDumpRequest& request, const Arguments& arguments) {
  constexpr char kHowToName[] =
      "`strobe record dump PID`: the recorder (`pgrep -f 'strobe record'` finds it) or a process "
      "of "
      "its program; `strobe record dump RUN`: a folder whose recorder was killed";
  const std::vector<std::string>& words = arguments.positionals;
  if (words.empty()) return bad_request("no process was given", "", kHowToName);
  if (words.size() > 1) {
    return bad_request(fmt::format("a dump is of one process, and {} were given: {}", words.size(),
                                   fmt::join(words, ", ")),
                       "", kHowToName);
  }
  if (!parse_whole_number(words[0])) {
    return bad_request(
        fmt::format("'{}' is neither the number of a process nor a folder", words[0]), "",
        kHowToName);
  }
  STROBE_TRY(request.process, read_process("PID", words[0]));
  return {};
}

}  // namespace strobe::cli

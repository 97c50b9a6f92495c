#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/text.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/record_run_request.h"
#include "strobe/cli/talk.h"
#include "strobe/record/dump_request.h"
#include "strobe/record/run_dump.h"
#include "strobe/record/run_folder.h"
#include "strobe/record/run_recorder.h"
#include "strobe/record/sampler/machine_watch.h"
#include "strobe/record/torch_hook.h"

namespace strobe::cli {
namespace {

using record::Recording;
using record::RunOutcome;
using record::SourceReport;
using record::SourceState;

// As a shell ends that cannot start a program.
constexpr int kNoSuchProgram = 127;
constexpr int kNotExecutable = 126;

constexpr std::size_t kMostLossesTold = 5;

// Of a run in a series: what it has left behind would disturb the next one.
constexpr std::chrono::milliseconds kPatienceWithOrphans{2000};

std::string ending_text(const record::Ending& ending) {
  if (ending.signal != 0) {
    return fmt::format("the program was ended by signal {} ({})", ending.signal,
                       strsignal(ending.signal));
  }
  return fmt::format("the program ended with exit code {}", ending.exit_code);
}

std::string_view words_of(const std::string& source) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"gpu_work", "GPU work"},
      {"launches", "calls"},
      {"device_metrics", "device metrics"},
      {"scheduler", "waits for a core"}};
  for (const auto& [name, words] : kWords) {
    if (name == source) return words;
  }
  return source;
}

bool was_left_out(const SourceReport& source, const record::RunOptions& options) {
  return (source.name == "launches" && options.calls == record::CallChoice::kNone) ||
         (source.name == "ranges" && !options.ranges);
}

// Sources that are missing or not whole for the same reason.
struct Lack {
  SourceState state;
  std::string why;
  std::vector<std::string_view> sources;
};

std::vector<Lack> lacks_of(const Recording& recording) {
  std::vector<Lack> lacks;
  for (const SourceReport& source : recording.sources) {
    if (source.state == SourceState::kRecorded || was_left_out(source, recording.settings)) {
      continue;
    }
    const auto same = std::ranges::find_if(lacks, [&](const Lack& lack) {
      // Without a device, its metrics are missing for the same reason as its work.
      const bool is_device = source.name == "device_metrics" && recording.ending &&
                             lack.sources[0] == words_of("gpu_work");
      return lack.state == source.state && (lack.why == source.why || is_device);
    });
    if (same == lacks.end()) {
      lacks.push_back({source.state, source.why, {words_of(source.name)}});
    } else {
      same->sources.push_back(words_of(source.name));
    }
  }
  return lacks;
}

// Says each thing once, in however many runs it happened.
class Teller {
 public:
  explicit Teller(const Terminal& terminal) : terminal_(terminal) {}
  const Terminal& terminal() const { return terminal_; }

  void warn_once(const std::string& what) {
    if (said_.insert(what).second) warn(terminal_, what);
  }
  void say_unless_quiet(const std::string& text) const {
    if (!terminal_.quiet) say(text);
  }

 private:
  const Terminal& terminal_;
  std::set<std::string> said_;
};

void warn_of_lacks(const Recording& recording, Teller& teller) {
  for (const Lack& lack : lacks_of(recording)) {
    teller.warn_once(fmt::format(
        "{}: {}: {}", lack.state == SourceState::kMissing ? "not recorded" : "recorded in part",
        fmt::join(lack.sources, ", "), lack.why));
  }
  const std::size_t told = std::min(recording.losses.size(), kMostLossesTold);
  for (std::size_t i = 0; i < told; ++i) teller.warn_once(recording.losses[i]);
  if (told < recording.losses.size()) {
    teller.warn_once(fmt::format("{} in run.json", counted(recording.losses.size() - told,
                                                           "more loss is", "more losses are")));
  }
}

// "2 processes, 1,234 kernels, 20 copies"
std::string amounts_of(const Recording& recording) {
  record::RecordedFile sum;
  for (const record::RecordedFile& file : recording.files) {
    sum.kernels += file.kernels;
    sum.copies += file.copies;
    sum.calls += file.calls;
    sum.ranges += file.ranges;
  }
  if (recording.files.empty()) return "the host part";
  std::string text =
      fmt::format("{}, {}, {}", counted(recording.files.size(), "process", "processes"),
                  counted(sum.kernels, "kernel"), counted(sum.copies, "copy", "copies"));
  if (recording.settings.calls != record::CallChoice::kNone) {
    text += ", " + counted(sum.calls, "call");
  }
  if (recording.settings.ranges) text += ", " + counted(sum.ranges, "range");
  return text;
}

std::string recorded_time(const RunOutcome& outcome) {
  const std::string all = fmt::format("{:.1f} s", outcome.seconds);
  const auto& kept_ms = outcome.recording.settings.last_ms;
  if (!kept_ms || static_cast<double>(*kept_ms) >= outcome.seconds * 1000) return all;
  return fmt::format("the last {} of {}", duration_text(*kept_ms * 1'000'000), all);
}

void say_costs(const RunOutcome& outcome) {
  say(fmt::format("strobe: the sampler took {:.3f} s on a core in {:.1f} s ({:.2f} %)\n",
                  outcome.sampler.cpu_seconds, outcome.sampler.seconds,
                  100 * outcome.sampler.cpu_seconds / std::max(outcome.sampler.seconds, 1e-9)));
  for (const record::RecordedFile& file : outcome.recording.files) {
    say(fmt::format("strobe: {}: {} ({}), {}, {}, {}, {}, {}{}\n", file.name, file.program,
                    file.process, counted(file.kernels, "kernel"),
                    counted(file.copies, "copy", "copies"), counted(file.calls, "call"),
                    counted(file.ranges, "range"),
                    decimal_bytes_text(static_cast<double>(file.bytes)),
                    file.is_finished ? "" : ", not ended normally"));
  }
}

// What is told after the program's end.
void tell(const RunOutcome& outcome, const std::string& folder, Teller& teller) {
  const Recording& recording = outcome.recording;
  if (teller.terminal().verbose) say_costs(outcome);
  if (recording.ending && !recording.ending->is_success()) {
    teller.warn_once(ending_text(*recording.ending) + "; what it did until then is recorded");
  }
  warn_of_lacks(recording, teller);
  if (outcome.unwritten) {
    teller.warn_once(fmt::format("cannot write '{}': {}; what was recorded can still be opened",
                                 outcome.unwritten->where, outcome.unwritten->what));
  }
  teller.say_unless_quiet(fmt::format("strobe: recorded {} to {}: {} ({})\n",
                                      recorded_time(outcome), folder, amounts_of(recording),
                                      decimal_bytes_text(static_cast<double>(outcome.bytes))));
}

int code_of(const Recording& recording) {
  return recording.ending ? record::shell_code(*recording.ending) : 0;
}

// A program that cannot be started ends as in a shell; other errors are strobe's own.
Result<Outcome> not_started(Error error, const Terminal& terminal) {
  const bool is_missing = error.code == ErrorCode::kNotFound;
  const bool cannot_run =
      error.code == ErrorCode::kMachineLacks || error.code == ErrorCode::kUnsupported;
  if (!is_missing && !cannot_run) return error;
  say(error_text(error, terminal.color_error));
  return Outcome{.exit_code = is_missing ? kNoSuchProgram : kNotExecutable};
}

record::DumpNews dump_news(const Terminal& terminal) {
  return [terminal](const Result<std::filesystem::path>& dump) {
    if (!dump) {
      warn(terminal, fmt::format("no dump: {}: {}", dump.error().where, dump.error().what));
    } else if (terminal.verbose) {
      say(fmt::format("strobe: dumped to {}\n", dump->string()));
    }
  };
}

Result<Outcome> record_once(const RecordRunRequest& request, const record::SignalRelay& relay,
                            const Terminal& terminal) {
  record::MachineWatch watch;
  Result<RunOutcome> outcome = record::record_run(request.run, watch, relay, dump_news(terminal));
  if (!outcome) {
    if (request.run.process) return std::move(outcome).error();
    return not_started(std::move(outcome).error(), terminal);
  }
  Teller teller(terminal);
  tell(*outcome, request.output, teller);
  teller.say_unless_quiet(fmt::format("  next: strobe summary {}\n", request.output));
  return Outcome{.exit_code = code_of(outcome->recording)};
}

void tell_series(int whole, const RecordRunRequest& request, Teller& teller) {
  if (whole < *request.runs) {
    teller.warn_once(fmt::format("{} of {} are complete", whole,
                                 counted(static_cast<std::uint64_t>(*request.runs), "run")));
  }
  teller.say_unless_quiet(
      whole > 1 ? fmt::format("  next: strobe compare {0}/1 {0}/2: what changes by itself\n",
                              request.output)
                : fmt::format("  next: strobe summary {}/1\n", request.output));
}

Result<Outcome> record_series(const RecordRunRequest& request, const record::SignalRelay& relay,
                              const Terminal& terminal) {
  if (auto found = record::check_program(request.run.command[0]); !found) {
    return not_started(std::move(found).error(), terminal);
  }
  STROBE_TRY(record::RunFolder series,
             record::RunFolder::claim_series({.path = request.run.folder,
                                              .overwrite = request.run.overwrite,
                                              .job = record::job_of(record::own_environment())}));
  Teller teller(terminal);
  int whole = 0;
  int code = 0;
  for (int number = 1; number <= *request.runs; ++number) {
    record::RunRequest run = request.run;
    run.folder = series.path() / std::to_string(number);
    run.overwrite = false;
    run.when_entered = [&series] { series.let_others_in(); };
    record::MachineWatch watch;
    Result<RunOutcome> outcome = record::record_run(run, watch, relay, dump_news(terminal));
    if (!outcome && number == 1) series.withdraw();
    if (!outcome && number > 1 && outcome.error().code == ErrorCode::kInterrupted) {
      code = kInterruptedExit;
      break;
    }
    if (!outcome) return not_started(std::move(outcome).error(), terminal);
    tell(*outcome, fmt::format("{}/{}", request.output, number), teller);
    code = code_of(outcome->recording);
    if (code != 0 || outcome->was_interrupted) break;
    ++whole;
    record::wait_for_adopted(relay, kPatienceWithOrphans);
  }
  series.tidy();
  tell_series(whole, request, teller);
  return Outcome{.exit_code = code};
}

Result<Outcome> record_program_run(RecordRunRequest& request, const Terminal& terminal) {
  std::optional<record::TorchHookFolder> hook;  // as long as programs run
  if (request.run.options.torch) {
    STROBE_TRY(record::TorchHookFolder made, record::TorchHookFolder::make());
    hook.emplace(std::move(made));
    request.run.torch_hook = hook->path().string();
  }
  STROBE_TRY(const auto relay, record::SignalRelay::open(pipes_were_ignored()));
  answered_interrupt();  // one that came before must not end strobe later
  STROBE_TRY_VOID(check_interrupted());
  return request.runs ? record_series(request, *relay, terminal)
                      : record_once(request, *relay, terminal);
}

// `strobe record dump`, as typed: a process, or the folder of a run whose recorder was killed.
struct DumpSource {
  RecordDumpRequest running;
  std::string folder;
};

std::vector<Flag> dump_flags(DumpSource& source) { return record_dump_flags(source.running); }

Result<void> complete_dump(DumpSource& source, const Arguments& arguments) {
  std::error_code ignored;
  const auto& words = arguments.positionals;
  if (words.size() == 1 && !parse_whole_number(words[0]) &&
      std::filesystem::is_directory(words[0], ignored)) {
    source.folder = words[0];
    return {};
  }
  return complete_record_dump(source.running, arguments);
}

Result<void> dump_recording(const DumpSource& source, const Terminal&) {
  if (!source.folder.empty()) {
    STROBE_TRY_VOID(record::join_parts_of_killed(source.folder));
    return write_to_stdout(source.folder + "\n");
  }
  STROBE_TRY(const std::filesystem::path folder, record::request_dump(source.running.process));
  return write_to_stdout(folder.string() + "\n");
}

Command record_dump_action() {
  Command command = {
      .name = "record dump",
      .summary = "write out what a flight recorder (`strobe record --last`) has now",
      .positionals = "PID|RUN",
      .positionals_help =
          "the recorder, or a process of the program that it records; or the folder "
          "of a run whose recorder was killed",
      .examples = {{"strobe record dump 4711", "prints the folder of the dump, such as run/dump-1"},
                   {"strobe summary $(strobe record dump 4711)", "where the last minute went"},
                   {"strobe record dump run", "its recorder was killed: joins what it has left"}},
      .notes = {
          "The program goes on, and so does the recorder. The dump is a run like any other.",
          "Exit codes: 0 dumped, 2 bad command line or a folder that is still in use, 3 nobody "
          "records the process, its recorder keeps everything or the dump cannot be written, 4 "
          "only "
          "the owner of the recorder may ask it, 70 a bug in strobe, 130 interrupted."}};
  return with_request(std::move(command), dump_flags, complete_dump, dump_recording);
}

}  // namespace

Command record_command() {
  Command command = {
      .name = "record",
      .summary = "run a program and record GPU work, calls, ranges, metrics and waits for a core",
      .positionals = "-- PROGRAM [ARGS]",
      .positionals_help = "the program and its arguments, as typed without strobe",
      .examples =
          {{"strobe record -- python3 train.py",
            "run/ with GPU work, API calls, NVTX, metrics, scheduler"},
           {"strobe record -o before --runs 5 -- ./serve",
            "five runs: what compare needs to know the noise"},
           {"strobe record --last 60s -- python3 serve.py",
            "flight recorder: bounded; dumps on SIGUSR2, on exit, or `strobe record dump PID`"},
           {"strobe record --every 60s --for 1s -- ./serve",
            "always on: windows, detached in between"},
           {"strobe record --pid 4711 --for 10s",
            "no restart: metrics and scheduler of a running process tree (no GPU work)"},
           {"torchrun --nproc-per-node 8 --no-python strobe record -o run -- python3 train.py",
            "one file per process and rank"}},
      .notes =
          {"Every other command opens the folder: `strobe summary run`, `strobe serve run`, "
           "`strobe "
           "compare before after`. docs/record.md says what each source needs and costs.",
           "The program keeps its input, its output, its terminal and its exit code, which is also "
           "strobe's; signals that strobe gets go to the program. strobe writes to stderr only "
           "when "
           "the program has ended. What could not be recorded is told then, and is in run.json: "
           "without a GPU, the host part is recorded.",
           "Of the environment, run.json has only what concerns CUDA, NCCL, OpenMP, PyTorch and "
           "the "
           "ranks; of other people's processes, strobe records names and numbers, no arguments.",
           "Exit codes: that of the program, 128 plus the number of the signal that ended it, 127 "
           "no "
           "such program, 126 it may not be run; 0 the end of a look with --pid. Before the "
           "program "
           "runs: 2 bad command line or a folder that exists, 3 a folder that cannot be written, "
           "or no process with the number of --pid, 130 interrupted. 70 a bug in strobe."},
      .verbose_adds = "list the processes, and what the sampler cost"};
  command =
      with_request(std::move(command), record_run_flags, complete_record_run, record_program_run);
  command.actions = {record_dump_action()};
  return command;
}

}  // namespace strobe::cli

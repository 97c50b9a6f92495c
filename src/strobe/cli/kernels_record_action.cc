#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/file.h"
#include "strobe/base/text.h"
#include "strobe/cli/kernels_request.h"
#include "strobe/cli/output.h"
#include "strobe/cli/record_request.h"
#include "strobe/cli/recording_csv.h"
#include "strobe/cli/talk.h"
#include "strobe/readers/counters/kernel_recording.h"
#include "strobe/record/launcher.h"
#include "strobe/record/library_finder.h"
#include "strobe/record/metric_query.h"
#include "strobe/record/metric_sets.h"
#include "strobe/record/obstacles.h"

namespace strobe::cli {
namespace {

using readers::KernelRecording;
using readers::RecordedObstacle;
using readers::RecordedProcess;
using record::MetricPlan;
using record::MetricSet;
using record::RecordOutcome;

constexpr std::string_view kHowToAvoidGraphs =
    "run without CUDA graphs to see their kernels (eager mode, or torch.compile without "
    "mode=\"reduce-overhead\")";

struct Totals {
  std::uint64_t seen = 0;
  std::uint64_t chosen = 0;
  std::uint64_t recorded = 0;  // as many as can be read
  std::uint64_t graphs = 0;
  std::uint64_t unfinished = 0;  // processes
  std::uint32_t passes = 0;
  double overhead_s = 0;
};

Totals totals_of(const KernelRecording& recording) {
  Totals totals;
  for (const RecordedProcess& process : recording.processes) {
    totals.seen += process.header.launches_seen;
    totals.chosen += process.header.launches_chosen;
    totals.recorded += process.launches.size();
    totals.graphs += process.header.graph_launches;
    totals.unfinished += process.header.is_finished == 0 ? 1 : 0;
    totals.passes = std::max(totals.passes, process.header.passes);
    totals.overhead_s += static_cast<double>(process.header.overhead_ns) * 1e-9;
  }
  return totals;
}

std::string amount(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, plural(count, one, many));
}

std::string how_it_ended(const RecordOutcome& outcome) {
  if (outcome.signal != 0) {
    return fmt::format("the program was ended by signal {} ({})", outcome.signal,
                       strsignal(outcome.signal));
  }
  return fmt::format("the program ended with exit code {}", outcome.exit_code);
}

// What a process was doing when it died; "" if it ended normally.
std::string interrupted_call(const RecordedProcess& process) {
  if (process.header.is_finished != 0) return "";
  return std::string(readers::text_of(process.header.inside));
}

// The best explanation of an empty result: why the process gave up, otherwise its first problem.
const RecordedObstacle* worst_obstacle(const RecordedProcess& process) {
  const RecordedObstacle* worst = nullptr;
  for (const RecordedObstacle& obstacle : process.obstacles) {
    if (obstacle.facts.what == wire::Obstacle::kNote) continue;
    if (worst == nullptr || (obstacle.facts.is_fatal != 0 && worst->facts.is_fatal == 0)) {
      worst = &obstacle;
    }
  }
  return worst;
}

Error nothing_recorded(const KernelRecording& recording, const RecordOutcome& outcome,
                       const Totals& totals) {
  const auto too_little = [&](std::string what, std::string hint) {
    if (outcome.exit_code != 0 || outcome.signal != 0) what += "; " + how_it_ended(outcome);
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = std::move(what),
                 .where = "",
                 .hint = std::move(hint)};
  };
  if (recording.processes.empty()) {
    return too_little("the program never opened the CUDA driver",
                      "it must run CUDA in a process that inherits the environment; `sudo`, `ssh` "
                      "and some job starters drop CUDA_INJECTION64_PATH");
  }
  for (const RecordedProcess& process : recording.processes) {
    if (const RecordedObstacle* obstacle = worst_obstacle(process); obstacle != nullptr) {
      return record::explain(obstacle->facts.what, obstacle->text, process.program);
    }
  }
  if (totals.graphs > 0 && totals.graphs == totals.seen) {
    return too_little(fmt::format("the program launched {} and no kernel outside graphs",
                                  amount(totals.graphs, "graph", "graphs")),
                      std::string(kHowToAvoidGraphs));
  }
  if (totals.seen == 0) {
    return too_little("the program launched no kernel",
                      "it opened the CUDA driver and started nothing on the GPU");
  }
  if (totals.chosen == 0) {
    return too_little(
        fmt::format("none of {} was selected", amount(totals.seen, "launch", "launches")),
        "--kernel searches the demangled name; --launches counts from 0 in each "
        "process");
  }
  for (const RecordedProcess& process : recording.processes) {
    if (const std::string call = interrupted_call(process); !call.empty()) {
      return too_little(fmt::format("'{}' ended inside {}", process.program, call),
                        "a kernel that waits for another one never ends while kernels run one by "
                        "one; leave it out with --kernel or --launches");
    }
  }
  return too_little(fmt::format("{} went unrecorded: the program ended abruptly",
                                amount(totals.chosen, "launch", "launches")),
                    "the counters are read out when the program returns from main or calls exit()");
}

void warn_of_losses(const KernelRecording& recording, const RecordOutcome& outcome,
                    const Totals& totals, const Terminal& terminal) {
  if (outcome.exit_code != 0 || outcome.signal != 0) {
    warn(terminal, how_it_ended(outcome) + "; what it did until then is kept");
  }
  if (totals.recorded < totals.chosen) {
    warn(terminal, fmt::format("{} of {} selected have no record", totals.chosen - totals.recorded,
                               amount(totals.chosen, "launch", "launches")));
  }
  if (totals.graphs > 0) {
    warn(terminal, fmt::format("{} ran unmeasured; {}", amount(totals.graphs, "graph", "graphs"),
                               kHowToAvoidGraphs));
  }
  for (const RecordedProcess& process : recording.processes) {
    std::vector<std::string> said;
    for (const RecordedObstacle& obstacle : process.obstacles) {
      if (obstacle.facts.what == wire::Obstacle::kNote) continue;
      const Error error = record::explain(obstacle.facts.what, obstacle.text, process.program);
      if (std::ranges::find(said, error.what) != said.end()) continue;
      said.push_back(error.what);
      warn(terminal, error.what);
    }
  }
  for (const std::string& remark : recording.remarks) warn(terminal, remark);
}

void say_notes(const KernelRecording& recording) {
  for (const RecordedProcess& process : recording.processes) {
    const wire::SectionHeader& header = process.header;
    say(fmt::format(
        "strobe: process {} ({}): {} seen, {} chosen, {} recorded, {} lost, {} captured, "
        "{} read-outs, {:.3f} s in strobe's calls; CUPTI {}, driver {}\n",
        header.process_id, process.program, header.launches_seen, header.launches_chosen,
        header.launches_recorded, header.launches_lost, header.launches_captured, header.batches,
        static_cast<double>(header.overhead_ns) * 1e-9, header.cupti_version,
        header.driver_version));
    if (const std::string call = interrupted_call(process); !call.empty()) {
      say(fmt::format("strobe:   it ended inside {}\n", call));
    }
    for (const RecordedObstacle& obstacle : process.obstacles) {
      say(fmt::format("strobe:   {} {}: {}{}\n", static_cast<unsigned>(obstacle.facts.what),
                      obstacle.facts.result, obstacle.text,
                      obstacle.facts.is_fatal != 0 ? " (gave up)" : ""));
    }
  }
}

Result<void> record_program(KernelsRecordRequest& request, const Terminal& terminal) {
  STROBE_TRY_VOID(check_writable(request.output));
  STROBE_TRY_VOID(check_writable(request.csv));
  STROBE_TRY(request.run.settings.library, record::find_injection_library());
  STROBE_TRY_VOID(record::check_driver());
  if (record::counters_are_restricted()) {
    warn(terminal,
         "the driver gives counters to administrators only (RmProfilingAdminOnly is 1); "
         "this will probably fail");
  }
  STROBE_TRY(const RecordOutcome outcome, record::record_kernels(request.run));
  if (outcome.processes == 0) {
    STROBE_TRY_VOID(record::start_driver());
    return nothing_recorded({}, outcome, {});
  }
  STROBE_TRY(const KernelRecording recording,
             in_file(readers::decode_kernel_recording(outcome.recording), request.output));
  const Totals totals = totals_of(recording);
  if (terminal.verbose) say_notes(recording);
  if (totals.recorded == 0) return nothing_recorded(recording, outcome, totals);

  STROBE_TRY_VOID(write_whole(request.output, outcome.recording));
  STROBE_TRY_VOID(write_whole(request.csv, recording_csv(recording)));
  warn_of_losses(recording, outcome, totals, terminal);
  if (terminal.quiet) return {};
  std::string line = fmt::format(
      "strobe: recorded {} of {} in {:.1f} s, {} ", amount(totals.recorded, "launch", "launches"),
      amount(recording.processes.size(), "process", "processes"), outcome.seconds,
      totals.passes == 1 ? "one pass" : fmt::format("{} passes", totals.passes));
  line += fmt::format("({:.1f} s reading counters)", totals.overhead_s);
  say(fmt::format("{}\n  {}, {}\n", line, request.output, request.csv));
  return {};
}

// `strobe kernels metrics`, as typed.
struct MetricsRequest {
  std::string set;   // "": all
  std::string chip;  // "": none
  std::string output;
};

Result<std::string> read_chip(std::string_view flag, const std::string& chip) {
  STROBE_TRY(const std::vector<std::string> chips, record::known_chips());
  for (const std::string& known : chips) {
    if (known == chip) return chip;
  }
  return bad_request(fmt::format("CUPTI does not know the chip '{}'", chip), flag,
                     fmt::format("it knows {}", fmt::join(chips, ", ")));
}

Result<std::string> passes_of(const MetricSet& set, const std::string& chip) {
  if (chip.empty()) return std::string();
  const std::vector<std::string> metrics(set.metrics.begin(), set.metrics.end());
  STROBE_TRY(const MetricPlan plan, record::plan_metrics(chip, metrics));
  std::string text = fmt::format(
      " On {}: {}", chip,
      plan.passes == 1 ? std::string("one pass") : fmt::format("{} passes", plan.passes));
  if (!plan.unknown.empty()) text += fmt::format(", without {}", fmt::join(plan.unknown, ", "));
  return text + ".";
}

std::vector<Flag> metrics_flags(MetricsRequest& request) {
  return {flag("--set NAME", "only this set (default: all)", to(request.set, read_metric_set)),
          flag("--chip NAME", "also show the passes on this chip, by CUPTI's name: GH100 (H200)",
               to(request.chip, read_chip)),
          output_flag(request.output)};
}

Result<void> list_metrics(const MetricsRequest& request, const Terminal&) {
  const MetricSet* const only =
      request.set.empty() ? nullptr : record::find_metric_set(request.set);
  std::string text;
  for (const MetricSet& set : record::metric_sets()) {
    if (only != nullptr && only != &set) continue;
    STROBE_TRY(const std::string passes, passes_of(set, request.chip));
    text += fmt::format("{}{}: {}.{}\n", text.empty() ? "" : "\n", set.name, set.summary, passes);
    for (const std::string_view metric : set.metrics) text += fmt::format("  {}\n", metric);
  }
  STROBE_TRY(Output output, Output::open(request.output));
  return give(output, text);
}

}  // namespace

Command kernels_record_action() {
  Command command = {
      .name = "kernels record",
      .summary = "run a program and measure the time, tensor and DRAM use of each kernel launch",
      .positionals = "-- COMMAND...",
      .positionals_help = "the program and its arguments, as typed without strobe",
      .examples = {{"strobe kernels record -- python3 model.py",
                    "every kernel of every process, to kernels.strobe and kernels.csv"},
                   {"strobe kernels record --launches 500:999 -o warm.strobe -- ./app",
                    "skip the warm-up"},
                   {"strobe kernels record --kernel gemm --set l2 -- ./app",
                    "only kernels with this name, with L2 hits"}},
      .notes =
          {"Recording serialises the launches and adds milliseconds to each kernel. A set that "
           "needs several passes runs every kernel several times, from the same memory; kernels "
           "that wait for another device or for the host can then hang. strobe does not change "
           "clocks or caches. CUDA graphs run, but are not measured; strobe reports how many.",
           "Sets: default (one pass), classic (time, tensor, DRAM: one), l2 (default and L2 hits: "
           "two), f32 (default and 32-bit operations: two), bench (traffic of all caches: three), "
           "full (default, l2 and f32 together, and the throughput of every part: eight or more, "
           "depending on the chip).",
           "Recording needs an NVIDIA GPU, CUPTI of CUDA 12.6 or newer and permission to read "
           "counters. If something is missing, strobe says what to do and exits with 4. The exit "
           "code of the program is reported as a warning."},
      .verbose_adds = "list the processes with their launches seen, recorded and lost"};
  return with_request(std::move(command), record_flags, complete_record, record_program);
}

Command kernels_metrics_action() {
  Command command = {.name = "kernels metrics",
                     .summary = "the sets of metrics that `record` can count, and their cost",
                     .examples = {{"strobe kernels metrics", "every set with its metrics"},
                                  {"strobe kernels metrics --chip GH100 --set full",
                                   "how many passes a set needs on this chip"}},
                     .notes = {"strobe asks CUPTI for the number of passes, which needs no GPU."}};
  return with_request(std::move(command), metrics_flags, list_metrics);
}

}  // namespace strobe::cli

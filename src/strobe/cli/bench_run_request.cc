#include "strobe/cli/bench_run_request.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/byte_stream.h"
#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/grid.h"
#include "strobe/bench/workers/greet.h"
#include "strobe/cli/cache_flags.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/values.h"

namespace strobe::cli {
namespace {

using bench::CaseInfo;
using bench::CaseKind;

constexpr std::string_view kUsualPython = "python3";
constexpr std::chrono::minutes kProfiledCellLimit{
    30};  // a profiler may repeat a launch fifty times
constexpr std::int64_t kQuickElements = std::int64_t{1} << 24;

Error bad(std::string_view flag, std::string what, std::string hint = "") {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::string(flag),
          .hint = std::move(hint)};
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// Of a kind there are no variants: these must be asked for.
bool is_of_kind(const CaseInfo& info, std::string_view word) {
  if (!info.training_of.empty()) return false;
  return word == "all" || (word == "rows" && info.kind == CaseKind::kRows) ||
         (word == "matmul" && info.kind == CaseKind::kMatmul) ||
         (word == "conv" && info.kind == CaseKind::kConvolution);
}

// Each case that has one gives way to its variant in training; the others stay.
Result<void> take_training_variants(std::vector<std::string>& chosen) {
  bool is_any = false;
  for (std::string& id : chosen) {
    if (const CaseInfo* const variant = bench::training_variant(id)) id = variant->id;
    const CaseInfo* const info = bench::find_case(id);
    is_any = is_any || (info != nullptr && !info->training_of.empty());
  }
  if (is_any) return {};
  std::vector<std::string_view> having;
  for (const CaseInfo& info : bench::cases()) {
    if (!info.training_of.empty()) having.push_back(info.training_of);
  }
  return bad("--train", "none of these cases has a variant in training",
             fmt::format("{} have one", fmt::join(having, " and ")));
}

// Cases by name, or whole kinds of them.
Result<std::vector<std::string>> chosen_cases(const Arguments& arguments) {
  const bool is_quick = arguments.is_on("quick");
  std::vector<std::string> words = arguments.list("case");
  if (words.empty() && is_quick) words = {"pointwise_chain", "softmax", "norm_chain"};
  if (words.empty()) {
    return bad("--case", "names what to run",
               "--case pointwise_chain,softmax, or --case all; `strobe bench list` explains them");
  }
  std::vector<std::string> chosen;
  for (const std::string& word : words) {
    const std::size_t before = chosen.size();
    for (const CaseInfo& info : bench::cases()) {
      if (info.id == word || is_of_kind(info, word)) chosen.emplace_back(info.id);
    }
    if (chosen.size() == before) chosen.push_back(word);  // the run knows how to say it
  }
  if (arguments.is_on("train")) STROBE_TRY_VOID(take_training_variants(chosen));
  return chosen;
}

// A device's own two where there is one, else the host's.
std::vector<std::string> usual_providers(const bench::RunRequest& run) {
  if (bench::greet(run, "cuda-fused").info.is_available()) return {"cuda-unfused", "cuda-fused"};
  return {"cpu-unfused", "cpu"};
}

std::string typed_command_line() {
  std::string words = read_text("/proc/self/cmdline").has_value()
                          ? read_text("/proc/self/cmdline").value()
                          : std::string("strobe bench run");
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  return words;
}

Result<void> read_cells(const Arguments& arguments, bench::RunRequest& run) {
  STROBE_TRY(run.cases, chosen_cases(arguments));
  for (const std::string& text : arguments.list("shape")) {
    STROBE_TRY(bench::Shape shape, bench::parse_shape(text));
    run.shapes.push_back(std::move(shape));
  }
  run.grid = arguments.get("grid", arguments.is_on("quick") ? "quick" : "");
  for (const std::string& name : arguments.list("dtype")) {
    STROBE_TRY(const bench::DType dtype, bench::parse_dtype(name));
    run.dtypes.push_back(dtype);
  }
  const bool is_capped = arguments.is_on("quick") && run.shapes.empty();
  run.most_elements = is_capped ? kQuickElements : 0;
  if (arguments.has("max-elements")) {
    STROBE_TRY(run.most_elements, whole_number("--max-elements", arguments.get("max-elements"), 1));
  }
  if (arguments.is_on("cache", true)) {
    run.cache_folder =
        arguments.has("cache-dir")
            ? arguments.get("cache-dir")
            : (default_cache_folder(variable("XDG_CACHE_HOME"), variable("HOME")) / "bench")
                  .string();
  }
  if (arguments.has("cell-timeout")) {
    STROBE_TRY(run.cell_limit, time_limit("--cell-timeout", arguments.get("cell-timeout")));
  }
  if (arguments.has("seed")) {
    STROBE_TRY(const std::int64_t seed, whole_number("--seed", arguments.get("seed"), 0));
    run.seed = static_cast<std::uint64_t>(seed);
  }
  return {};
}

Result<void> read_measure(const Arguments& arguments, bench::RunRequest& run) {
  for (const std::string& name : arguments.list("mode")) {
    STROBE_TRY(const bench::TimeMode mode, bench::parse_mode(name));
    run.modes.push_back(mode);
  }
  run.flush = arguments.get("l2", "cold");
  run.lists_api = arguments.is_on("api");
  if (arguments.is_on("profile")) {
    run.is_profiled = true;
    run.may_tune = false;  // a profiler's times would choose, and the choice be kept
    // A launch may cost a second there: no more of them than the user asks for.
    if (run.modes.empty()) run.modes = {bench::TimeMode::kDevice, bench::TimeMode::kCpu};
    run.measure.warm_up = {.least_calls = 1, .least_ms = 0, .most_calls = 1};
    if (!arguments.has("cell-timeout")) run.cell_limit = kProfiledCellLimit;
  }
  run.measure.seed = run.seed;
  if (arguments.is_on("quick")) {
    run.measure.stop.value = run.measure.stop.accepted = 0.02;
    run.measure.stop.least_ms = 0;
    run.measure.stop.most_ms = 100;
    run.measure.warm_up.most_ms = 100;
  }
  if (arguments.has("stop")) {
    STROBE_TRY(run.measure.stop, bench::parse_stop_rule(arguments.get("stop")));
  }
  if (arguments.has("repeat-check")) {
    STROBE_TRY(const std::int64_t times,
               whole_number("--repeat-check", arguments.get("repeat-check"), 1, 1000));
    run.repeat_check = static_cast<int>(times);
  }
  return {};
}

}  // namespace

Result<std::chrono::milliseconds> time_limit(std::string_view flag, std::string_view typed) {
  double number = 0;
  const auto [rest, problem] = std::from_chars(typed.data(), typed.data() + typed.size(), number);
  const std::string_view unit(rest, static_cast<std::size_t>(typed.data() + typed.size() - rest));
  const double ms = unit == "ms" ? number : number * 1000;
  if (problem != std::errc() || (unit != "ms" && unit != "s" && !unit.empty()) || !(ms >= 1) ||
      ms > 1e9) {
    return bad(flag, fmt::format("'{}' is no time limit", typed), "seconds: 60, 1.5s or 300ms");
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

std::vector<std::string> own_worker_command() {
  std::array<char, 4096> path = {};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  const std::string self = length > 0 ? std::string(path.data(), static_cast<std::size_t>(length))
                                      : std::string("strobe");
  return {self, "bench", "worker"};
}

Result<void> add_workers(const Arguments& arguments, BenchRunRequest& request) {
  for (const std::string& text : arguments.every("worker")) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == text.size()) {
      return bad("--worker", fmt::format("'{}' is no name=command", text),
                 "--worker mine='python3 my_worker.py'");
    }
    // The shell knows quotes and variables.
    request.run.workers[text.substr(0, sign)] = {"/bin/sh", "-c", "exec " + text.substr(sign + 1)};
  }
  for (const std::string& provider : request.run.providers) {
    if (!bench::is_torch_provider(provider) || request.run.workers.contains(provider)) continue;
    if (!request.torch) {
      STROBE_TRY(bench::TorchWorkerFile file, bench::TorchWorkerFile::make());
      request.torch.emplace(std::move(file));
    }
    request.run.workers[provider] = {arguments.get("python", kUsualPython),
                                     request.torch->path().string()};
  }
  return {};
}

Result<BenchRunRequest> read_bench_run_request(const Arguments& arguments) {
  BenchRunRequest request;
  bench::RunRequest& run = request.run;
  run.own_worker = own_worker_command();
  run.cancelled = &interrupted();
  run.command_line = typed_command_line();
  STROBE_TRY_VOID(read_cells(arguments, run));
  STROBE_TRY_VOID(read_measure(arguments, run));
  run.providers = arguments.list("provider");
  request.chose_providers = !run.providers.empty();
  STROBE_TRY_VOID(add_workers(arguments, request));
  for (const std::string& provider : run.providers) {
    const auto known = bench::provider_names();
    if (std::ranges::find(known, provider) != known.end() || run.workers.contains(provider))
      continue;
    return bad(
        "--provider", fmt::format("there is no provider '{}'", provider),
        fmt::format("one of {}, {}, or define it: --worker {}='command'", fmt::join(known, ", "),
                    fmt::join(bench::torch_provider_names(), ", "), provider));
  }
  if (run.providers.empty()) {
    for (const auto& [name, command] : run.workers) run.providers.push_back(name);
    request.chose_providers = !run.providers.empty();
  }
  if (run.providers.empty()) run.providers = usual_providers(run);
  request.output = arguments.get("output");
  request.keeps_samples = arguments.is_on("samples");
  request.wants_counters = arguments.is_on("counters");
  request.is_paddle_style = arguments.get("style") == "paddle";
  if (request.keeps_samples && request.output.empty()) {
    return bad("--samples", "needs a file to lie beside", "-o run.json");
  }
  return request;
}

std::vector<Flag> bench_cell_flags() {
  return {
      {.name = "case",
       .kind = FlagKind::kList,
       .value = "CASE",
       .help = "which functions: names, or all, rows, matmul, conv"},
      {.name = "train",
       .help = "cases with dropout as in training, elements dropped at random by the seed; the "
               "others as they are"},
      {.name = "provider",
       .kind = FlagKind::kList,
       .value = "NAME",
       .help = "whose implementations (default: cuda-unfused,cuda-fused with a GPU, else "
               "cpu-unfused,cpu)"},
      {.name = "grid",
       .kind = FlagKind::kValue,
       .value = "NAME",
       .help = "which shapes: quick, odd, seed2d (usual), seed-layout, seed-mha, seed-attn"},
      {.name = "shape",
       .kind = FlagKind::kList,
       .value = "SHAPE",
       .help = "these shapes instead: 4096x4096,128x65536"},
      {.name = "dtype",
       .kind = FlagKind::kList,
       .value = "TYPE",
       .help = "f32 (usual), f16 (usual of attention), bf16"},
      {.name = "max-elements",
       .kind = FlagKind::kValue,
       .value = "N",
       .help = "leave larger shapes out"},
      {.name = "seed", .kind = FlagKind::kValue, .value = "N", .help = "of inputs and order (1)"},
      {.name = "cache",
       .kind = FlagKind::kNegatable,
       .help = "keep compiled and tuned kernels (default: on)"},
      {.name = "cache-dir",
       .kind = FlagKind::kValue,
       .value = "DIR",
       .help = "where (default: $XDG_CACHE_HOME/strobe/bench or ~/.cache/strobe/bench)"},
      {.name = "cell-timeout",
       .kind = FlagKind::kValue,
       .value = "TIME",
       .help = "a worker that is silent for longer is killed and its cell a timeout (60s)"},
      {.name = "worker",
       .kind = FlagKind::kList,
       .value = "NAME",
       .help = "NAME=COMMAND, any other stack: a program that speaks docs/formats/bench_worker.md"},
      {.name = "python",
       .kind = FlagKind::kValue,
       .value = "PROGRAM",
       .help = "the interpreter that has torch, for torch-* (python3)"}};
}

std::vector<Flag> bench_measure_flags() {
  return {
      {.name = "quick", .help = "few shapes of at most 16 M elements, short measurements"},
      {.name = "mode",
       .kind = FlagKind::kList,
       .value = "MODE",
       .help =
           "device, graph, call, activity, cpu (default: what each provider can, but activity, the "
           "kernels' own durations by CUPTI, only when asked for)"},
      {.name = "l2",
       .kind = FlagKind::kValue,
       .value = "STATE",
       .help = "the cache before each call: cold (usual), cold-dirty, rotate, hot",
       .choices = {"cold", "cold-dirty", "rotate", "hot"}},
      {.name = "stop",
       .kind = FlagKind::kValue,
       .value = "RULE",
       .help = "when a time is known well enough: median:0.3%/0.5% (usual: aimed at, and accepted "
               "after "
               "a second), median:1%, samples:N, time:200ms, noise:1%, entropy"},
      {.name = "api",
       .help = "after timing, list the calls of CUDA's runtime and driver that one more call makes "
               "(`bench show --table api`); needs CUPTI"},
      {.name = "profile",
       .help = "to run under ncu, nsys or another profiler: the queue is not held, so the host may "
               "show in device times; no roofs, no tuning, one process a provider"},
      {.name = "samples", .help = "keep every sample in a file beside -o"},
      {.name = "counters",
       .help = "count traffic, instructions and operations of each cell with the hardware's "
               "counters, in calls beside the timed ones"},
      {.name = "repeat-check",
       .kind = FlagKind::kValue,
       .value = "N",
       .help = "ask for the values N more times: the bits must not change"},
      {.name = "style",
       .kind = FlagKind::kValue,
       .value = "STYLE",
       .help = "paddle: also each cell's lines as Paddle's attention benchmark ends with",
       .choices = {"strobe", "paddle"}},
      {.name = "output",
       .kind = FlagKind::kValue,
       .value = "FILE",
       .help = "keep the run as JSON; FILE.partial grows with every cell until then",
       .letter = 'o'}};
}

}  // namespace strobe::cli

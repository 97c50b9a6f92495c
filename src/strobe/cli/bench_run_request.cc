#include "strobe/cli/bench_run_request.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/byte_stream.h"
#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/grid.h"
#include "strobe/bench/workers/worker_session.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/readers/trace_cache.h"

namespace strobe::cli {
namespace {

using bench::CaseInfo;
using bench::CaseKind;

constexpr std::chrono::minutes kProfiledCellLimit{
    30};  // a profiler may repeat a launch fifty times
constexpr std::int64_t kQuickElements = std::int64_t{1} << 24;

constexpr Word<bench::FlushKind> kCacheStates[] = {{"cold", bench::FlushKind::kCold},
                                                   {"cold-dirty", bench::FlushKind::kColdDirty},
                                                   {"rotate", bench::FlushKind::kRotate},
                                                   {"hot", bench::FlushKind::kHot}};
constexpr Word<bool> kLineStyles[] = {{"strobe", false}, {"paddle", true}};

// Kinds do not include training variants: these must be requested by name.
bool is_of_kind(const CaseInfo& info, std::string_view word) {
  if (!info.training_of.empty()) return false;
  return word == "all" || (word == "rows" && info.kind == CaseKind::kRows) ||
         (word == "matmul" && info.kind == CaseKind::kMatmul) ||
         (word == "conv" && info.kind == CaseKind::kConvolution);
}

// Replaces each case by its training variant if it has one; the others stay.
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
  return bad_request("none of these cases has a training variant", "--train",
                     fmt::format("{} have one", fmt::join(having, " and ")));
}

// Cases by name, or whole kinds of them.
Result<std::vector<std::string>> chosen_cases(const BenchRunRequest& request) {
  std::vector<std::string> words = request.cases;
  if (words.empty() && request.is_quick) words = {"pointwise_chain", "softmax", "norm_chain"};
  if (words.empty()) {
    return bad_request(
        "no case was given", "--case",
        "--case pointwise_chain,softmax, or --case all; `strobe bench list` explains them");
  }
  std::vector<std::string> chosen;
  for (const std::string& word : words) {
    const std::size_t before = chosen.size();
    for (const CaseInfo& info : bench::cases()) {
      if (info.id == word || is_of_kind(info, word)) chosen.emplace_back(info.id);
    }
    if (chosen.size() == before) chosen.push_back(word);  // the run reports the error
  }
  if (request.is_training) STROBE_TRY_VOID(take_training_variants(chosen));
  return chosen;
}

// The two of a device if there is one, otherwise the host's.
std::vector<std::string> usual_providers(const bench::WorkerSetup& workers) {
  if (bench::greet(workers, "cuda-fused").info.is_available())
    return {"cuda-unfused", "cuda-fused"};
  return {"cpu-unfused", "cpu"};
}

std::string typed_command_line() {
  const Result<std::string> typed = read_text("/proc/self/cmdline");
  std::string words = typed ? *typed : "strobe bench run";
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  return words;
}

// "" if there is no home for a cache.
std::string cache_folder_of(const BenchRunRequest& request) {
  if (!request.cache_folder.empty()) return request.cache_folder;
  const std::filesystem::path shared = readers::default_cache_folder();
  return shared.empty() ? "" : (shared / "bench").string();
}

void complete_cells(const BenchRunRequest& request, bench::RunRequest& run) {
  if (run.cells.grid.empty() && request.is_quick) run.cells.grid = "quick";
  const bool is_capped = request.is_quick && run.cells.shapes.empty();
  run.cells.most_elements = request.most_elements.value_or(is_capped ? kQuickElements : 0);
  if (request.is_cached) run.prepare.cache_folder = cache_folder_of(request);
  if (request.cell_limit) run.workers.cell_limit = *request.cell_limit;
}

void complete_measure(const BenchRunRequest& request, bench::RunRequest& run) {
  if (run.timing.is_profiled) {
    run.run_under_profiler();
    run.prepare.may_tune = false;  // the choice would be based on a profiler's times, and stored
    // A launch may take a second there, so there are no more of them than the user requests.
    if (run.timing.modes.empty())
      run.timing.modes = {bench::TimeMode::kDevice, bench::TimeMode::kCpu};
    run.timing.measure.warm_up = {.least_calls = 1, .least_ms = 0, .most_calls = 1};
    if (!request.cell_limit) run.workers.cell_limit = kProfiledCellLimit;
  }
  run.timing.measure.seed = run.prepare.seed;
  if (request.is_quick) {
    run.timing.measure.stop.value = run.timing.measure.stop.accepted = 0.02;
    run.timing.measure.stop.least_ms = 0;
    run.timing.measure.stop.most_ms = 100;
    run.timing.measure.warm_up.most_ms = 100;
  }
  if (request.stop) run.timing.measure.stop = *request.stop;
}

Result<void> complete_providers(BenchRunRequest& request) {
  bench::RunRequest& run = request.run;
  request.chose_providers = !run.providers.empty();
  STROBE_TRY_VOID(add_workers(request));
  for (const std::string& provider : run.providers) {
    const auto known = bench::provider_names();
    if (std::ranges::find(known, provider) != known.end() ||
        run.workers.commands.contains(provider))
      continue;
    return bad_request(
        fmt::format("there is no provider '{}'", provider), "--provider",
        fmt::format("one of {}, {}, or define it: --worker {}='command'", fmt::join(known, ", "),
                    fmt::join(bench::torch_provider_names(), ", "), provider));
  }
  if (run.providers.empty()) {
    for (const auto& [name, command] : run.workers.commands) run.providers.push_back(name);
    request.chose_providers = !run.providers.empty();
  }
  if (run.providers.empty()) run.providers = usual_providers(run.workers);
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
    return bad_request(fmt::format("'{}' is not a time limit", typed), flag,
                       "write seconds or milliseconds: 60, 1.5s or 300ms");
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

Result<void> add_workers(BenchRunRequest& request) {
  for (const std::string& text : request.workers) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == text.size()) {
      return bad_request(fmt::format("'{}' is not NAME=COMMAND", text), "--worker",
                         "--worker mine='python3 my_worker.py'");
    }
    // The shell handles quotes and variables.
    request.run.workers.commands[text.substr(0, sign)] = {"/bin/sh", "-c",
                                                          "exec " + text.substr(sign + 1)};
  }
  for (const std::string& provider : request.run.providers) {
    if (!bench::is_torch_provider(provider) || request.run.workers.commands.contains(provider))
      continue;
    if (!request.torch) {
      STROBE_TRY(bench::TorchWorkerFile file, bench::TorchWorkerFile::make());
      request.torch.emplace(std::move(file));
    }
    request.run.workers.commands[provider] = {request.python, request.torch->path().string()};
  }
  return {};
}

Result<void> complete_bench_run(BenchRunRequest& request, const Arguments&) {
  bench::RunRequest& run = request.run;
  run.workers.own = own_worker_command();
  run.workers.cancelled = &interrupted();
  run.command_line = typed_command_line();
  STROBE_TRY(run.cells.cases, chosen_cases(request));
  complete_cells(request, run);
  complete_measure(request, run);
  STROBE_TRY_VOID(complete_providers(request));
  if (request.keeps_samples && !is_replaced(request.output)) {
    return bad_request("needs a file to store the samples beside", "--samples", "-o run.json");
  }
  return {};
}

Flag python_flag(BenchRunRequest& request) {
  return flag("--python PROGRAM", "Python interpreter that has torch, for torch-*",
              to(request.python));
}

namespace {

// The flags that `run` and `tune` share; a few of them read differently in `tune`.
std::vector<Flag> cell_flags(BenchRunRequest& request, bool is_run) {
  bench::RunRequest& run = request.run;
  Target workers = to(request.workers);
  workers.is_list = false;  // commands may hold commas
  return {
      flag("--case CASE",
           "functions to measure: names from `strobe bench list`, or the groups rows (functions "
           "over the rows of a matrix), matmul, conv and all; required" +
               std::string(is_run ? " without --quick" : ""),
           to(request.cases)),
      flag("--train",
           "run the cases that have dropout in training mode: each element is dropped with "
           "probability 0.5; --seed decides which",
           to(request.is_training)),
      flag("--provider NAME",
           is_run ? "implementations: names from `strobe bench list`; ratios are relative to the "
                    "first (default: cuda-unfused,cuda-fused; without a GPU cpu-unfused,cpu)"
                  : "implementations: names from `strobe bench list` (default: cuda-fused)",
           to(run.providers)),
      flag("--grid NAME",
           "set of shapes: quick (a few), odd (primes and powers of two plus or minus 1), grid2d "
           "(powers of two), layout (rows of 1024 or 128 values); for attention also mha (8 heads) "
           "and attention (16 or 32 heads) (default: grid2d; attention for the case attention)",
           to(run.cells.grid)),
      flag("--shape SHAPE",
           "shapes instead of a grid: rows x columns, such as 4096x4096,128x65536; for matmul "
           "MxNxK (MxN: K is 1024); for conv images x height x width x channels x filters x filter "
           "size x stride, such as 32x56x56x64x64x3x1; for attention batch x sequence x heads x "
           "head dimension, such as 8x1024x16x128",
           to_each(run.cells.shapes, named(bench::parse_shape))),
      flag("--dtype TYPE", "data types: f32, f16, bf16 (default: f32; f16 for attention)",
           to_each(run.cells.dtypes, named(bench::parse_dtype))),
      flag(
          "--max-elements N",
          "leave out shapes with more elements: rows x columns, M x N, the input of a convolution, "
          "q of attention (default: no limit; 16777216 for a grid with --quick)",
          to_number(request.most_elements, 1)),
      flag("--seed N",
           "random seed for inputs, checked rows and the order in which providers take turns",
           to_number(run.prepare.seed, 0)),
      flag("--[no-]cache", "cache compiled and tuned kernels", to(request.is_cached)),
      flag("--cache-dir DIR",
           "cache folder (default: $XDG_CACHE_HOME/strobe/bench or ~/.cache/strobe/bench)",
           to(request.cache_folder)),
      flag("--cell-timeout TIME",
           "a provider that does not answer for longer is killed, and its cell is marked `timeout` "
           "(default: 60s" +
               std::string(is_run ? "; 30 minutes with --profile)" : ")"),
           to(request.cell_limit, time_limit)),
      flag("--worker NAME=COMMAND",
           "add a provider of your own: COMMAND starts a program that answers the requests in "
           "docs/formats/bench_worker.md",
           std::move(workers)),
      python_flag(request)};
}

}  // namespace

std::vector<Flag> bench_tune_flags(BenchRunRequest& request) { return cell_flags(request, false); }

std::vector<Flag> bench_run_flags(BenchRunRequest& request) {
  bench::RunRequest& run = request.run;
  std::vector<Flag> flags = cell_flags(request, true);
  std::vector<Flag> more = {
      flag("--quick",
           "short measurements: until the median is known to ±2%, at most 0.1 s per mode; also "
           "--grid quick and --case pointwise_chain,softmax,norm_chain, unless you give others",
           to(request.is_quick)),
      flag("--mode MODE",
           "times to measure: device (between two events on the GPU), graph (the call in a CUDA "
           "graph: time of a replay divided by its calls), call (until the caller has the result), "
           "activity (sum of the kernels' "
           "durations; needs CUPTI), cpu (of host providers) (default: all that a provider has, "
           "except activity)",
           to_each(run.timing.modes, named(bench::parse_mode))),
      flag("--l2 STATE",
           "L2 cache (on the host: largest cache) before each call: cold (holds other data), "
           "cold-dirty (holds other, modified data), rotate (each call uses the next of several "
           "sets of buffers; GPU only), hot (holds the data of the call)",
           to_choice(run.prepare.flush, kCacheStates)),
      flag("--stop RULE",
           "when to stop: median:0.3%/0.5% (95% interval of the median within ±0.3%, after 1 s "
           "±0.5%), median:1%, samples:N, time:200ms, noise:1% (standard deviation at most 1% of "
           "the mean), entropy (further samples add little) (default: median:0.3%/0.5%)",
           to(request.stop, named(bench::parse_stop_rule))),
      flag("--api",
           "after timing, run each cell five more times and list the calls of CUDA's runtime and "
           "driver that the median run makes, for `strobe bench show FILE --table api`; needs "
           "CUPTI",
           to(run.timing.lists_api)),
      flag("--profile",
           "for a run under a profiler (`ncu --target-processes all`, `nsys profile`): does "
           "not measure the machine's limits, does not tune, keeps one process per provider; a "
           "slow host can make device times longer",
           to(run.timing.is_profiled)),
      flag("--samples", "also write every sample, to FILE.samples; needs -o FILE",
           to(request.keeps_samples)),
      flag("--counters",
           "count traffic, instructions and operations of each cell with hardware counters, in "
           "separate calls; needs CUPTI and permission to read counters",
           to(request.wants_counters)),
      flag("--repeat-check N", "compute the values N more times and check that no bit changes",
           to_number(run.timing.repeat_check, 1, 1000)),
      flag("--style STYLE",
           "strobe, or paddle: also print each cell's lines in the format of Paddle's attention "
           "benchmark",
           to_choice(request.is_paddle_style, kLineStyles)),
      flag("-o, --output FILE",
           "also write the run as JSON; FILE.partial holds the finished cells until the end; with "
           "- the JSON goes to stdout and the table to stderr (default: print the table only)",
           to(request.output))};
  std::ranges::move(more, std::back_inserter(flags));
  return flags;
}

}  // namespace strobe::cli

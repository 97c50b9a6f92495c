#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/workers/runner.h"
#include "strobe/bench/workers/torch_worker.h"
#include "strobe/cli/command.h"

// The request of `strobe bench run` and `tune`.
namespace strobe::cli {

struct BenchRunRequest {
  bench::RunRequest run;
  std::string output;  // "": only the table on stdout
  bool keeps_samples = false;
  bool wants_counters = false;
  bool is_paddle_style = false;
  bool chose_providers = false;  // by name: then it is a failure if one cannot run here
  std::optional<bench::TorchWorkerFile> torch = {};

  // As typed; complete_bench_run() turns these into a run.
  std::vector<std::string> cases = {};  // names and kinds
  bool is_quick = false;
  bool is_training = false;
  std::optional<std::int64_t> most_elements = {};
  bool is_cached = true;
  std::string cache_folder = {};
  std::optional<std::chrono::milliseconds> cell_limit = {};
  std::optional<bench::StopRule> stop = {};
  std::vector<std::string> workers = {};  // NAME=COMMAND
  std::string python = "python3";
};

std::vector<Flag> bench_tune_flags(BenchRunRequest& request);
std::vector<Flag> bench_run_flags(BenchRunRequest& request);
Flag python_flag(BenchRunRequest& request);
Result<void> complete_bench_run(BenchRunRequest& request, const Arguments& arguments);

// The command that starts this binary as a worker.
std::vector<std::string> own_worker_command();
// Adds `torch-*`, run by the interpreter of `--python`, and the workers of `--worker`.
Result<void> add_workers(BenchRunRequest& request);
// --cell-timeout: 60, 60s, 300ms.
Result<std::chrono::milliseconds> time_limit(std::string_view flag, std::string_view typed);

}  // namespace strobe::cli

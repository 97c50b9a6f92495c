#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strobe/bench/workers/runner.h"
#include "strobe/bench/workers/torch_worker.h"
#include "strobe/cli/command.h"

// What `strobe bench run` and `tune` were asked for.
namespace strobe::cli {

struct BenchRunRequest {
  bench::RunRequest run;
  std::string output;  // "": the table on stdout alone
  bool keeps_samples = false;
  bool wants_counters = false;
  bool is_paddle_style = false;
  bool chose_providers = false;  // by name: one that cannot run here is then a failure
  std::optional<bench::TorchWorkerFile> torch = {};
};

// Which cells, by whom, and how: the flags that `run` and `tune` share.
std::vector<Flag> bench_cell_flags();
// Of measuring and of what becomes of it: `run` alone.
std::vector<Flag> bench_measure_flags();

Result<BenchRunRequest> read_bench_run_request(const Arguments& arguments);

// This binary as a worker.
std::vector<std::string> own_worker_command();
// `torch-*` answered by the interpreter that `--python` names, and what `--worker` defines.
Result<void> add_workers(const Arguments& arguments, BenchRunRequest& request);
// --cell-timeout: 60, 60s, 300ms.
Result<std::chrono::milliseconds> time_limit(std::string_view flag, std::string_view typed);

}  // namespace strobe::cli

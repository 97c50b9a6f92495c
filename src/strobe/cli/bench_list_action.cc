#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/grid.h"
#include "strobe/bench/workers/greet.h"
#include "strobe/bench/workers/protocol_words.h"
#include "strobe/cli/bench_actions.h"
#include "strobe/cli/bench_list_cases.h"
#include "strobe/cli/bench_run_request.h"
#include "strobe/cli/output.h"

namespace strobe::cli {
namespace {

using bench::CaseKind;

constexpr std::string_view kAnythingElse =
    "  --worker NAME=COMMAND  anything else that speaks docs/formats/bench_worker.md\n";

std::string grid_lines() {
  std::string text = "\nGrids (shapes over rows / matrices / convolutions / attention)\n";
  for (const std::string_view grid : bench::grid_names()) {
    std::vector<std::string> counts;
    for (const CaseKind kind :
         {CaseKind::kRows, CaseKind::kMatmul, CaseKind::kConvolution, CaseKind::kAttention}) {
      const auto shapes = bench::grid_shapes(grid, kind);
      counts.push_back(shapes ? std::to_string(shapes->size()) : "-");
    }
    text += fmt::format("  {:<12} {}\n", grid, fmt::join(counts, " / "));
  }
  return text;
}

std::string provider_line(std::string_view name, const bench::WorkerReply& hello) {
  if (!hello.info.is_available()) {
    return fmt::format("  {:<22} not here: {}\n", name, hello.info.obstacle);
  }
  return fmt::format("  {:<22} {}{}{}\n", name, hello.info.device,
                     hello.info.version.empty() ? "" : "; ", hello.info.version);
}

Result<void> list(const Arguments& arguments, const Terminal&) {
  BenchRunRequest request;
  request.run.own_worker = own_worker_command();
  for (const std::string_view name : bench::torch_provider_names()) {
    request.run.providers.emplace_back(name);
  }
  STROBE_TRY_VOID(add_workers(arguments, request));
  std::string text = bench_case_lines() + grid_lines() + "\nProviders\n";
  for (const std::string_view name : bench::provider_names()) {
    text += provider_line(name, bench::greet(request.run, std::string(name)));
  }
  // One interpreter answers for all of its variants.
  const bench::WorkerReply torch = bench::greet(request.run, "torch-eager");
  if (!torch.info.is_available()) {
    text += provider_line("torch-*", torch);
    return write_to_stdout(text + std::string(kAnythingElse));
  }
  for (const std::string_view name : bench::torch_provider_names()) {
    bench::WorkerReply hello = torch;
    if (std::ranges::find(hello.variants, bench::variant_of(name)) == hello.variants.end()) {
      hello.info.obstacle = "this torch does not have it";
    }
    text += provider_line(name, hello);
  }
  return write_to_stdout(text + std::string(kAnythingElse));
}

}  // namespace

Command bench_list_action() {
  return {.name = "bench list",
          .summary = "the cases, the grids, and which providers can run here",
          .examples = {{"strobe bench list", "what there is, and what is missing"},
                       {"strobe bench list --python ~/venv/bin/python",
                        "with the torch of another "
                        "environment"}},
          .flags = {{.name = "python",
                     .kind = FlagKind::kValue,
                     .value = "PROGRAM",
                     .help = "the interpreter that has torch (python3)"}},
          .run = answered<list>};
}

}  // namespace strobe::cli

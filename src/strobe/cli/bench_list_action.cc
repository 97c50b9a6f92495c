#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/grid.h"
#include "strobe/bench/workers/protocol.h"
#include "strobe/bench/workers/worker_session.h"
#include "strobe/cli/bench_actions.h"
#include "strobe/cli/bench_run_request.h"
#include "strobe/cli/help.h"
#include "strobe/cli/output.h"

namespace strobe::cli {
namespace {

using bench::CaseInfo;
using bench::CaseKind;

// With rows and columns this long, the ceiling is nearly constant.
constexpr std::int64_t kLong = 65536;

std::string ceiling_text(const CaseInfo& info) {
  if (info.kind != bench::CaseKind::kRows) return "-";
  const auto costs = bench::costs_of(info, bench::Shape{{kLong, kLong}}, bench::DType::kF32);
  if (!bench::loses_by_streaming(info, costs)) return fmt::format("{:.2f}x", costs.ceiling());
  return fmt::format("{:.2f} / {:.2f}x", costs.ceiling(),
                     costs.unfused_bytes / costs.streamed_bytes);
}

constexpr std::string_view kAnythingElse =
    "  --worker NAME=COMMAND  a program of your own, see docs/formats/bench_worker.md\n";

std::string grid_lines() {
  std::string text =
      "\nGrids (number of shapes: row cases / matrix products / convolutions / attention)\n";
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

std::string provider_lines(std::string_view name, const bench::WorkerReply& hello, int columns) {
  std::string front = fmt::format("  {:<22} ", name);
  const std::string text =
      hello.info.is_available()
          ? fmt::format("{}{}{}", hello.info.device, hello.info.version.empty() ? "" : "; ",
                        hello.info.version)
          : fmt::format("not here: {}", hello.info.obstacle);
  const std::size_t indent = front.size();
  return hanging_lines(std::move(front), indent, text, columns);
}

Result<void> list_all(BenchRunRequest& request, const Terminal& terminal) {
  request.run.workers.own = own_worker_command();
  for (const std::string_view name : bench::torch_provider_names()) {
    request.run.providers.emplace_back(name);
  }
  STROBE_TRY_VOID(add_workers(request));
  const int columns = terminal.columns;
  std::string text = bench_case_lines(columns) + grid_lines() + "\nProviders\n";
  for (const std::string_view name : bench::provider_names()) {
    text += provider_lines(name, bench::greet(request.run.workers, std::string(name)), columns);
  }
  // One interpreter serves all of its variants.
  const bench::WorkerReply torch = bench::greet(request.run.workers, "torch-eager");
  if (!torch.info.is_available()) {
    text += provider_lines("torch-*", torch, columns);
    return write_to_stdout(text + std::string(kAnythingElse));
  }
  for (const std::string_view name : bench::torch_provider_names()) {
    bench::WorkerReply hello = torch;
    if (std::ranges::find(hello.variants, bench::variant_of(name)) == hello.variants.end()) {
      hello.info.obstacle = "this torch does not have it";
    }
    text += provider_lines(name, hello, columns);
  }
  return write_to_stdout(text + std::string(kAnythingElse));
}

std::vector<Flag> list_flags(BenchRunRequest& request) { return {python_flag(request)}; }

}  // namespace

std::string bench_case_lines(int columns) {
  std::string text =
      "Cases: name, ceiling (the most that fusion can gain if memory limits both sides; the "
      "second\n"
      "one if a row does not fit on the chip), number of kernels without fusion, definition\n";
  for (const CaseInfo& info : bench::cases()) {
    std::string front =
        fmt::format("  {:<34} {:>12} {:>3}  ", info.id, ceiling_text(info), info.eager_kernels);
    const std::size_t indent = front.size();
    text += hanging_lines(std::move(front), indent, info.definition, columns);
  }
  return text;
}

Command bench_list_action() {
  Command command = {.name = "bench list",
                     .summary = "the cases, the grids, and which providers can run here",
                     .examples = {{"strobe bench list", "what there is, and what is missing"},
                                  {"strobe bench list --python ~/venv/bin/python",
                                   "with the torch of another environment"}}};
  return with_request(std::move(command), list_flags, list_all);
}

}  // namespace strobe::cli

#include "strobe/cli/query_runs.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/file.h"
#include "strobe/bench/results/run_file.h"
#include "strobe/readers/counters/kernel_reader.h"
#include "strobe/readers/run_reader.h"
#include "strobe/readers/sniff.h"
#include "strobe/report/summary/import_warning.h"
#include "strobe/serve/run_folder.h"

namespace strobe::cli {
namespace {

namespace fs = std::filesystem;

std::string first_bytes(const std::string& path) {
  const auto file = File::open(path);
  if (!file || !file->is_seekable()) return {};
  std::string buffer(readers::kSniffBytes, '\0');
  const auto bytes = file->read_at(0, buffer);
  buffer.resize(bytes ? *bytes : 0);
  return buffer;
}

// A file that is no trace, as the only rank of a run.
Run run_without_trace(const std::string& path) {
  std::string label = fs::path(path).filename().string();
  for (const std::string_view ending : {".gz", ".zst", ".json", ".csv", ".txt", ".ncu-rep"}) {
    if (label.size() > ending.size() && label.ends_with(ending)) {
      label.resize(label.size() - ending.size());
    }
  }
  Run run{.label = std::move(label), .folder = {}, .ranks = {}};
  RankCapture& only = run.ranks.emplace_back();
  only.path = path;
  only.trace = std::make_shared<const Trace>();
  return run;
}

void warn_of(const std::string& path, const std::vector<std::string>& remarks,
             const Terminal& terminal) {
  for (const std::string& remark : remarks) warn(terminal, fmt::format("{}: {}", path, remark));
}

Result<QueriedRun> load_queried(const std::string& path, const LoadChoice& load,
                                const Terminal& terminal) {
  Progress progress(terminal, fmt::format("loading {}", path));
  const readers::LoadOptions options = load_options(progress, load.threads);
  const std::string first = first_bytes(path);
  if (serve::bench_content(first) == serve::BenchContent::kRun) {
    STROBE_TRY(bench::BenchRun cells, bench::read_run(path));
    warn_of(path, cells.remarks, terminal);
    return QueriedRun{.run = run_without_trace(path),
                      .counters = {},
                      .bench = std::make_unique<const bench::BenchRun>(std::move(cells))};
  }
  // A profiler's table may be both: kernels with counters, and when they ran.
  QueriedRun loaded;
  if (readers::looks_like_kernels(first)) {
    STROBE_TRY(KernelTable kernels, readers::read_kernels(path, options));
    warn_of(path, kernels.remarks, terminal);
    loaded.counters = std::make_unique<const KernelTable>(std::move(kernels));
    if (!readers::is_trace(path)) {
      loaded.run = run_without_trace(path);
      return loaded;
    }
  }
  STROBE_TRY(loaded.run, readers::read_run(path, options, cache_options(load)));
  for (const RankCapture& rank : loaded.run.ranks) {
    const std::string warning = report::import_warning(rank.path, rank.import);
    if (!warning.empty()) warn(terminal, warning);
  }
  return loaded;
}

}  // namespace

Result<std::vector<QueriedRun>> load_runs(const std::vector<std::string>& paths,
                                          const LoadChoice& load, const Terminal& terminal) {
  std::vector<QueriedRun> runs;
  for (const std::string& path : paths) {
    STROBE_TRY(QueriedRun one, load_queried(path, load, terminal));
    const bool is_taken = std::ranges::any_of(
        runs, [&](const QueriedRun& other) { return other.run.label == one.run.label; });
    if (is_taken) one.run.label = path;
    runs.push_back(std::move(one));
  }
  return runs;
}

std::vector<query::TraceInput> query_inputs(const std::vector<QueriedRun>& runs) {
  std::vector<query::TraceInput> inputs;
  for (const QueriedRun& one : runs) {
    for (const RankCapture& rank : one.run.ranks) {
      inputs.push_back({.run = one.run.label,
                        .rank = rank.rank,
                        .path = rank.path,
                        .trace = rank.trace.get(),
                        .import = &rank.import,
                        .snapshot = rank.snapshot.get(),
                        .metrics = &rank.metrics,
                        .counters = one.counters.get(),
                        .bench = one.bench.get()});
    }
  }
  return inputs;
}

}  // namespace strobe::cli

#include "strobe/cli/query_runs.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/readers/run_reader.h"
#include "strobe/report/summary/import_warning.h"

namespace strobe::cli {

Result<std::vector<Run>> load_runs(const std::vector<std::string>& paths, const LoadChoice& load,
                                   const Terminal& terminal) {
  std::vector<Run> runs;
  for (const std::string& path : paths) {
    Progress progress(terminal, fmt::format("loading {}", path));
    STROBE_TRY(Run run,
               readers::read_run(path, load_options(progress, load.threads), cache_options(load)));
    const bool is_taken = std::ranges::find(runs, run.label, &Run::label) != runs.end();
    if (is_taken) run.label = path;
    for (const RankCapture& rank : run.ranks) {
      const std::string warning = report::import_warning(rank.path, rank.import);
      if (!warning.empty()) warn(terminal, warning);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<query::TraceInput> query_inputs(const std::vector<Run>& runs) {
  std::vector<query::TraceInput> inputs;
  for (const Run& run : runs) {
    for (const RankCapture& rank : run.ranks) {
      inputs.push_back({.run = run.label,
                        .rank = rank.rank,
                        .path = rank.path,
                        .trace = rank.trace.get(),
                        .import = &rank.import,
                        .metrics = &rank.metrics});
    }
  }
  return inputs;
}

}  // namespace strobe::cli

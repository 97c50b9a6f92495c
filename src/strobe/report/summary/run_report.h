#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/analysis/tables/table_options.h"
#include "strobe/base/result.h"
#include "strobe/report/render/document.h"
#include "strobe/report/summary/summary_report.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace.h"

namespace strobe::report {

// One trace of a run, as it was opened. Nothing here is null.
struct RunTrace {
  std::string path;
  const Trace* trace = nullptr;
  const ImportReport* import = nullptr;

  std::optional<std::int32_t> rank() const { return trace->metadata().distributed.rank; }
};

// By rank where all traces say theirs: shells sort rank10 before rank2.
void sort_by_rank(std::vector<RunTrace>& run);

// A summary is about time; without a slice there is none.
Result<void> expect_slices(const std::vector<RunTrace>& run);

// As short as tells them apart: the rank a trace says it has, its file's name, or its path without
// the folders all share.
std::vector<std::string> names_of(const std::vector<RunTrace>& run);

// The report on a run of one or more ranks; `summaries` stand in the order of `run`.
Document run_document(const std::vector<RunTrace>& run,
                      const std::vector<analysis::Summary>& summaries,
                      const analysis::TableOptions& tables, bool verbose = false);

// The findings of a run of several ranks: who keeps the others waiting, and of each kind the worst,
// with the name of its rank. Times summed over ranks would support no sentence about any of them.
std::vector<analysis::Finding> findings_of_run(const std::vector<RankInput>& ranks);

}  // namespace strobe::report

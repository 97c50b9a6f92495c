#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/ranks/late_ranks.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/analysis/tables/table_options.h"
#include "strobe/base/result.h"
#include "strobe/report/render/document.h"
#include "strobe/report/summary/summary_report.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace.h"

namespace strobe::report {

// One opened trace of a run. No member is null.
struct RunTrace {
  std::string path;
  const Trace* trace = nullptr;
  const ImportReport* import = nullptr;

  std::optional<std::int32_t> rank() const { return trace->metadata().distributed.rank; }
};

// By rank if all traces have one: shells sort rank10 before rank2.
void sort_by_rank(std::vector<RunTrace>& run);

// A summary is about time, so at least one slice is required.
Result<void> expect_slices(const std::vector<RunTrace>& run);

// The shortest names that distinguish them: the rank of a trace, its file's name, or its path
// without the shared folders.
std::vector<std::string> names_of(const std::vector<RunTrace>& run);

// The report on a run of one or more ranks; `summaries` is parallel to `run`.
Document run_document(const std::vector<RunTrace>& run,
                      const std::vector<analysis::Summary>& summaries,
                      const analysis::TableOptions& tables, bool verbose = false);

// The findings of a run of several ranks: who keeps the others waiting, and the worst of each kind,
// with the name of its rank. Times summed over ranks would not describe any of them. `lateness` is
// parallel to `ranks`, or empty.
std::vector<analysis::Finding> findings_of_run(const std::vector<RankInput>& ranks,
                                               const analysis::Lateness& lateness = {});

}  // namespace strobe::report

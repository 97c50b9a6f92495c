#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/health/health.h"
#include "strobe/analysis/ranks/late_ranks.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/analysis/tables/table_options.h"
#include "strobe/report/render/document.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace.h"

namespace strobe::report {

// One trace of the reported run. No member is null.
struct RankInput {
  std::string name;
  const Trace* trace = nullptr;
  const analysis::Summary* summary = nullptr;
  const ImportReport* import = nullptr;
  std::vector<analysis::Finding> findings;
  // How often it came last to a collective, if the collectives of the ranks could be matched.
  std::optional<analysis::RankLateness> lateness = {};
};

// Where the time of a run went: whether the recording can tell, what was recorded, the findings,
// then table by table from the step down to the kernel; losses of the input come last, if any.
// `merged` is the summary of all ranks, or that of the only rank. Verbose adds every finding, the
// whole import, and what is only worth knowing about the recording.
Document summary_document(const std::vector<RankInput>& ranks, const analysis::Summary& merged,
                          const std::vector<analysis::Finding>& findings,
                          const analysis::TableOptions& options, bool verbose = false,
                          analysis::Health health = {});

}  // namespace strobe::report

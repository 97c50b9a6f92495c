#include <algorithm>
#include <optional>

#include "strobe/report/render/render.h"
#include "strobe/report/summary/run_report.h"
#include "strobe/serve/api_answers.h"

namespace strobe::serve {
namespace {

Result<analysis::Summary> summary_of(const OpenTrace& open,
                                     const std::optional<analysis::NumberRange>& steps) {
  if (!steps) return open.summary();
  analysis::SummaryOptions options;
  STROBE_TRY(options.steps, analysis::find_steps(open.trace(), *steps, "steps"));
  return analysis::summarize(open.trace(), options);
}

}  // namespace

Result<std::string> summary_answer(const Query& query, const OpenTraces& traces) {
  std::optional<analysis::NumberRange> steps;
  if (const auto typed = query.optional_text("steps")) {
    STROBE_TRY(steps, analysis::number_range("steps", *typed));
  }
  std::vector<report::RunTrace> run;
  for (const auto& open : traces) {
    run.push_back({.path = open->name(), .trace = &open->trace(), .import = &open->report()});
  }
  report::sort_by_rank(run);
  STROBE_TRY_VOID(report::expect_slices(run));
  std::vector<analysis::Summary> summaries;
  for (const report::RunTrace& one : run) {
    const auto open = std::ranges::find_if(
        traces, [&](const auto& candidate) { return &candidate->trace() == one.trace; });
    STROBE_TRY(analysis::Summary summary, summary_of(**open, steps));
    summaries.push_back(std::move(summary));
  }
  return report::render_json(report::run_document(run, summaries, {}));
}

}  // namespace strobe::serve

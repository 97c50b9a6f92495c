#include "strobe/python/opened_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/analysis/tables/summary.h"
#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/digest/digest.h"
#include "strobe/query/questions.h"
#include "strobe/readers/run_reader.h"
#include "strobe/report/compare/compare_formats.h"
#include "strobe/report/compare/compare_report.h"
#include "strobe/report/render/overview_html.h"
#include "strobe/report/render/render.h"
#include "strobe/report/summary/import_warning.h"
#include "strobe/report/summary/run_report.h"

namespace strobe::python {
namespace {

using compare::SideFacts;

constexpr std::size_t kRowsOfAReport = 10;  // of a table, as in a terminal

Result<Run> read(const std::string& path, const OpenChoice& choice) {
  readers::CacheOptions cache;
  if (choice.cached) cache.folder = readers::default_cache_folder();
  return readers::read_run(path, choice.load, cache);
}

Result<SideFacts> measured(const std::string& path, const CompareChoice& choice,
                           const compare::CompareOptions& options) {
  if (!compare::is_digest_file(path)) {
    STROBE_TRY(const Run run, read(path, choice.open));
    return compare::measure_side(run, options);
  }
  STROBE_TRY(SideFacts side, compare::read_digest(path));
  std::erase_if(side.ranks, [&](const compare::RankMeasure& measure) {
    return options.only_rank && measure.rank != *options.only_rank;
  });
  return side;
}

// All runs of a side, those of folders with several runs too.
Result<std::vector<SideFacts>> measured(const std::vector<std::string>& paths,
                                        const CompareChoice& choice,
                                        const compare::CompareOptions& options) {
  std::vector<SideFacts> sides;
  for (const std::string& path : paths) {
    std::vector<std::string> runs;
    for (const auto& run : readers::runs_in(path)) runs.push_back(run.string());
    if (runs.empty()) runs = {path};
    for (const std::string& run : runs) {
      STROBE_TRY(SideFacts side, measured(run, choice, options));
      if (side.ranks.empty()) {
        return Error{ErrorCode::kInvalidArgument,
                     fmt::format("'{}' has no rank {}", side.label, *options.only_rank), "rank",
                     "leave it out to compare all ranks"};
      }
      sides.push_back(std::move(side));
    }
  }
  return sides;
}

SideFacts take_first(std::vector<SideFacts>& sides) {
  SideFacts first = std::move(sides.front());
  sides.erase(sides.begin());
  return first;
}

}  // namespace

OpenedRun::OpenedRun(std::shared_ptr<const Run> run)
    : run_(std::move(run)), tables_(inputs(), run_) {}

Result<std::shared_ptr<const OpenedRun>> OpenedRun::open(const std::string& path,
                                                         const OpenChoice& choice) {
  STROBE_TRY(Run run, read(path, choice));
  return std::make_shared<const OpenedRun>(std::make_shared<const Run>(std::move(run)));
}

std::vector<query::TraceInput> OpenedRun::inputs() const {
  std::vector<query::TraceInput> inputs;
  for (const RankCapture& rank : run_->ranks) {
    inputs.push_back({.run = run_->label,
                      .rank = rank.rank,
                      .path = rank.path,
                      .trace = rank.trace.get(),
                      .import = &rank.import,
                      .snapshot = rank.snapshot.get(),
                      .metrics = &rank.metrics});
  }
  return inputs;
}

std::vector<std::string> OpenedRun::warnings() const {
  std::vector<std::string> warnings;
  for (const RankCapture& rank : run_->ranks) {
    std::string warning = report::import_warning(rank.path, rank.import);
    if (!warning.empty()) warnings.push_back(std::move(warning));
  }
  return warnings;
}

Result<report::Document> OpenedRun::document() const {
  std::vector<report::RunTrace> traces;
  for (const RankCapture& rank : run_->ranks) {
    traces.push_back({.path = rank.path, .trace = rank.trace.get(), .import = &rank.import});
  }
  report::sort_by_rank(traces);
  STROBE_TRY_VOID(report::expect_slices(traces));
  analysis::SummaryOptions options;
  options.with_flops = true;
  std::vector<analysis::Summary> summaries;
  for (const report::RunTrace& one : traces) {
    summaries.push_back(analysis::summarize(*one.trace, options));
  }
  return report::run_document(traces, summaries, {});
}

Result<std::string> OpenedRun::summary_json() const {
  STROBE_TRY(const report::Document document, this->document());
  return report::render_json(document);
}

Result<std::string> OpenedRun::overview_html() const {
  STROBE_TRY(const report::Document document, this->document());
  return report::overview_html(document);
}

Result<std::vector<query::NamedColumn>> OpenedRun::ask(const std::string& sql,
                                                       const query::Limits& limits) const {
  const std::lock_guard lock(asking_);
  if (!engine_) {
    STROBE_TRY(engine_, query::Engine::open(inputs()));
  }
  const query::Question* known = query::find_question(sql);
  STROBE_TRY(const auto answer, engine_->ask(known == nullptr ? sql : known->sql, limits));
  return query::fill_answer(*answer);
}

Result<ComparedRuns> compare_runs(const CompareChoice& choice) {
  compare::CompareOptions options;
  options.only_rank = choice.rank;
  compare::More<SideFacts> more;
  STROBE_TRY(more.normal, measured(choice.normal, choice, options));
  STROBE_TRY(more.abnormal, measured(choice.abnormal, choice, options));
  SideFacts normal = take_first(more.normal);
  SideFacts abnormal = take_first(more.abnormal);
  if (normal.label == abnormal.label) {
    normal.label = choice.normal.front();
    abnormal.label = choice.abnormal.front();
  }
  STROBE_TRY(
      compare::Comparison comparison,
      compare::compare_measures(std::move(normal), std::move(abnormal), std::move(more), options));
  compare::judge(comparison);
  return ComparedRuns{
      .json = report::compare_json(comparison),
      .text = report::render_text(report::compare_document(comparison, kRowsOfAReport), {}),
      .html = report::compare_html(comparison, kRowsOfAReport)};
}

}  // namespace strobe::python

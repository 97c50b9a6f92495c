#include "strobe/python/opened_run.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/analysis/tables/summary.h"
#include "strobe/base/threads.h"
#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/digest/digest.h"
#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/fleet/digest/rank_numbers.h"
#include "strobe/fleet/replay/traced_table.h"
#include "strobe/fleet/stragglers/stragglers.h"
#include "strobe/fleet/waits/make_job.h"
#include "strobe/query/questions.h"
#include "strobe/readers/run_reader.h"
#include "strobe/readers/trace_cache.h"
#include "strobe/report/compare/compare_formats.h"
#include "strobe/report/compare/compare_report.h"
#include "strobe/report/fleet/job_report.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/overview_html.h"
#include "strobe/report/render/render.h"
#include "strobe/report/summary/import_warning.h"
#include "strobe/report/summary/run_report.h"

namespace strobe::python {
namespace {

using compare::SideFacts;

constexpr std::size_t kRowsOfAReport = 10;  // of a table, as in a terminal

readers::CacheOptions cache_of(const OpenChoice& choice) {
  readers::CacheOptions cache;
  if (choice.cached) cache.folder = readers::default_cache_folder();
  return cache;
}

Result<Run> read(const std::string& path, const OpenChoice& choice) {
  return readers::read_run(path, choice.load, cache_of(choice));
}

using Warnings = std::vector<std::string>;

void add_warnings(const Run& run, Warnings& warnings) {
  for (const RankCapture& rank : run.ranks) {
    std::string warning = report::import_warning(rank.path, rank.import);
    if (!warning.empty()) warnings.push_back(std::move(warning));
  }
}

Result<SideFacts> measured(const std::string& path, const CompareChoice& choice,
                           const compare::CompareOptions& options, Warnings& warnings) {
  if (!compare::is_digest_file(path)) {
    STROBE_TRY(const Run run, read(path, choice.open));
    add_warnings(run, warnings);
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
                                        const compare::CompareOptions& options,
                                        Warnings& warnings) {
  std::vector<SideFacts> sides;
  for (const std::string& path : paths) {
    std::vector<std::string> runs;
    for (const auto& run : readers::runs_in(path)) runs.push_back(run.string());
    if (runs.empty()) runs = {path};
    for (const std::string& run : runs) {
      STROBE_TRY(SideFacts side, measured(run, choice, options, warnings));
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

Result<fleet::RankDigest> read_digest_of(const readers::RankFiles& files,
                                         const readers::LoadOptions& load,
                                         const readers::CacheOptions& cache) {
  const std::string path = files.trace.string();
  STROBE_TRY(const readers::LoadedTrace loaded,
             readers::read_trace_cached(files.trace, load, cache));
  STROBE_TRY(fleet::RankDigest digest,
             fleet::digest_of(loaded.trace, path, report::import_warning(path, loaded.report)));
  fleet::set_file(digest, path);
  return digest;
}

// Tells how much of the files is read, by their sizes.
class FilesRead {
 public:
  FilesRead(const std::vector<readers::RankFiles>& files, const OpenChoice& choice)
      : progress_(choice.load.progress) {
    for (const readers::RankFiles& file : files) total_ += size_of(file);
  }
  void add(const readers::RankFiles& file) {
    const std::lock_guard lock(mutex_);
    done_ += size_of(file);
    if (progress_) progress_({.bytes_done = done_, .bytes_total = total_});
  }

 private:
  static std::uint64_t size_of(const readers::RankFiles& file) {
    std::error_code failed;
    const std::uint64_t bytes = std::filesystem::file_size(file.trace, failed);
    return failed ? 0 : bytes;
  }

  const std::function<void(const readers::LoadProgress&)> progress_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

Result<fleet::JobDigests> read_job(const JobChoice& choice) {
  STROBE_TRY(const std::vector<readers::RankFiles> files,
             readers::find_ranks_and_broken_ones(choice.folder));
  readers::LoadOptions load = choice.open.load;
  const unsigned all = load.thread_count();
  const auto at_once = static_cast<unsigned>(std::min<std::size_t>(all, files.size()));
  load.threads = std::max(1u, all / std::max(1u, at_once));
  load.progress = nullptr;
  FilesRead read(files, choice.open);
  std::vector<std::optional<Result<fleet::RankDigest>>> made(files.size());
  each_in_threads(files.size(), at_once, [&](std::size_t i) {
    made[i] = read_digest_of(files[i], load, cache_of(choice.open));
    read.add(files[i]);
  });
  std::vector<fleet::DigestedFile> digested;
  for (std::size_t i = 0; i < files.size(); ++i) {
    digested.push_back({files[i].rank, *std::move(made[i])});
  }
  return fleet::number_ranks(std::move(digested), choice.folder);
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
  Warnings warnings;
  add_warnings(*run_, warnings);
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

Result<ReportTexts> compare_runs(const CompareChoice& choice) {
  compare::CompareOptions options;
  options.only_rank = choice.rank;
  compare::More<SideFacts> more;
  Warnings warnings;
  STROBE_TRY(more.normal, measured(choice.normal, choice, options, warnings));
  STROBE_TRY(more.abnormal, measured(choice.abnormal, choice, options, warnings));
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
  return ReportTexts{
      .json = report::compare_json(comparison),
      .text = report::render_text(report::compare_document(comparison, kRowsOfAReport), {}),
      .html = report::compare_html(comparison, kRowsOfAReport),
      .warnings = std::move(warnings)};
}

Result<ReportTexts> explain_job(const JobChoice& choice) {
  STROBE_TRY(fleet::JobDigests found, read_job(choice));
  STROBE_TRY_VOID(fleet::check_complete(found, choice.allow_missing, choice.folder,
                                        {.allow_missing = "allow_missing=",
                                         .one_rank = "strobe.open(...) says where its time went"}));
  Warnings warnings;
  for (const fleet::RankDigest& digest : found.digests) {
    if (!digest.damage.empty()) warnings.push_back(digest.damage);
  }
  const fleet::Job job = fleet::make_job(found.digests, {});
  const std::vector<fleet::Straggler> stragglers = fleet::find_stragglers(job);
  report::JobPage page = {.path = choice.folder,
                          .top = kRowsOfAReport,
                          .unreadable = std::move(found.unreadable),
                          .replay = fleet::replay_traces(found.digests, job)};
  const report::Document shown = report::job_document(job, stragglers, page);
  page.top = 0;
  page.for_tools = true;
  return ReportTexts{.json = report::render_json(report::job_document(job, stragglers, page)),
                     .text = report::render_text(shown, {}),
                     .html = report::document_html(shown),
                     .warnings = std::move(warnings)};
}

}  // namespace strobe::python

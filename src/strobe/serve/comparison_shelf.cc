#include "strobe/serve/comparison_shelf.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/one_run.h"
#include "strobe/report/compare/compare_formats.h"
#include "strobe/report/compare/straggler_report.h"
#include "strobe/serve/open_trace.h"

namespace strobe::serve {
namespace {

// "a/rank3" is a rank of "a".
bool is_rank_of(const FoundTrace& trace, std::string_view run) {
  return readers::is_rank_folder(trace.path.parent_path()) && trace.run.size() > run.size() &&
         trace.run.starts_with(run) && trace.run[run.size()] == '/' &&
         trace.run.find('/', run.size() + 1) == std::string::npos;
}

template <class Belongs>
std::vector<FoundTrace> those(const std::vector<FoundTrace>& files, Belongs belongs) {
  std::vector<FoundTrace> found;
  std::ranges::copy_if(files, std::back_inserter(found), belongs);
  return found;
}

std::string last_part(std::string_view name) {
  return std::string(name.substr(name.rfind('/') + 1));
}

struct RunQuestion {
  ServedRun normal;
  ServedRun abnormal;
  compare::More<ServedRun> more;
  compare::CompareOptions options;
};

Result<RunQuestion> read_run_question(const Query& query, const std::vector<FoundTrace>& files) {
  RunQuestion question;
  STROBE_TRY(const std::string normal, query.text("normal"));
  STROBE_TRY(const std::string abnormal, query.text("abnormal"));
  STROBE_TRY(question.normal, find_run("normal", normal, files));
  STROBE_TRY(question.abnormal, find_run("abnormal", abnormal, files));
  const auto find_more = [&](std::string_view parameter,
                             std::vector<ServedRun>& runs) -> Result<void> {
    for (const std::string& name : query.texts(parameter)) {
      STROBE_TRY(ServedRun run, find_run(parameter, name, files));
      runs.push_back(std::move(run));
    }
    return {};
  };
  STROBE_TRY_VOID(find_more("baseline", question.more.normal));
  STROBE_TRY_VOID(find_more("repeat", question.more.abnormal));
  compare::CompareOptions& options = question.options;
  STROBE_TRY(options.measure.cycles,
             analysis::parse_cycle_options("cycle", query.optional_text("cycle").value_or("")));
  STROBE_TRY(const std::int64_t align, query.integer_or("align", 0, 0, 1));
  options.align_devices = align == 1;
  return question;
}

std::string comparison_key(const Query& query, const RunQuestion& question) {
  std::string key = fmt::format("{}\n{}\n{}\n{}", query.optional_text("cycle").value_or(""),
                                question.options.align_devices, question.normal.content_key(),
                                question.abnormal.content_key());
  for (const ServedRun& run : question.more.normal) key += "\n" + run.content_key();
  key += '\n';
  for (const ServedRun& run : question.more.abnormal) key += "\n" + run.content_key();
  return key;
}

struct OpenRuns {
  Run normal;
  Run abnormal;
  compare::More<Run> more;
};

// Uses the last part of the names if that distinguishes the two.
void shorten_labels(OpenRuns& runs) {
  if (last_part(runs.normal.label) == last_part(runs.abnormal.label)) return;
  runs.normal.label = last_part(runs.normal.label);
  runs.abnormal.label = last_part(runs.abnormal.label);
}

Result<OpenRuns> open_all(const RunQuestion& question, const TraceLookup& traces) {
  // Opens all of them before checking, so that they load in parallel.
  auto normal = open_run(question.normal, traces);
  auto abnormal = open_run(question.abnormal, traces);
  OpenRuns runs;
  std::optional<Error> missing;
  const auto open_more = [&](const std::vector<ServedRun>& more, std::vector<Run>& opened) {
    for (const ServedRun& served : more) {
      auto run = open_run(served, traces);
      if (run) {
        opened.push_back(std::move(*run));
      } else if (!missing) {
        missing = run.error();
      }
    }
  };
  open_more(question.more.normal, runs.more.normal);
  open_more(question.more.abnormal, runs.more.abnormal);
  STROBE_TRY(runs.normal, std::move(normal));
  STROBE_TRY(runs.abnormal, std::move(abnormal));
  if (missing) return *missing;
  shorten_labels(runs);
  return runs;
}

// Hints name flags of the command; here they are parameters.
Error in_words_of_the_api(Error error) {
  constexpr std::string_view kFlag = "--align";
  const std::size_t at = error.hint.find(kFlag);
  if (at != std::string::npos) error.hint.replace(at, kFlag.size(), "align=1");
  return error;
}

Result<ComparisonShelf::Body> compared(const OpenRuns& runs,
                                       const compare::CompareOptions& options) {
  auto comparison = compare::compare_runs(runs.normal, runs.abnormal, runs.more, options);
  if (!comparison) return in_words_of_the_api(std::move(comparison).error());
  return std::make_shared<const std::string>(report::compare_json(*comparison));
}

}  // namespace

std::string ServedRun::content_key() const {
  std::string key = name;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    key += fmt::format("\n{}: {}", traces[i].name, stamp_text(traces[i].stamp));
    const auto& metrics = files[i].metrics;
    const auto stamp = metrics ? stamp_of(*metrics) : std::nullopt;
    if (stamp) key += fmt::format(", {}", stamp_text(*stamp));
  }
  return key;
}

Result<ServedRun> find_run(std::string_view parameter, const std::string& name,
                           const std::vector<FoundTrace>& files) {
  ServedRun run;
  run.name = name;
  run.traces = those(files, [&](const FoundTrace& one) { return one.run == name; });
  if (run.traces.empty()) {
    run.traces = those(files, [&](const FoundTrace& one) { return is_rank_of(one, name); });
  }
  if (run.traces.empty()) {
    run.traces = those(files, [&](const FoundTrace& one) { return one.name == name; });
  }
  if (run.traces.empty()) {
    return Error{.code = ErrorCode::kNotFound,
                 .what = fmt::format("no run or trace is called '{}'", name),
                 .where = std::string(parameter),
                 .hint = "see /api/v1/runs"};
  }
  for (const FoundTrace& trace : run.traces) {
    run.files.push_back(readers::rank_files_of(trace.path));
  }
  return run;
}

Result<Run> open_run(const ServedRun& served, const TraceLookup& traces) {
  std::vector<readers::RankTrace> opened;
  std::optional<Error> missing;
  for (const FoundTrace& found : served.traces) {
    // All are requested, so that all start to load.
    auto open = traces(found.name);
    if (!open) {
      if (!missing) missing = open.error();
      continue;
    }
    opened.push_back({.name = found.name,
                      .trace = std::shared_ptr<const Trace>(*open, &(*open)->trace()),
                      .snapshot = {*open, (*open)->snapshot()},
                      .import = (*open)->report()});
  }
  if (missing) return *missing;
  auto samples = readers::read_samples(served.files);
  if (!samples) {
    Error error = samples.error();
    error.where = served.name + "/" + last_part(error.where);
    return error;
  }
  Run run;
  run.label = served.name;
  STROBE_TRY(run.ranks,
             readers::capture_ranks(served.files, *samples, std::move(opened), served.name));
  return run;
}

Result<ComparisonShelf::Body> ComparisonShelf::answer(const Query& query,
                                                      const std::vector<FoundTrace>& files,
                                                      const TraceLookup& traces) {
  if (const auto run = query.optional_text("run")) return ranks(query, *run, files, traces);
  STROBE_TRY(const RunQuestion question, read_run_question(query, files));
  const auto kept = kept_.place_of(comparison_key(query, question));
  if (const Result<Body>* known = kept->peek()) return *known;
  STROBE_TRY(const OpenRuns runs, open_all(question, traces));
  return kept->get([&] { return compared(runs, question.options); });
}

Result<ComparisonShelf::Body> ComparisonShelf::ranks(const Query& query, const std::string& name,
                                                     const std::vector<FoundTrace>& files,
                                                     const TraceLookup& traces) {
  STROBE_TRY(const ServedRun served, find_run("run", name, files));
  compare::CompareOptions options;
  const std::string cycle = query.optional_text("cycle").value_or("");
  STROBE_TRY(options.measure.cycles, analysis::parse_cycle_options("cycle", cycle));
  const auto kept = kept_.place_of(fmt::format("ranks\n{}\n{}", cycle, served.content_key()));
  if (const Result<Body>* known = kept->peek()) return *known;
  STROBE_TRY(const Run run, open_run(served, traces));
  return kept->get([&]() -> Result<Body> {
    STROBE_TRY(const compare::Stragglers stragglers, compare::find_stragglers(run, options));
    return std::make_shared<const std::string>(report::straggler_json(stragglers));
  });
}

}  // namespace strobe::serve

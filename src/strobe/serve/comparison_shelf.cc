#include "strobe/serve/comparison_shelf.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/compare/comparison.h"
#include "strobe/report/compare/compare_formats.h"
#include "strobe/serve/served_run.h"

namespace strobe::serve {
namespace {

struct Request {
  ServedRun normal;
  ServedRun abnormal;
  std::vector<ServedRun> baselines;
  compare::CompareOptions options;
};

Result<Request> read_request(const Query& query, const std::vector<FoundTrace>& files) {
  Request request;
  STROBE_TRY(const std::string normal, query.text("normal"));
  STROBE_TRY(const std::string abnormal, query.text("abnormal"));
  STROBE_TRY(request.normal, find_run("normal", normal, files));
  STROBE_TRY(request.abnormal, find_run("abnormal", abnormal, files));
  for (const std::string& name : query.texts("baseline")) {
    STROBE_TRY(ServedRun run, find_run("baseline", name, files));
    request.baselines.push_back(std::move(run));
  }
  compare::CompareOptions& options = request.options;
  STROBE_TRY(options.measure.cycles,
             analysis::parse_cycle_options("cycle", query.optional_text("cycle").value_or("")));
  STROBE_TRY(const std::int64_t align, query.integer_or("align", 0, 0, 1));
  options.align_devices = align == 1;
  return request;
}

std::string key_of(const Query& query, const Request& request) {
  std::string key = fmt::format("{}\n{}\n{}\n{}", query.optional_text("cycle").value_or(""),
                                request.options.align_devices, request.normal.content_key(),
                                request.abnormal.content_key());
  for (const ServedRun& run : request.baselines) key += "\n" + run.content_key();
  return key;
}

struct OpenRuns {
  Run normal;
  Run abnormal;
  std::vector<Run> baselines;
};

// The last part of a name where that tells the two apart.
void shorten_labels(OpenRuns& runs) {
  const auto shortened = [](const std::string& label) {
    return label.substr(label.rfind('/') + 1);
  };
  if (shortened(runs.normal.label) == shortened(runs.abnormal.label)) return;
  runs.normal.label = shortened(runs.normal.label);
  runs.abnormal.label = shortened(runs.abnormal.label);
}

Result<OpenRuns> open_all(const Request& request, const TraceLookup& traces) {
  // Opening one after the other would load one after the other.
  auto normal = open_run(request.normal, traces);
  auto abnormal = open_run(request.abnormal, traces);
  OpenRuns runs;
  std::optional<Error> missing;
  for (const ServedRun& served : request.baselines) {
    auto baseline = open_run(served, traces);
    if (baseline) {
      runs.baselines.push_back(std::move(*baseline));
    } else if (!missing) {
      missing = baseline.error();
    }
  }
  STROBE_TRY(runs.normal, std::move(normal));
  STROBE_TRY(runs.abnormal, std::move(abnormal));
  if (missing) return *missing;
  shorten_labels(runs);
  return runs;
}

Result<ComparisonShelf::Body> compared(const OpenRuns& runs,
                                       const compare::CompareOptions& options) {
  const auto comparison =
      compare::compare_runs(runs.normal, runs.abnormal, runs.baselines, options);
  if (!comparison) {
    Error error = comparison.error();
    if (error.where == "--cycle") error.where = "cycle";  // parameters have no dashes
    return error;
  }
  return std::make_shared<const std::string>(report::compare_json(*comparison));
}

}  // namespace

Result<ComparisonShelf::Body> ComparisonShelf::answer(const Query& query,
                                                      const std::vector<FoundTrace>& files,
                                                      const TraceLookup& traces) {
  STROBE_TRY(const Request request, read_request(query, files));
  const auto kept = kept_.place_of(key_of(query, request));
  if (const Result<Body>* known = kept->peek()) return *known;
  STROBE_TRY(const OpenRuns runs, open_all(request, traces));
  return kept->get([&] { return compared(runs, request.options); });
}

}  // namespace strobe::serve

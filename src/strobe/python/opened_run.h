#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/query/filled_tables.h"
#include "strobe/query/query.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/report/render/document.h"
#include "strobe/trace/run.h"

// What `import strobe` offers, without Python: a run that stays open, comparisons of runs, and jobs
// of many ranks.
namespace strobe::python {

struct OpenChoice {
  readers::LoadOptions load;
  bool cached = true;  // like the command line: from the cache, if the file is there
};

class OpenedRun {
 public:
  static Result<std::shared_ptr<const OpenedRun>> open(const std::string& path,
                                                       const OpenChoice& choice);

  const Run& run() const { return *run_; }
  const query::FilledTables& tables() const { return tables_; }

  // About input that was lost, a sentence each.
  std::vector<std::string> warnings() const;

  // What `strobe summary --format json` prints.
  Result<std::string> summary_json() const;
  // The head of the same report, its findings and where the average step went, for a notebook.
  Result<std::string> overview_html() const;

  // The whole answer of DuckDB to a query.
  Result<std::vector<query::NamedColumn>> ask(const std::string& sql,
                                              const query::Limits& limits) const;

  explicit OpenedRun(std::shared_ptr<const Run> run);

 private:
  std::vector<query::TraceInput> inputs() const;
  Result<report::Document> document() const;

  std::shared_ptr<const Run> run_;
  query::FilledTables tables_;
  mutable std::mutex asking_;  // an engine answers one query at a time
  mutable std::optional<query::Engine> engine_;
};

struct CompareChoice {
  OpenChoice open;
  std::vector<std::string> normal;  // the first is compared; more of them tell the noise
  std::vector<std::string> abnormal;
  std::optional<std::int32_t> rank;
};

// One answer in three forms.
struct ReportTexts {
  std::string json;  // what the command line prints with `--format json`
  std::string text;
  std::string html;
  std::vector<std::string> warnings;  // about input that was lost, a sentence each
};

// Of traces, runs, folders of several runs, and digests, as on the command line.
Result<ReportTexts> compare_runs(const CompareChoice& choice);

struct JobChoice {
  OpenChoice open;
  std::string folder;             // with one trace per rank
  std::size_t allow_missing = 0;  // files that cannot be read
};

// Which rank holds a job up, why, and what that costs. One trace after the other is read and
// dropped, as many at once as there are threads.
Result<ReportTexts> explain_job(const JobChoice& choice);

}  // namespace strobe::python

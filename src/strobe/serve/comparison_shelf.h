#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/readers/run_reader.h"
#include "strobe/serve/api.h"
#include "strobe/serve/on_demand.h"
#include "strobe/serve/query.h"
#include "strobe/serve/run_folder.h"

namespace strobe::serve {

// What a request names as a run, on disk: the traces of one folder, of its rank0/, rank1/, ..., or
// a single trace; with the samples that belong to them.
struct ServedRun {
  std::string name;
  std::vector<FoundTrace> traces;
  std::vector<readers::RankFiles> files;  // per trace

  // Changes with the content of any of its files.
  std::string content_key() const;
};

// `parameter` is what errors call the culprit.
Result<ServedRun> find_run(std::string_view parameter, const std::string& name,
                           const std::vector<FoundTrace>& files);

// The run of traces that are loaded already; an error for the first that is not.
Result<Run> open_run(const ServedRun& served, const TraceLookup& traces);

// /api/v1/compare: runs of the folder compared, as docs/api.md says. A comparison takes its time
// and people come back to it, so the last few answers are kept until a file of theirs changes.
class ComparisonShelf {
 public:
  using Body = std::shared_ptr<const std::string>;

  // `files`: all that is served. Traces come from `traces`; samples beside them are read now.
  Result<Body> answer(const Query& query, const std::vector<FoundTrace>& files,
                      const TraceLookup& traces);

 private:
  LastAsked<Result<Body>> kept_{8};
};

}  // namespace strobe::serve

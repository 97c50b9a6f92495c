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

// The files of a requested run: the traces of one folder, of its rank0/, rank1/, ..., or a single
// trace; with their samples.
struct ServedRun {
  std::string name;
  std::vector<FoundTrace> traces;
  std::vector<readers::RankFiles> files;  // per trace

  // Changes with the content of any of its files.
  std::string content_key() const;
};

// `parameter` is its name in errors.
Result<ServedRun> find_run(std::string_view parameter, const std::string& name,
                           const std::vector<FoundTrace>& files);

// The run of loaded traces; an error for the first that is not loaded.
Result<Run> open_run(const ServedRun& served, const TraceLookup& traces);

// /api/v1/compare: compares runs of the folder, or the ranks of one, as in docs/api.md. A
// comparison takes time and users come back to it, so the last few answers are kept until one of
// their files changes.
class ComparisonShelf {
 public:
  using Body = std::shared_ptr<const std::string>;

  // `files`: everything that is served. Traces come from `traces`; their samples are read now.
  Result<Body> answer(const Query& query, const std::vector<FoundTrace>& files,
                      const TraceLookup& traces);

 private:
  Result<Body> ranks(const Query& query, const std::string& name,
                     const std::vector<FoundTrace>& files, const TraceLookup& traces);

  LastAsked<Result<Body>> kept_{8};
};

}  // namespace strobe::serve

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/serve/api.h"
#include "strobe/serve/last_asked.h"
#include "strobe/serve/query.h"
#include "strobe/serve/run_folder.h"

namespace strobe::serve {

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

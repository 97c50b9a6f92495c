#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/serve/api.h"
#include "strobe/serve/fleet_answer.h"
#include "strobe/serve/on_demand.h"
#include "strobe/serve/open_trace.h"
#include "strobe/serve/query.h"
#include "strobe/serve/trace_shelf.h"

namespace strobe::serve {

// /api/v1/fleet and below: the ranks of a job, as in docs/api.md. The digest of a
// trace is kept until its file changes, even if the trace is dropped; so are the last few jobs.
class FleetShelf {
 public:
  using Body = std::shared_ptr<const std::string>;

  // `route`: "fleet" or "fleet/exchanges". `view`: everything that is served.
  Result<Body> answer(std::string_view route, const Query& query, const ShelfView& view,
                      const TraceLookup& traces);

 private:
  using DigestPlace = std::shared_ptr<const OnDemand<Result<KeptDigest>>>;
  using JobResult = Result<std::shared_ptr<const ServedJob>>;

  struct Place {
    std::string stamp;  // of the file
    DigestPlace digest;
  };

  JobResult job(const Query& query, const ShelfView& view, const TraceLookup& traces);
  std::vector<DigestPlace> places_of(const std::vector<FoundTrace>& asked, const ShelfView& view);

  std::mutex mutex_;
  std::map<std::string, Place> digests_;  // by trace
  std::atomic<std::uint64_t> jobs_made_ = 0;
  LastAsked<JobResult> jobs_{4};
};

}  // namespace strobe::serve

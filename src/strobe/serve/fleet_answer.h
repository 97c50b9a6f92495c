#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/fleet/job.h"
#include "strobe/fleet/waits/exchange_index.h"
#include "strobe/serve/query.h"

// A job of many ranks: its JSON, as in docs/api.md.
namespace strobe::serve {

// From times of a rank's trace, since its origin, to times of the job:
// job_ns + (t - trace_ns) * (1 - gains_ppm / 1e6).
struct RankClock {
  std::int64_t trace_ns = 0;
  std::int64_t job_ns = 0;
  double gains_ppm = 0;
};

// When the first step of a trace begins, since the origin of the trace; by the name of the trace.
using FirstSteps = std::map<std::string, std::int64_t>;

struct JobQuestion {
  std::string name;  // of the job
  bool align = true;
  std::uint64_t generation = 0;
};

// A job with everything that its answers need.
class ServedJob {
 public:
  // `digests` by rank.
  ServedJob(const JobQuestion& question, const std::vector<fleet::RankDigest>& digests,
            const FirstSteps& first_steps);
  ServedJob(const ServedJob&) = delete;  // the index refers to the job
  ServedJob& operator=(const ServedJob&) = delete;

  std::uint64_t generation() const { return generation_; }
  const fleet::Job& job() const { return job_; }
  // Where times of the job begin: with the first common step of any rank.
  std::int64_t origin_ns() const { return origin_ns_; }
  const std::vector<RankClock>& clocks() const { return clocks_; }  // parallel to the ranks
  const fleet::ExchangeIndex& exchanges() const { return exchanges_; }
  const std::shared_ptr<const std::string>& body() const { return body_; }  // of /api/v1/fleet

 private:
  std::uint64_t generation_;
  fleet::Job job_;
  std::int64_t origin_ns_;
  std::vector<RankClock> clocks_;
  fleet::ExchangeIndex exchanges_;
  std::shared_ptr<const std::string> body_;
};

// /api/v1/fleet/exchanges
Result<std::string> exchanges_answer(const Query& query, const ServedJob& served);

}  // namespace strobe::serve

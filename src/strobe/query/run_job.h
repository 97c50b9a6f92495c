#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/fleet/job.h"
#include "strobe/query/trace_source.h"
#include "strobe/trace/ids.h"

// What the ranks of a run did together.
namespace strobe::query {

// A trace of a run as a rank of its job. Without slices it is none, and has no rows.
struct RankInJob {
  const fleet::Job* job = nullptr;
  std::size_t place = 0;  // in Job::ranks

  // On the clock of the trace.
  std::vector<Interval> steps;  // parallel to Job::steps
  std::vector<Interval> calls;  // of the rank; Arrival::call is one

  struct OwnArrival {
    std::size_t exchange = 0;  // in Job::exchanges
    std::size_t arrival = 0;   // in Job::arrivals
  };
  std::vector<OwnArrival> arrivals;    // by their start
  std::vector<std::size_t> exchanges;  // in which no rank before it takes part

  const fleet::RankOfJob& rank() const { return job->ranks[place]; }
};

// The traces of one run, and the job that they are, made when a query asks for it. Where two
// traces have one rank number, nobody knows whom the others met: each is a job of its own.
class RunJob {
 public:
  // `traces`: what they point to must outlive it.
  RunJob(std::vector<TraceInput> traces, unsigned threads)
      : traces_(std::move(traces)), threads_(threads) {}

  // `trace`: its place among the traces.
  const RankInJob& rank(std::size_t trace) const;

 private:
  struct Made {
    std::deque<fleet::Job> jobs;
    std::vector<RankInJob> ranks;  // parallel to the traces
  };
  Made make() const;
  void add_job(const std::vector<std::size_t>& traces,
               const std::vector<fleet::RankDigest>& digests, Made& made) const;

  std::vector<TraceInput> traces_;
  unsigned threads_;
  Lazy<Made> made_;
};

}  // namespace strobe::query

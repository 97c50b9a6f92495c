#include "strobe/query/run_job.h"

#include <algorithm>
#include <set>

#include "strobe/base/threads.h"
#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/fleet/waits/make_job.h"

namespace strobe::query {
namespace {

// As the trace's own clock shows it.
Interval on_clock_of(const Trace& trace, const Interval& wall_clock) {
  const std::int64_t base_ns = trace.metadata().base_time_ns;
  return {wall_clock.start_ns - base_ns, wall_clock.end_ns - base_ns};
}

bool has_each_rank_once(const std::vector<fleet::RankDigest>& digests) {
  std::set<std::int32_t> seen;
  return std::ranges::all_of(
      digests, [&](const fleet::RankDigest& digest) { return seen.insert(digest.rank).second; });
}

}  // namespace

const RankInJob& RunJob::rank(std::size_t trace) const {
  return made_.get([&] { return make(); }).ranks[trace];
}

RunJob::Made RunJob::make() const {
  Made made;
  made.ranks.resize(traces_.size());
  std::vector<std::size_t> present;
  for (std::size_t i = 0; i < traces_.size(); ++i) {
    if (traces_[i].trace->slice_count() > 0) present.push_back(i);
  }
  if (present.empty()) return made;
  std::vector<fleet::RankDigest> digests(present.size());
  each_in_threads(present.size(), threads_, [&](std::size_t i) {
    const TraceInput& input = traces_[present[i]];
    digests[i] = fleet::make_rank_digest(*input.trace, input.rank,
                                         {.file = input.path, .host = {}, .fingerprint = {}});
  });
  if (has_each_rank_once(digests)) {
    add_job(present, digests, made);
    return made;
  }
  for (std::size_t i = 0; i < present.size(); ++i) {
    add_job({present[i]}, {std::move(digests[i])}, made);
  }
  return made;
}

void RunJob::add_job(const std::vector<std::size_t>& traces,
                     const std::vector<fleet::RankDigest>& digests, Made& made) const {
  const fleet::Job& job =
      made.jobs.emplace_back(fleet::make_job(digests, {.with_exchanges = true}));
  std::vector<RankInJob*> by_place;
  for (const fleet::RankDigest* digest : fleet::by_rank(digests)) {
    const std::size_t number = traces[static_cast<std::size_t>(digest - digests.data())];
    const Trace& trace = *traces_[number].trace;
    RankInJob& rank = made.ranks[number];
    rank.job = &job;
    rank.place = by_place.size();
    for (const std::size_t step : rank.rank().own_steps) {
      rank.steps.push_back(on_clock_of(trace, digest->steps[step].interval));
    }
    for (const fleet::ExchangeCall& call : digest->calls) {
      rank.calls.push_back(on_clock_of(trace, call.interval));
    }
    by_place.push_back(&rank);
  }
  for (std::size_t number = 0; number < job.exchanges.size(); ++number) {
    const fleet::Exchange& exchange = job.exchanges[number];
    by_place[job.arrivals[exchange.first_arrival].rank]->exchanges.push_back(number);
    for (std::size_t i = 0; i < exchange.arrival_count; ++i) {
      const std::size_t arrival = exchange.first_arrival + i;
      by_place[job.arrivals[arrival].rank]->arrivals.push_back({number, arrival});
    }
  }
  for (RankInJob* rank : by_place) {
    std::ranges::sort(rank->arrivals, {}, [&](const RankInJob::OwnArrival& own) {
      return job.arrivals[own.arrival].call;
    });
  }
}

}  // namespace strobe::query

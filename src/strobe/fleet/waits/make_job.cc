#include "strobe/fleet/waits/make_job.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "strobe/fleet/clocks/clocks.h"
#include "strobe/fleet/matching/matching.h"
#include "strobe/fleet/waits/common_steps.h"

namespace strobe::fleet {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Between the two middle ones, where there are two.
std::int64_t middle_of_sorted_ns(const std::vector<std::int64_t>& values) {
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return values[middle - 1] + (values[middle] - values[middle - 1]) / 2;
}

std::int64_t middle_ns(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return middle_of_sorted_ns(values);
}

// The median of all but one.
std::int64_t middle_without_ns(const std::vector<std::int64_t>& sorted, std::size_t left_out) {
  const auto other = [&](std::size_t i) { return sorted[i < left_out ? i : i + 1]; };
  const std::size_t middle = (sorted.size() - 1) / 2;
  if (sorted.size() % 2 == 0) return other(middle);
  return other(middle - 1) + (other(middle) - other(middle - 1)) / 2;
}

// One call on the common clock.
struct TimedCall {
  Interval interval;
  std::int64_t last_arrival_ns = 0;  // of its exchange, within the interval
  std::size_t exchange = kNone;      // in Matching::exchanges
};

// An exchange among more than two, on the common clock.
struct TimedExchange {
  std::size_t last = kNone;          // the rank that came last, alone; a position
  std::size_t last_step = kNone;     // of that rank, in which it came
  std::size_t step = kNone;          // in which the exchange counts: that of a last rank
  std::size_t row = 0;               // in Job::collectives
  std::int64_t next_to_last_ns = 0;  // when the last of the others came
  std::int64_t wait_ns = 0;          // of all ranks together
  std::int64_t transfer_ns = 0;      // likewise
  std::int64_t middle_transfer_ns = 0;
};

class JobMaker {
 public:
  JobMaker(std::vector<const RankDigest*> digests, const JobOptions& options)
      : digests_(std::move(digests)),
        matching_(match_exchanges(digests_)),
        clocks_(options.align ? fit_clocks(digests_, matching_) : own_clocks(digests_)),
        steps_(common_steps(digests_, clocks_)),
        with_exchanges_(options.with_exchanges) {}

  Job make() {
    job_.steps = steps_.names;
    add_ranks();
    time_calls();
    for (std::size_t i = 0; i < matching_.exchanges.size(); ++i) time_exchange(i);
    for (std::size_t rank = 0; rank < digests_.size(); ++rank) {
      account(rank);
      finish_lateness(rank);
    }
    add_collectives();
    if (with_exchanges_) add_exchanges();
    job_.mismatches = std::move(matching_.mismatches);
    job_.clocks = std::move(clocks_);
    return std::move(job_);
  }

 private:
  void add_ranks() {
    for (std::size_t rank = 0; rank < digests_.size(); ++rank) {
      const RankDigest& digest = *digests_[rank];
      RankOfJob& of_job = job_.ranks.emplace_back();
      of_job.rank = digest.rank;
      of_job.file = digest.file;
      of_job.host = digest.host;
      of_job.stage = digest.stage;
      of_job.recorded_steps = digest.steps.size();
      of_job.first_step = digest.steps.front().name;
      of_job.last_step = digest.steps.back().name;
      of_job.own_steps = steps_.of_ranks[rank];
      for (const std::size_t step : of_job.own_steps) {
        const Interval interval = clocks_.common(rank, digest.steps[step].interval);
        of_job.steps.push_back({.start_ns = interval.start_ns,
                                .end_ns = interval.end_ns,
                                .kernels = digest.steps[step].kernels});
      }
    }
  }

  std::size_t step_at(std::size_t rank, std::int64_t time_ns) const {
    const auto& steps = job_.ranks[rank].steps;
    const auto after = std::ranges::upper_bound(steps, time_ns, {}, &RankStep::start_ns);
    if (after == steps.begin() || time_ns >= (after - 1)->end_ns) return kNone;
    return static_cast<std::size_t>(after - steps.begin()) - 1;
  }

  // Where nobody is known to be waited for, all of it is transfer.
  void time_calls() {
    for (std::size_t rank = 0; rank < digests_.size(); ++rank) {
      auto& calls = calls_.emplace_back();
      for (const ExchangeCall& call : digests_[rank]->calls) {
        const Interval interval = clocks_.common(rank, call.interval);
        calls.push_back({.interval = interval, .last_arrival_ns = interval.start_ns});
      }
    }
  }

  void time_exchange(std::size_t number) {
    const MatchedExchange& exchange = matching_.exchanges[number];
    const auto parts = matching_.parts_of(exchange);
    std::vector<std::pair<std::int64_t, std::size_t>> arrivals;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      arrivals.emplace_back(calls_[parts[i].rank][parts[i].call].interval.start_ns, i);
    }
    std::ranges::sort(arrivals);
    const std::int64_t last_ns = arrivals.back().first;
    TimedExchange& timed = exchanges_.emplace_back();
    std::vector<std::int64_t> transfers_ns;
    for (const Part& part : parts) {
      TimedCall& call = calls_[part.rank][part.call];
      call.exchange = number;
      ++job_.ranks[part.rank].exchanges;
      // Clocks that differ a little may show an end before the last arrival.
      call.last_arrival_ns = std::min(last_ns, call.interval.end_ns);
      timed.wait_ns += call.last_arrival_ns - call.interval.start_ns;
      transfers_ns.push_back(call.interval.end_ns - call.last_arrival_ns);
    }
    timed.transfer_ns = std::accumulate(transfers_ns.begin(), transfers_ns.end(), std::int64_t{0});
    timed.middle_transfer_ns = middle_ns(std::move(transfers_ns));
    const std::size_t last_rank = parts[arrivals.back().second].rank;
    timed.step = step_at(last_rank, last_ns);
    if (is_between_two(exchange.kind)) return;
    if (arrivals[arrivals.size() - 2].first != last_ns) {
      timed.last = last_rank;
      timed.last_step = timed.step;
      timed.next_to_last_ns = arrivals[arrivals.size() - 2].first;
    }
    add_lateness(parts, arrivals, timed);
  }

  void add_lateness(std::span<const Part> parts,
                    const std::vector<std::pair<std::int64_t, std::size_t>>& arrivals,
                    const TimedExchange& timed) {
    std::vector<std::int64_t> times_ns;
    for (const auto& [time_ns, part] : arrivals) times_ns.push_back(time_ns);
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const std::size_t rank = parts[arrivals[i].second].rank;
      const std::size_t step = step_at(rank, times_ns[i]);
      if (step == kNone) continue;
      RankStep& of_step = job_.ranks[rank].steps[step];
      ++of_step.collectives;
      if (timed.last == rank) ++of_step.last;
      of_step.lateness_ns += times_ns[i] - middle_without_ns(times_ns, i);
    }
  }

  // From the sum over its collectives to their mean.
  void finish_lateness(std::size_t rank) {
    for (RankStep& step : job_.ranks[rank].steps) {
      if (step.collectives == 0) continue;
      step.lateness_ns /= static_cast<std::int64_t>(step.collectives);
    }
  }

  IntervalSet on_common_clock(std::size_t rank, const IntervalSet& own) const {
    std::vector<Interval> moved;
    for (const Interval& interval : own) {
      const Interval common = clocks_.common(rank, interval);
      if (common.length_ns() > 0) moved.push_back(common);
    }
    return union_of(std::move(moved));
  }

  // The sets are disjoint afterwards: at each moment, the first that holds it.
  void account(std::size_t rank) {
    std::vector<Interval> transfers;
    std::vector<Interval> waits;
    for (const TimedCall& call : calls_[rank]) {
      const auto [start_ns, end_ns] = call.interval;
      if (call.last_arrival_ns > start_ns) waits.push_back({start_ns, call.last_arrival_ns});
      if (end_ns > call.last_arrival_ns) transfers.push_back({call.last_arrival_ns, end_ns});
    }
    IntervalSet held = on_common_clock(rank, digests_[rank]->compute);
    const auto next = [&](const IntervalSet& set) {
      IntervalSet rest = difference_of(set, held);
      held = union_of(held, set);
      return rest;
    };
    add_up(rank, held, &RankStep::compute_ns);
    add_up(rank, next(on_common_clock(rank, digests_[rank]->copy)), &RankStep::copy_ns);
    add_up(rank, next(union_of(std::move(transfers))), &RankStep::transfer_ns);
    const IntervalSet exposed_waits = next(union_of(std::move(waits)));
    add_up(rank, exposed_waits, &RankStep::wait_ns);
    add_up(rank, next(on_common_clock(rank, digests_[rank]->input)), &RankStep::input_ns);
    add_host(rank, held);
    find_causes(rank, exposed_waits);
  }

  // Calls use(step, interval) for the parts of a set in the rank's steps.
  template <class Use>
  void for_each_in_steps(std::size_t rank, const IntervalSet& set, Use use) {
    auto next = set.begin();
    for (RankStep& step : job_.ranks[rank].steps) {
      while (next != set.end() && next->end_ns <= step.start_ns) ++next;
      for (auto at = next; at != set.end() && at->start_ns < step.end_ns; ++at) {
        use(step,
            Interval{std::max(at->start_ns, step.start_ns), std::min(at->end_ns, step.end_ns)});
      }
    }
  }

  void add_up(std::size_t rank, const IntervalSet& set, std::int64_t RankStep::*sum_ns) {
    for_each_in_steps(
        rank, set, [&](RankStep& step, const Interval& part) { step.*sum_ns += part.length_ns(); });
  }

  void add_host(std::size_t rank, const IntervalSet& held) {
    std::vector<Interval> steps;
    for (const RankStep& step : job_.ranks[rank].steps) {
      steps.push_back({step.start_ns, step.end_ns});
    }
    const IntervalSet host = difference_of(union_of(std::move(steps)), held);
    for_each_in_steps(rank, host, [](RankStep& step, const Interval& part) {
      step.host_ns += part.length_ns();
      step.longest_host_gap_ns = std::max(step.longest_host_gap_ns, part.length_ns());
      ++step.host_gaps;
    });
    add_up(rank, intersection_of(host, on_common_clock(rank, digests_[rank]->operators)),
           &RankStep::in_operators_ns);
  }

  // A rank that waits in several exchanges at once waits for the one whose last rank comes first.
  void find_causes(std::size_t rank, const IntervalSet& exposed) {
    std::vector<const TimedCall*> calls;
    for (const TimedCall& call : calls_[rank]) {
      if (call.last_arrival_ns > call.interval.start_ns) calls.push_back(&call);
    }
    std::ranges::stable_sort(calls, {},
                             [](const TimedCall* call) { return call->last_arrival_ns; });
    IntervalSet given;  // to earlier calls
    for (const TimedCall* call : calls) {
      Interval wait = {call->interval.start_ns, call->last_arrival_ns};
      const TimedExchange& exchange = exchanges_[call->exchange];
      std::int64_t waited_ns = 0;
      std::int64_t held_up_ns = 0;
      const auto add = [&](Interval part) {
        waited_ns += exposed_ns(rank, exposed, part);
        part.start_ns = std::max(part.start_ns, exchange.next_to_last_ns);
        if (part.start_ns < part.end_ns) held_up_ns += exposed_ns(rank, exposed, part);
      };
      std::int64_t rest_end_ns = wait.end_ns;  // from here back to the start is not given yet
      while (!given.empty() && given.back().end_ns >= wait.start_ns) {
        const Interval before = given.back();
        given.pop_back();
        if (before.end_ns < rest_end_ns) {
          add({before.end_ns, rest_end_ns});
        }
        rest_end_ns = std::min(rest_end_ns, before.start_ns);
        wait.start_ns = std::min(wait.start_ns, before.start_ns);
        if (before.start_ns <= call->interval.start_ns) break;
      }
      if (call->interval.start_ns < rest_end_ns) {
        add({call->interval.start_ns, rest_end_ns});
      }
      given.push_back(wait);
      if (exchange.last_step == kNone) continue;
      RankStep& cause = job_.ranks[exchange.last].steps[exchange.last_step];
      cause.caused_wait_ns += waited_ns;
      cause.held_up_ns += held_up_ns;
    }
  }

  // Within the rank's steps.
  std::int64_t exposed_ns(std::size_t rank, const IntervalSet& exposed,
                          const Interval& part) const {
    std::int64_t sum_ns = 0;
    auto at = std::ranges::upper_bound(exposed, part.start_ns, {}, &Interval::end_ns);
    for (; at != exposed.end() && at->start_ns < part.end_ns; ++at) {
      const Interval shared = {std::max(at->start_ns, part.start_ns),
                               std::min(at->end_ns, part.end_ns)};
      const auto& steps = job_.ranks[rank].steps;
      auto step = std::ranges::upper_bound(steps, shared.start_ns, {}, &RankStep::end_ns);
      for (; step != steps.end() && step->start_ns < shared.end_ns; ++step) {
        sum_ns += std::min(step->end_ns, shared.end_ns) - std::max(step->start_ns, shared.start_ns);
      }
    }
    return sum_ns;
  }

  // ---- Collectives by kind and size

  void add_collectives() {
    using Key = std::tuple<std::uint32_t, ExchangeKind, std::uint64_t, bool>;
    std::map<Key, std::vector<std::size_t>> rows;
    for (std::size_t i = 0; i < matching_.exchanges.size(); ++i) {
      const MatchedExchange& exchange = matching_.exchanges[i];
      rows[{exchange.group, exchange.kind, exchange.bytes, exchange.on_host}].push_back(i);
    }
    for (const auto& [key, exchanges] : rows) {
      for (const std::size_t i : exchanges) exchanges_[i].row = job_.collectives.size();
      job_.collectives.push_back(row_of(exchanges));
    }
  }

  CollectiveRow row_of(const std::vector<std::size_t>& exchanges) const {
    const MatchedExchange& first = matching_.exchanges[exchanges.front()];
    CollectiveRow row;
    row.group = label_of(matching_.groups[first.group]);
    row.kind = word_of(first.kind);
    row.bytes = first.bytes;
    row.on_host = first.on_host;
    row.matched = exchanges.size();
    std::vector<std::int64_t> transfers_ns;
    std::vector<std::vector<std::int64_t>> by_step(job_.steps.size());
    for (const std::size_t i : exchanges) {
      const TimedExchange& timed = exchanges_[i];
      row.ranks = std::max(row.ranks, matching_.exchanges[i].part_count);
      row.wait_ns += timed.wait_ns;
      row.transfer_ns += timed.transfer_ns;
      row.longest_transfer_ns = std::max(row.longest_transfer_ns, timed.middle_transfer_ns);
      transfers_ns.push_back(timed.middle_transfer_ns);
      if (timed.step != kNone) by_step[timed.step].push_back(timed.middle_transfer_ns);
    }
    row.median_transfer_ns = middle_ns(std::move(transfers_ns));
    for (auto& of_step : by_step) row.transfer_by_step.push_back(middle_ns(std::move(of_step)));
    row.bus_factor = bus_factor(first.kind, row.ranks);
    return row;
  }

  // ---- Each exchange

  static std::uint32_t step_number(std::size_t step) {
    return step == kNone ? kNoStep : static_cast<std::uint32_t>(step);
  }

  void add_exchanges() {
    for (std::size_t i = 0; i < exchanges_.size(); ++i) {
      const auto parts = matching_.parts_of(matching_.exchanges[i]);
      job_.exchanges.push_back({.row = static_cast<std::uint32_t>(exchanges_[i].row),
                                .sequence = call_of(parts.front()).sequence,
                                .step = step_number(exchanges_[i].step),
                                .median_transfer_ns = exchanges_[i].middle_transfer_ns,
                                .first_arrival = job_.arrivals.size(),
                                .arrival_count = parts.size()});
      for (const Part& part : parts) {
        const TimedCall& call = calls_[part.rank][part.call];
        const std::int64_t start_ns = call.interval.start_ns;
        job_.arrivals.push_back({.rank = part.rank,
                                 .call = part.call,
                                 .step = step_number(step_at(part.rank, start_ns)),
                                 .interval = call.interval,
                                 .wait_ns = call.last_arrival_ns - start_ns});
      }
    }
  }

  const ExchangeCall& call_of(const Part& part) const {
    return digests_[part.rank]->calls[part.call];
  }

  std::vector<const RankDigest*> digests_;
  Matching matching_;
  Clocks clocks_;
  CommonSteps steps_;
  bool with_exchanges_;
  Job job_;
  std::vector<std::vector<TimedCall>> calls_;  // per rank, parallel to its digest's
  std::vector<TimedExchange> exchanges_;       // parallel to Matching::exchanges
};

}  // namespace

std::vector<const RankDigest*> by_rank(std::span<const RankDigest> digests) {
  std::vector<const RankDigest*> sorted;
  for (const RankDigest& digest : digests) sorted.push_back(&digest);
  std::ranges::stable_sort(sorted, {}, [](const RankDigest* digest) {
    return std::tuple(digest->rank, std::string_view(digest->file),
                      std::string_view(digest->fingerprint),
                      digest->steps.front().interval.start_ns);
  });
  return sorted;
}

Job make_job(std::span<const RankDigest> digests, const JobOptions& options) {
  return JobMaker(by_rank(digests), options).make();
}

}  // namespace strobe::fleet

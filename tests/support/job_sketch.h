#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/stats/dice.h"

// Digests of a job that never ran: every rank computes, then all meet in an all-reduce, several
// times a step. Their truth is known.
namespace strobe::fleet {

struct JobPlan {
  std::size_t ranks = 4;
  std::size_t steps = 3;
  std::size_t calls = 4;             // per step
  std::int64_t work_ns = 1'000'000;  // before each call
  std::int64_t transfer_ns = 100'000;
  std::int64_t noise_ns = 0;  // of work, and a tenth of it when leaving
  bool has_sequences = true;
  std::uint64_t seed = 1;
};

inline RankGroup everybody(std::size_t ranks) {
  return {
      .name = "0", .purpose = "default_pg", .ranks = {}, .size = static_cast<std::uint32_t>(ranks)};
}

inline ExchangeCall call_at(std::int64_t start_ns, std::int64_t end_ns,
                            ExchangeKind kind = ExchangeKind::kAllReduce,
                            std::uint64_t bytes = 1 << 20) {
  return {.interval = {start_ns, end_ns}, .kind = kind, .bytes = bytes};
}

inline RankDigest empty_digest(std::int32_t rank, std::size_t ranks) {
  RankDigest digest;
  digest.rank = rank;
  digest.file = "rank" + std::to_string(rank) + ".json";
  digest.groups = {everybody(ranks)};
  digest.elements = {"Half"};
  return digest;
}

inline std::vector<RankDigest> planned_job(const JobPlan& plan) {
  constexpr std::int64_t kStart_ns = 1'700'000'000'000'000'000;
  stats::Dice dice(plan.seed);
  std::vector<RankDigest> digests;
  for (std::size_t rank = 0; rank < plan.ranks; ++rank) {
    digests.push_back(empty_digest(static_cast<std::int32_t>(rank), plan.ranks));
  }
  const auto noise = [&](double share) {
    return std::llround(share * static_cast<double>(plan.noise_ns) * std::abs(dice.normal()));
  };
  std::vector<std::int64_t> now_ns(plan.ranks, kStart_ns);
  std::int64_t sequence = 100;
  for (std::size_t step = 0; step < plan.steps; ++step) {
    for (std::size_t rank = 0; rank < plan.ranks; ++rank) {
      digests[rank].steps.push_back(
          {"ProfilerStep#" + std::to_string(step), {now_ns[rank], 0}, plan.calls});
    }
    for (std::size_t call = 0; call < plan.calls; ++call, ++sequence) {
      std::vector<std::int64_t> arrivals_ns;
      for (std::size_t rank = 0; rank < plan.ranks; ++rank) {
        const std::int64_t start_ns = now_ns[rank] + 10'000;
        arrivals_ns.push_back(start_ns + plan.work_ns + noise(1));
        digests[rank].compute.push_back({start_ns, arrivals_ns[rank]});
      }
      const std::int64_t last_ns = *std::max_element(arrivals_ns.begin(), arrivals_ns.end());
      for (std::size_t rank = 0; rank < plan.ranks; ++rank) {
        now_ns[rank] = last_ns + plan.transfer_ns + noise(0.1);
        ExchangeCall exchange = call_at(arrivals_ns[rank], now_ns[rank]);
        if (plan.has_sequences) exchange.sequence = sequence;
        digests[rank].calls.push_back(exchange);
      }
    }
    for (std::size_t rank = 0; rank < plan.ranks; ++rank) {
      now_ns[rank] += 5'000;
      digests[rank].steps.back().interval.end_ns = now_ns[rank];
    }
  }
  return digests;
}

// As a clock shows it that is ahead by `offset_ns` at `origin_ns` and gains `drift`.
inline std::int64_t shown_at(std::int64_t time_ns, std::int64_t origin_ns, std::int64_t offset_ns,
                             double drift) {
  return time_ns + offset_ns + std::llround(drift * static_cast<double>(time_ns - origin_ns));
}

inline void set_clock(RankDigest& digest, std::int64_t origin_ns, std::int64_t offset_ns,
                      double drift) {
  const auto move = [&](Interval& interval) {
    interval = {shown_at(interval.start_ns, origin_ns, offset_ns, drift),
                shown_at(interval.end_ns, origin_ns, offset_ns, drift)};
  };
  for (DigestStep& step : digest.steps) move(step.interval);
  for (ExchangeCall& call : digest.calls) move(call.interval);
  for (IntervalSet* set : {&digest.compute, &digest.copy, &digest.input, &digest.operators}) {
    for (Interval& interval : *set) move(interval);
  }
}

}  // namespace strobe::fleet

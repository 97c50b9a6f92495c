#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "strobe/fleet/job.h"

namespace strobe::fleet {

inline constexpr std::int64_t kMs = 1'000'000;

// A job whose ranks are equal but for a tenth of a millisecond: 100 ms of own work in each step, in
// 1000 kernels, then ten collectives of 1 ms together on device. Change the work, then let them
// meet.
inline Job even_job(std::size_t ranks, std::size_t steps, std::size_t hosts = 1) {
  constexpr std::int64_t kFiftieth = kMs / 50;
  Job job;
  for (std::size_t step = 0; step < steps; ++step) job.steps.push_back(std::to_string(step));
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    RankOfJob& one = job.ranks.emplace_back();
    one.rank = static_cast<std::int32_t>(rank);
    one.host = "host" + std::to_string(rank * hosts / ranks);
    for (std::size_t step = 0; step < steps; ++step) {
      const auto wobble = static_cast<std::int64_t>((rank * 7 + step * 5) % 11) - 5;
      one.steps.push_back({.compute_ns = 70 * kMs + wobble * kFiftieth,
                           .copy_ns = 5 * kMs,
                           .input_ns = 5 * kMs,
                           .host_ns = 20 * kMs,
                           .transfer_ns = 10 * kMs,
                           .kernels = 1000,
                           .longest_host_gap_ns = kMs,
                           .host_gaps = 100,
                           .in_operators_ns = 10 * kMs});
    }
  }
  return job;
}

// All ranks wait for the one that works longest.
inline void meet(Job& job) {
  for (std::size_t step = 0; step < job.steps.size(); ++step) {
    std::int64_t longest_ns = 0;
    std::int64_t next_ns = 0;  // of the others
    std::size_t last = 0;
    for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
      if (job.ranks[rank].steps[step].own_ns() <= longest_ns) {
        next_ns = std::max(next_ns, job.ranks[rank].steps[step].own_ns());
        continue;
      }
      next_ns = longest_ns;
      longest_ns = job.ranks[rank].steps[step].own_ns();
      last = rank;
    }
    std::int64_t waited_ns = 0;
    for (RankOfJob& rank : job.ranks) {
      RankStep& at = rank.steps[step];
      at.wait_ns = longest_ns - at.own_ns();
      waited_ns += at.wait_ns;
      at.end_ns = at.start_ns + at.own_ns() + at.wait_ns + at.transfer_ns;
      at.collectives = 10;
      at.last = 0;
      at.caused_wait_ns = at.held_up_ns = 0;
    }
    job.ranks[last].steps[step].last = 10;
    job.ranks[last].steps[step].caused_wait_ns = waited_ns;
    job.ranks[last].steps[step].held_up_ns =
        (longest_ns - next_ns) * static_cast<std::int64_t>(job.ranks.size() - 1);
  }
}

inline void in_all_steps(Job& job, std::size_t rank, const std::function<void(RankStep&)>& change) {
  for (RankStep& step : job.ranks[rank].steps) change(step);
}

}  // namespace strobe::fleet

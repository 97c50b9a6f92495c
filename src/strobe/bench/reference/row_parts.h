#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace strobe::bench {

// Calls part(first, last) for pieces of [0, count), each in its own thread; they share nothing.
template <class Part>
void for_parts(std::int64_t count, std::int64_t least_a_part, const Part& part) {
  const std::int64_t threads =
      std::clamp<std::int64_t>(count / std::max<std::int64_t>(least_a_part, 1), 1,
                               std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (std::int64_t i = 1; i < threads; ++i) {
    others.emplace_back(
        [&part, i, count, threads] { part(i * count / threads, (i + 1) * count / threads); });
  }
  part(0, count / threads);
}

}  // namespace strobe::bench

#include "strobe/fleet/waits/common_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace strobe::fleet {
namespace {

// A name may occur more than once.
using StepKey = std::pair<std::string, std::size_t>;

std::map<StepKey, std::size_t> steps_by_name(const RankDigest& digest) {
  std::map<std::string, std::size_t> occurrences;
  std::map<StepKey, std::size_t> steps;
  for (std::size_t i = 0; i < digest.steps.size(); ++i) {
    const std::string& name = digest.steps[i].name;
    steps.emplace(StepKey(name, occurrences[name]++), i);
  }
  return steps;
}

std::string shown_name(const std::string& name) { return name.empty() ? "whole trace" : name; }

CommonSteps steps_that_meet_by_name(std::span<const RankDigest* const> digests) {
  std::vector<std::map<StepKey, std::size_t>> of_ranks;
  for (const RankDigest* digest : digests) of_ranks.push_back(steps_by_name(*digest));
  std::vector<std::pair<std::size_t, StepKey>> wanted;  // in the first rank's order
  for (const auto& [key, step] : of_ranks.front()) {
    const bool is_everywhere =
        std::ranges::all_of(of_ranks, [&](const auto& steps) { return steps.contains(key); });
    if (is_everywhere) wanted.emplace_back(step, key);
  }
  std::ranges::sort(wanted);
  CommonSteps common;
  common.of_ranks.resize(digests.size());
  for (const auto& [place, key] : wanted) {
    common.names.push_back(shown_name(key.first));
    for (std::size_t rank = 0; rank < digests.size(); ++rank) {
      common.of_ranks[rank].push_back(of_ranks[rank].at(key));
    }
  }
  return common;
}

// The step that shares most of its time with `wanted`, if that is at least half of it.
std::optional<std::size_t> step_at(const RankDigest& digest, std::size_t rank, const Clocks& clocks,
                                   const Interval& wanted) {
  std::optional<std::size_t> best;
  std::int64_t most_ns = wanted.length_ns() / 2;
  for (std::size_t i = 0; i < digest.steps.size(); ++i) {
    const Interval step = clocks.common(rank, digest.steps[i].interval);
    const std::int64_t shared_ns =
        std::min(step.end_ns, wanted.end_ns) - std::max(step.start_ns, wanted.start_ns);
    if (shared_ns < most_ns || shared_ns <= 0) continue;
    most_ns = shared_ns;
    best = i;
  }
  return best;
}

CommonSteps steps_that_meet_in_time(std::span<const RankDigest* const> digests,
                                    const Clocks& clocks) {
  const auto fewest = std::ranges::min_element(
      digests, {}, [](const RankDigest* digest) { return digest->steps.size(); });
  const auto first_rank = static_cast<std::size_t>(fewest - digests.begin());
  CommonSteps common;
  common.of_ranks.resize(digests.size());
  for (const DigestStep& step : (*fewest)->steps) {
    const Interval wanted = clocks.common(first_rank, step.interval);
    std::vector<std::size_t> found;
    for (std::size_t rank = 0; rank < digests.size(); ++rank) {
      const auto other = step_at(*digests[rank], rank, clocks, wanted);
      const auto& before = common.of_ranks[rank];
      if (!other || (!before.empty() && *other <= before.back())) break;
      found.push_back(*other);
    }
    if (found.size() < digests.size()) continue;
    common.names.push_back(shown_name(step.name));
    for (std::size_t rank = 0; rank < digests.size(); ++rank) {
      common.of_ranks[rank].push_back(found[rank]);
    }
  }
  return common;
}

}  // namespace

CommonSteps common_steps(std::span<const RankDigest* const> digests, const Clocks& clocks) {
  const bool are_found = std::ranges::any_of(
      digests, [](const RankDigest* digest) { return digest->steps_are_found; });
  CommonSteps common;
  if (!are_found) common = steps_that_meet_by_name(digests);
  return common.names.empty() ? steps_that_meet_in_time(digests, clocks) : common;
}

}  // namespace strobe::fleet

#include "strobe/analysis/health/rank_health.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "strobe/analysis/health/health_evidence.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/base/interval.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 4;
  if (names.size() <= kMostNames) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(std::span(names).first(kMostNames), ", "),
                     names.size() - kMostNames);
}

// On the wall clock, as far as the files tell it.
Interval time_of(const Trace& trace) {
  const Interval extent = trace.extent();
  const std::int64_t base_ns = trace.metadata().base_time_ns;
  return {extent.start_ns + base_ns, extent.end_ns + base_ns};
}

bool overlap(const Interval& a, const Interval& b) {
  return a.start_ns < b.end_ns && b.start_ns < a.end_ns;
}

MaybeRemark ranks_apart(std::span<const RankHealthInput> ranks) {
  std::vector<std::string> apart;
  for (const RankHealthInput& rank : ranks) {
    if (rank.trace->extent().length_ns() == 0) continue;
    const bool meets_another = std::ranges::any_of(ranks, [&](const RankHealthInput& other) {
      return &other != &rank && overlap(time_of(*rank.trace), time_of(*other.trace));
    });
    if (!meets_another) apart.push_back(rank.name);
  }
  if (apart.empty()) return {};
  return HealthRemark{
      .code = "ranks_apart",
      .verdict = HealthVerdict::kUsable,
      .seen = fmt::format("{} {} not overlap with any other in time ({}): they were recorded at "
                          "different times, or their clocks differ",
                          part_of_text(apart.size(), ranks.size(), "ranks"),
                          plural(apart.size(), "does", "do"), names_text(apart)),
      .consequence =
          "who waits for whom cannot be told from their times; each rank by itself is "
          "right",
      .count = apart.size(),
      .of = ranks.size()};
}

MaybeRemark steps_differ(std::span<const RankHealthInput> ranks) {
  std::map<std::size_t, std::vector<std::string>> by_steps;
  for (const RankHealthInput& rank : ranks) {
    by_steps[list_steps(*rank.trace).size()].push_back(rank.name);
  }
  if (by_steps.size() < 2) return {};
  const std::size_t most = by_steps.rbegin()->first;
  std::vector<std::string> fewer;
  std::vector<std::string> texts;
  for (const auto& [steps, names] : by_steps) {
    if (steps == most) break;
    fewer.insert(fewer.end(), names.begin(), names.end());
    texts.push_back(fmt::format("{} in {}", steps, names_text(names)));
  }
  return HealthRemark{
      .code = "ranks_differ_in_steps",
      .verdict = HealthVerdict::kUsable,
      .seen = fmt::format("the ranks have different numbers of steps: {} against {} in the others",
                          fmt::join(texts, ", "), most),
      .consequence = "sums over the ranks mix them; averages per step stay comparable",
      .count = fewer.size(),
      .of = ranks.size()};
}

// All but a few ranks may have been left out on purpose.
MaybeRemark ranks_missing(std::span<const RankHealthInput> ranks) {
  std::set<std::int32_t> known;
  std::int32_t world_size = 0;
  for (const RankHealthInput& rank : ranks) {
    const Distributed& distributed = rank.trace->metadata().distributed;
    if (distributed.rank) known.insert(*distributed.rank);
    world_size = std::max(world_size, distributed.world_size.value_or(0));
  }
  const auto all = static_cast<std::size_t>(std::max(world_size, 0));
  if (known.size() != ranks.size() || all <= known.size()) return {};
  return HealthRemark{
      .code = "ranks_missing",
      .verdict = HealthVerdict::kComplete,
      .seen = fmt::format("{} are not here", part_of_text(all - known.size(), all, "ranks")),
      .consequence = "sums are of the ranks that are here, and a late rank may be another one",
      .count = all - known.size(),
      .of = all};
}

}  // namespace

std::vector<HealthRemark> judge_ranks_together(std::span<const RankHealthInput> ranks) {
  std::vector<HealthRemark> remarks;
  for (const auto& rule : {ranks_apart, steps_differ, ranks_missing}) {
    if (MaybeRemark seen = rule(ranks)) remarks.push_back(std::move(*seen));
  }
  return remarks;
}

}  // namespace strobe::analysis

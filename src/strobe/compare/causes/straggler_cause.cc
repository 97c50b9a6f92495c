#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "strobe/base/text.h"
#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/change.h"
#include "strobe/compare/collective_time.h"
#include "strobe/compare/slow_ranks.h"

namespace strobe::compare {
namespace {

std::vector<const FunctionRow*> collective_rows(const Symptoms& symptoms,
                                                analysis::CollectiveForm form) {
  std::vector<const FunctionRow*> rows;
  if (form == analysis::CollectiveForm::kNone) return rows;
  for (const FunctionRow& row : symptoms.comparison->functions) {
    if (row.rank != symptoms.rank || row.type != symptoms.cycle->type) continue;
    if (collective_form(row.key, row.is_operator) == form) rows.push_back(&row);
  }
  return rows;
}

// Milliseconds of each cycle that a rank is not in collectives.
std::vector<double> own_times_ms(const std::vector<RankMeasure>& ranks, const Symptoms& symptoms,
                                 analysis::CollectiveForm form) {
  std::vector<double> own_ms;
  const auto measure = std::ranges::find(ranks, symptoms.rank, &RankMeasure::rank);
  if (measure == ranks.end()) return own_ms;
  const CollectiveCycles collectives = collective_cycles(*measure, form);
  for (std::size_t i = 0; i < collectives.time_ns.size(); ++i) {
    const analysis::Cycle& cycle = measure->cycles.cycles[i];
    if (cycle.type != symptoms.cycle->type) continue;
    own_ms.push_back(static_cast<double>(cycle.interval.length_ns() - collectives.time_ns[i]) *
                     1e-6);
  }
  return own_ms;
}

// What a rank did with its cycles in both runs.
struct RankShare {
  const Symptoms* symptoms = nullptr;
  Change wait_ms;  // in collectives
  Change own_ms;   // the rest
  bool waits_more = false;
  RankRow among_ranks = {};  // of the abnormal run
  bool became_slow = false;  // it is slow among the ranks of the abnormal run only

  std::int32_t rank() const { return symptoms->rank; }
};

// Of the ranks that have collectives.
std::vector<RankShare> rank_shares(std::span<const Symptoms> ranks) {
  const Comparison& comparison = *ranks.front().comparison;
  const analysis::CollectiveForm form = std::min(best_collective_form(comparison.normal.ranks),
                                                 best_collective_form(comparison.abnormal.ranks));
  const std::vector<RankRow> before = judged_ranks(comparison.normal.ranks);
  const std::vector<RankRow> after = judged_ranks(comparison.abnormal.ranks);
  std::vector<RankShare> shares;
  for (const Symptoms& symptoms : ranks) {
    const std::vector<const FunctionRow*> collectives = collective_rows(symptoms, form);
    if (collectives.empty()) continue;
    RankShare& share = shares.emplace_back();
    share.symptoms = &symptoms;
    share.wait_ms = total_ms(collectives);
    share.waits_more = rose(share.wait_ms, 1.1);
    share.own_ms = change_between(own_times_ms(comparison.normal.ranks, symptoms, form),
                                  own_times_ms(comparison.abnormal.ranks, symptoms, form));
    const auto was = std::ranges::find(before, symptoms.rank, &RankRow::rank);
    const auto is = std::ranges::find(after, symptoms.rank, &RankRow::rank);
    if (is == after.end()) continue;
    share.among_ranks = *is;
    share.became_slow = is->is_slow && (was == before.end() || !was->is_slow);
  }
  return shares;
}

// Those that became slow among the ranks of their run. Without such ones, and if all ranks are
// known, those that wait no longer than before; of these, those that have more to do, if some have.
std::vector<const RankShare*> late_ranks_of(const std::vector<RankShare>& shares,
                                            std::size_t ranks) {
  const auto those = [&](auto&& are_meant) {
    std::vector<const RankShare*> found;
    for (const RankShare& share : shares) {
      if (are_meant(share)) found.push_back(&share);
    }
    return found;
  };
  const auto slow = those([](const RankShare& one) { return one.became_slow; });
  if (!slow.empty() || shares.size() < ranks) return slow;
  const auto busy =
      those([](const RankShare& one) { return !one.waits_more && rose(one.own_ms, 1.1); });
  return busy.empty() ? those([](const RankShare& one) { return !one.waits_more; }) : busy;
}

void add_shares(const RankShare& late, Cause& cause) {
  const RankRow& row = late.among_ranks;
  if (row.waiting_ms >= row.peers_waiting_ms) return;
  cause.evidence.push_back(evidence(
      fmt::format("rank {} waits {} ms per cycle in collectives, the others {} ms", row.rank,
                  number_text(row.waiting_ms), number_text(row.peers_waiting_ms))));
}

void add_extra_work(const RankShare& late, Cause& cause) {
  const auto add = [&](const std::string& what, const Change& change_ms, double score) {
    cause.evidence.push_back(evidence(what, change_ms));
    cause.score = std::max(cause.score, score);
  };
  if (rose(late.own_ms, 1.1)) {
    add(fmt::format("outside of collectives on rank {}", late.rank()), late.own_ms, 0.9);
  }
  for (const DeviceSymptoms& device : late.symptoms->devices) {
    if (rose(device.kernel_ms, 1.03)) {
      add(fmt::format("kernels of rank {}", late.rank()), device.kernel_ms, 0.9);
    }
  }
  for (const DeviceSymptoms& device : late.symptoms->devices) {
    if (rose(device.row->idle_ms, 1.1)) {
      add(fmt::format("device of rank {} idle", late.rank()), device.row->idle_ms, 0.8);
    }
  }
}

// The ranks that wait longer in collectives than before, and the one that waits longest.
struct Waiting {
  std::vector<std::int32_t> ranks;
  Change longest_ms;
};

Waiting waiting_for(const std::vector<const RankShare*>& late,
                    const std::vector<RankShare>& shares) {
  Waiting waiting;
  for (const RankShare& share : shares) {
    if (!share.waits_more || std::ranges::find(late, &share) != late.end()) continue;
    waiting.ranks.push_back(share.rank());
    if (share.wait_ms.core_difference() > waiting.longest_ms.core_difference()) {
      waiting.longest_ms = share.wait_ms;
    }
  }
  return waiting;
}

void add_waiting(const Waiting& waiting, const std::vector<const RankShare*>& late, Cause& cause) {
  if (waiting.ranks.empty()) return;
  const bool all_wait = std::ranges::any_of(late, &RankShare::waits_more);
  const std::string others =
      all_wait ? "" : fmt::format(", the {} not", plural(late.size(), "other does", "others do"));
  cause.evidence.push_back(evidence(fmt::format(
      "{} {} {} longer in collectives{}", plural(waiting.ranks.size(), "rank", "ranks"),
      fmt::join(waiting.ranks, ", "), plural(waiting.ranks.size(), "waits", "wait"), others)));
  cause.evidence.push_back(evidence("the longest wait", waiting.longest_ms));
}

}  // namespace

// If some ranks wait longer in collectives, they wait for a rank that does not.
void find_straggler(std::span<const Symptoms> ranks, std::vector<Cause>& causes) {
  if (ranks.size() < 2) return;
  const std::vector<RankShare> shares = rank_shares(ranks);
  const std::vector<const RankShare*> late = late_ranks_of(shares, ranks.size());
  const Waiting waiting = waiting_for(late, shares);
  const bool became_slow = std::ranges::any_of(late, &RankShare::became_slow);
  const std::size_t others = became_slow ? shares.size() - late.size() : waiting.ranks.size();
  if (late.empty() || others < late.size()) return;
  std::vector<std::int32_t> names;
  for (const RankShare* one : late) names.push_back(one->rank());
  Cause cause = {
      .kind = CauseKind::kStraggler,
      .score = became_slow ? 0.7 : 0.6,  // more if the extra work of the late rank is known
      .headline = fmt::format("{} {} {} the {} waiting", plural(names.size(), "rank", "ranks"),
                              fmt::join(names, ", "), plural(names.size(), "keeps", "keep"),
                              plural(others, "other", "others")),
      .evidence = {},
      .against = {},
      .advice =
          "compare the ranks of the abnormal run with each other (strobe compare RUN), and check "
          "that "
          "rank's device and host"};
  for (const RankShare* one : late) add_shares(*one, cause);
  add_waiting(waiting, late, cause);
  for (const RankShare* one : late) add_extra_work(*one, cause);
  causes.push_back(std::move(cause));
}

}  // namespace strobe::compare

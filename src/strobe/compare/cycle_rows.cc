#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/change.h"
#include "strobe/compare/comparison_parts.h"
#include "strobe/compare/measure/measure.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

using analysis::Cycle;
using analysis::CycleType;

std::vector<const Cycle*> cycles_of(const RankMeasure& measure, CycleType type) {
  std::vector<const Cycle*> cycles;
  for (const Cycle& cycle : measure.cycles.cycles) {
    if (cycle.type == type) cycles.push_back(&cycle);
  }
  return cycles;
}

double length_ms(const Cycle& cycle) {
  return static_cast<double>(cycle.interval.length_ns()) * 1e-6;
}

struct CycleSample {
  std::vector<double> all_ms;
  std::vector<double> tested_ms;
  std::vector<double> run_means_ms;

  // One run, all of its ranks.
  void add(const std::vector<const RankMeasure*>& ranks, CycleType type, bool keep_partial) {
    std::vector<std::vector<const Cycle*>> by_rank;
    for (const RankMeasure* rank : ranks) by_rank.push_back(cycles_of(*rank, type));
    const std::size_t count = by_rank.front().size();
    if (std::any_of(by_rank.begin(), by_rank.end(),
                    [&](const auto& cycles) { return cycles.size() != count; })) {
      by_rank.resize(1);
    }
    std::vector<double> tested;
    for (std::size_t i = 0; i < count; ++i) {
      double sum_ms = 0;
      bool is_cut = false;
      for (const auto& cycles : by_rank) {
        sum_ms += length_ms(*cycles[i]);
        is_cut |= cycles[i]->has_inferred_border;
      }
      all_ms.push_back(sum_ms / static_cast<double>(by_rank.size()));
      if (keep_partial || !is_cut) tested.push_back(all_ms.back());
    }
    tested_ms.insert(tested_ms.end(), tested.begin(), tested.end());
    if (!tested.empty()) run_means_ms.push_back(stats::moments_of(tested).mean);
  }
};

DifferenceSpan span_of_differences(const std::vector<double>& normal_ms,
                                   const std::vector<double>& abnormal_ms) {
  const auto [least_normal, most_normal] = std::ranges::minmax(normal_ms);
  const auto [least_abnormal, most_abnormal] = std::ranges::minmax(abnormal_ms);
  return {least_abnormal - most_normal, most_abnormal - least_normal};
}

bool is_without_zero(const CycleRow& row) {
  if (row.all_differences) {
    return row.all_differences->least_ms > 0 || row.all_differences->largest_ms < 0;
  }
  return row.ms.shift.low > 0 || row.ms.shift.high < 0;
}

CycleRow cycle_row_of(CycleType type, CycleSample normal, CycleSample abnormal) {
  CycleRow row;
  row.type = type;
  row.ms = change_between(normal.tested_ms, abnormal.tested_ms);
  // The answer on cycle time accounts for correlated neighbouring cycles; so must its interval.
  row.ms.shift = stats::shift_between(normal.tested_ms, abnormal.tested_ms, kConfidence, nullptr,
                                      row.ms.independent);
  if (!std::isfinite(row.ms.shift.low) && !row.ms.too_few) {
    row.all_differences = span_of_differences(normal.tested_ms, abnormal.tested_ms);
  }
  row.between_runs_p = between_runs_p(normal.run_means_ms, row.ms.abnormal.mean);
  row.ms_normal = std::move(normal.all_ms);
  row.ms_abnormal = std::move(abnormal.all_ms);
  return row;
}

}  // namespace

bool CycleRow::is_changed() const {
  constexpr double kLeastShare = 0.02;
  const bool is_noise_between_runs = between_runs_p >= kSignificant;  // NaN with one normal run
  return is_real(ms) && !is_noise_between_runs && std::abs(ms.cliffs_delta) >= kLargeDelta &&
         std::abs(ms.shift.shift) >= kLeastShare * ms.normal.mean && is_without_zero(*this);
}

std::vector<CycleRow> compare_cycles(const std::vector<PairedRank>& ranks, bool keep_partial) {
  std::map<CycleType, std::size_t> counts;
  for (const PairedRank& rank : ranks) {
    for (const RankMeasure* measure : {rank.normals.front(), rank.abnormal}) {
      for (const Cycle& cycle : measure->cycles.cycles) ++counts[cycle.type];
    }
  }
  std::vector<CycleRow> rows;
  for (const auto& [type, count] : counts) {
    CycleSample normal;
    CycleSample abnormal;
    for (std::size_t run = 0; run < ranks.front().normals.size(); ++run) {
      std::vector<const RankMeasure*> measures;
      for (const PairedRank& rank : ranks) measures.push_back(rank.normals[run]);
      normal.add(measures, type, keep_partial);
    }
    std::vector<const RankMeasure*> measures;
    for (const PairedRank& rank : ranks) measures.push_back(rank.abnormal);
    abnormal.add(measures, type, keep_partial);
    rows.push_back(cycle_row_of(type, std::move(normal), std::move(abnormal)));
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const CycleRow& a, const CycleRow& b) {
    return counts[a.type] > counts[b.type];
  });
  std::vector<Change*> family;
  for (CycleRow& row : rows) family.push_back(&row.ms);
  adjust_family(family);
  return rows;
}

}  // namespace strobe::compare

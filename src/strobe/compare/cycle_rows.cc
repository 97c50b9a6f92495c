#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

CycleRow cycle_row_of(CycleType type, CycleSample normal, CycleSample abnormal) {
  CycleRow row;
  row.type = type;
  row.ms = change_between(normal.tested_ms, abnormal.tested_ms);
  // The answer on cycle time accounts for correlated neighbouring cycles; so must its interval.
  row.ms.shift = stats::shift_between(normal.tested_ms, abnormal.tested_ms, kConfidence, nullptr,
                                      row.ms.independent);
  row.between_runs_p = between_runs_p(normal.run_means_ms, row.ms.abnormal.mean);
  row.ms_normal = std::move(normal.all_ms);
  row.ms_abnormal = std::move(abnormal.all_ms);
  return row;
}

}  // namespace

namespace {

constexpr double kLeastPart = 0.02;  // of the normal cycle

bool matters(double change_ms, double normal_ms) {
  return std::abs(change_ms) >= kLeastPart * normal_ms;
}

bool is_without_zero(const stats::Shift& shift) { return shift.low > 0 || shift.high < 0; }

// The typical difference is beyond chance and matters, and the means agree.
bool shift_tells(const Change& ms) {
  return is_without_zero(ms.shift) && matters(ms.shift.shift, ms.normal_median) &&
         (ms.shift.shift > 0) == ms.rises();
}

}  // namespace

bool CycleRow::is_changed() const {
  const bool is_noise_between_runs = between_runs_p >= kSignificant;  // NaN with one normal run
  return !ms.too_few && !is_noise_between_runs &&
         (ms.degenerate || ms.drift_p < kSurely || shift_tells(ms)) &&
         matters(ms.core_shift.shift, ms.normal_core.mean);
}

bool CycleRow::differs_much() const {
  constexpr double kMuch = 0.1;  // of the normal cycle
  return !ms.too_few && std::abs(ms.core_shift.shift) >= kMuch * ms.normal_core.mean;
}

bool CycleRow::shows_means() const {
  if (ms.too_few) return false;
  if (!std::isfinite(ms.shift.low)) return std::isfinite(ms.core_shift.low);
  const bool shift_denies = is_without_zero(ms.shift) && matters(ms.shift.shift, ms.normal_median);
  return is_changed() ? !shift_tells(ms) : differs_much() || shift_denies;
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

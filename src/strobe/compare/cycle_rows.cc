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
  std::vector<double> run_ms;  // the mean of each run

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
      bool counts = true;
      for (const auto& cycles : by_rank) {
        sum_ms += length_ms(*cycles[i]);
        counts &= !cycles[i]->has_inferred_border && !cycles[i]->is_warm_up;
      }
      all_ms.push_back(sum_ms / static_cast<double>(by_rank.size()));
      if (keep_partial || counts) tested.push_back(all_ms.back());
    }
    tested_ms.insert(tested_ms.end(), tested.begin(), tested.end());
    if (!tested.empty()) run_ms.push_back(core_mean_of(tested));
  }
};

CycleRow cycle_row_of(CycleType type, CycleSample normal, CycleSample abnormal) {
  CycleRow row;
  row.type = type;
  row.ms = change_between(normal.tested_ms, abnormal.tested_ms);
  // The answer on cycle time accounts for correlated neighbouring cycles; so must its interval.
  row.ms.shift = stats::shift_between(normal.tested_ms, abnormal.tested_ms, kConfidence, nullptr,
                                      row.ms.independent);
  row.ms_normal = std::move(normal.all_ms);
  row.ms_abnormal = std::move(abnormal.all_ms);
  row.run_ms_normal = std::move(normal.run_ms);
  row.run_ms_abnormal = std::move(abnormal.run_ms);
  return row;
}

}  // namespace

namespace {

constexpr double kMuch = 0.1;  // of the normal cycle

bool matters(double change_ms, double normal_ms) {
  return std::abs(change_ms) >= kLeastChange * normal_ms;
}

bool is_without_zero(const stats::Shift& shift) { return shift.low > 0 || shift.high < 0; }

// The typical difference is beyond chance and matters, and the means agree.
bool shift_tells(const Change& ms) {
  return is_without_zero(ms.shift) && matters(ms.shift.shift, ms.normal_median) &&
         (ms.shift.shift > 0) == ms.rises();
}

bool means_differ_much(const Change& ms) {
  return std::abs(ms.core_shift.shift) >= kMuch * ms.normal_core.mean;
}

}  // namespace

bool CycleRow::is_changed() const {
  if (ms.too_few) return false;
  if (run_shift) return is_without_zero(*run_shift) && matters(run_shift->shift, shown_normal_ms());
  return (is_without_zero(ms.core_shift) || shift_tells(ms)) &&
         matters(ms.core_shift.shift, ms.normal_core.mean);
}

bool CycleRow::differs_much() const {
  if (ms.too_few) return false;
  if (run_shift) return std::abs(run_shift->shift) >= kMuch * shown_normal_ms();
  return means_differ_much(ms) || std::abs(ms.shift.shift) >= kMuch * ms.normal_median;
}

const stats::Shift& CycleRow::shown() const {
  if (run_shift) return *run_shift;
  return shows_means() ? ms.core_shift : ms.shift;
}

double CycleRow::shown_normal_ms() const {
  if (run_shift) return stats::moments_of(run_ms_normal).mean;
  return shows_means() ? ms.normal_core.mean : ms.normal_median;
}

double CycleRow::shown_abnormal_ms() const {
  if (run_shift) return stats::moments_of(run_ms_abnormal).mean;
  return shows_means() ? ms.abnormal_core.mean : ms.abnormal_median;
}

bool CycleRow::shows_means() const {
  if (run_shift) return true;
  if (ms.too_few) return false;
  if (!std::isfinite(ms.shift.low)) return std::isfinite(ms.core_shift.low);
  const bool shift_denies = is_without_zero(ms.shift) && matters(ms.shift.shift, ms.normal_median);
  return is_changed() ? !shift_tells(ms) : means_differ_much(ms) || shift_denies;
}

std::vector<CycleRow> compare_cycles(const std::vector<PairedRank>& ranks, bool keep_partial) {
  std::map<CycleType, std::size_t> counts;
  for (const PairedRank& rank : ranks) {
    for (const RankMeasure* measure : {rank.normals.front(), rank.abnormals.front()}) {
      for (const Cycle& cycle : measure->cycles.cycles) ++counts[cycle.type];
    }
  }
  std::vector<CycleRow> rows;
  for (const auto& counted : counts) {
    const CycleType& type = counted.first;
    const auto sample_of = [&](std::vector<const RankMeasure*> PairedRank::*side) {
      CycleSample sample;
      for (std::size_t run = 0; run < (ranks.front().*side).size(); ++run) {
        std::vector<const RankMeasure*> measures;
        for (const PairedRank& rank : ranks) measures.push_back((rank.*side)[run]);
        sample.add(measures, type, keep_partial);
      }
      return sample;
    };
    rows.push_back(
        cycle_row_of(type, sample_of(&PairedRank::normals), sample_of(&PairedRank::abnormals)));
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

#include "strobe/compare/compat/compat.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include "strobe/compare/compat/compat_measure.h"
#include "strobe/stats/effect.h"
#include "strobe/stats/p_values.h"
#include "strobe/stats/rank_test.h"

namespace strobe::compare {
namespace {

using Values = std::span<const double>;

struct Tests {
  double p = 1;
  double u = 1;
};

Tests tests_of(Values normal, Values abnormal, stats::RankCounts& counts) {
  if (normal.size() < 2 || abnormal.size() < 2) return {};
  return {stats::welch_test(stats::moments_of(normal), stats::moments_of(abnormal)).p,
          stats::rank_test_automatic(normal, abnormal, &counts).p};
}

double z_of(Values normal, Values abnormal) {
  return stats::z_score(stats::moments_of(normal), stats::moments_of(abnormal));
}

// The same function and metric in both runs; a side without it is empty.
struct Pair {
  CompatTriplet normal;
  CompatTriplet abnormal;
};
using Key = std::tuple<std::string, std::string, std::string>;  // function, metric, device

CompatRow row_of(const Key& key, const Pair& pair, stats::RankCounts& counts) {
  CompatRow row;
  std::tie(row.function, row.metric, row.device) = key;
  const auto& [normal, abnormal] = pair;
  row.n_normal = normal.betas.size();
  row.n_abnormal = abnormal.betas.size();

  row.beta_normal = stats::moments_of(normal.betas).mean;
  row.beta_abnormal = stats::moments_of(abnormal.betas).mean;
  row.dbeta = row.beta_abnormal - row.beta_normal;
  row.z_beta = z_of(normal.betas, abnormal.betas);
  const Tests of_beta = tests_of(normal.betas, abnormal.betas, counts);
  row.p_beta = of_beta.p;
  row.u_beta = of_beta.u;

  row.mu_normal = stats::moments_of(normal.mus).mean;
  row.mu_abnormal = stats::moments_of(abnormal.mus).mean;
  row.dmu = row.mu_abnormal - row.mu_normal;
  row.z_mu = z_of(normal.mus, abnormal.mus);
  row.z_log_mu = z_of(stats::log1p_of(normal.mus), stats::log1p_of(abnormal.mus));
  const Tests of_mu = tests_of(normal.mus, abnormal.mus, counts);
  row.p_mu = of_mu.p;
  row.u_mu = of_mu.u;

  row.suspicion = std::abs(row.dbeta) * (std::abs(row.z_beta) + std::abs(row.z_log_mu));
  return row;
}

CompatSide compat_side(const Run& run, const analysis::CycleList& cycles) {
  CompatSide side{run.folder, cycles.process, {}};
  for (const analysis::Cycle& cycle : cycles.cycles) {
    side.cycles_us.push_back(static_cast<double>(cycle.interval.length_ns()) / 1e3);
  }
  return side;
}

}  // namespace

Result<CompatComparison> compare_compat(const Run& normal, const Run& abnormal,
                                        const analysis::CycleOptions& options) {
  STROBE_TRY(const analysis::CycleList normal_cycles,
             analysis::find_cycles(*normal.ranks.front().trace, options));
  STROBE_TRY(const analysis::CycleList abnormal_cycles,
             analysis::find_cycles(*abnormal.ranks.front().trace, options));
  return compare_compat(normal, normal_cycles, abnormal, abnormal_cycles);
}

CompatComparison compare_compat(const Run& normal, const analysis::CycleList& normal_cycles,
                                const Run& abnormal, const analysis::CycleList& abnormal_cycles) {
  CompatComparison comparison{
      compat_side(normal, normal_cycles), compat_side(abnormal, abnormal_cycles), {}};
  std::map<Key, Pair> pairs;
  const auto add = [&](const Run& run, const analysis::CycleList& cycles,
                       CompatTriplet Pair::*side) {
    for (CompatTriplet& triplet : measure_compat(run.ranks.front(), cycles)) {
      Pair& pair = pairs[{triplet.function, triplet.metric, triplet.device}];
      pair.*side = std::move(triplet);
    }
  };
  add(normal, normal_cycles, &Pair::normal);
  add(abnormal, abnormal_cycles, &Pair::abnormal);

  stats::RankCounts counts;
  for (const auto& [key, pair] : pairs) comparison.rows.push_back(row_of(key, pair, counts));
  std::ranges::stable_sort(comparison.rows, std::ranges::greater(), &CompatRow::suspicion);
  return comparison;
}

std::vector<CompatFinding> compat_findings(const std::vector<CompatRow>& rows) {
  constexpr std::size_t kMostFindings = 3;
  constexpr std::size_t kMostMetrics = 3;
  constexpr double kMoved = 1e-6;
  std::vector<CompatFinding> findings;
  for (std::size_t i = 0; i < rows.size() && rows[i].suspicion > kCompatThreshold; ++i) {
    auto known = std::ranges::find_if(findings, [&](const CompatFinding& finding) {
      const CompatRow& first = rows[finding.row];
      return first.function == rows[i].function && first.device == rows[i].device;
    });
    if (known == findings.end()) {
      if (findings.size() == kMostFindings) continue;
      known = findings.insert(findings.end(), {i, {}});
    }
    if (known->metric_rows.size() < kMostMetrics && std::abs(rows[i].dmu) > kMoved) {
      known->metric_rows.push_back(i);
    }
  }
  return findings;
}

}  // namespace strobe::compare

#include "strobe/bench/judge/flat_line.h"

#include <cmath>
#include <vector>

namespace strobe::bench {
namespace {

constexpr std::size_t kLeastBefore = 8;
constexpr std::size_t kLeastAfter = 16;
constexpr double kShareAfter = 0.75;
constexpr double kShareBefore = 0.25;
constexpr double kBand = 1;  // percent around 100

struct Ratio {
  std::size_t index = 0;  // among the cells of the grid
  double percent = 0;
  bool is_flat() const { return std::abs(percent - 100) <= kBand; }
};

// Of a contender to its baseline, in percent; of other metrics none.
std::vector<Ratio> ratios_of(const RatioGrid& grid) {
  std::vector<Ratio> ratios;
  const bool is_overhead = grid.metric == GridMetric::kRelativeOverhead;
  if (!is_overhead && grid.metric != GridMetric::kRelativePerformance) return ratios;
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const GridCell& cell = grid.cells[i];
    if (!cell.value || cell.status != CellStatus::kOk) continue;
    ratios.push_back({i, is_overhead ? 100 / *cell.value : *cell.value});
  }
  return ratios;
}

double mean_of(const std::vector<Ratio>& ratios, std::size_t from, std::size_t to) {
  double logs = 0;
  for (std::size_t i = from; i < to; ++i) logs += std::log(ratios[i].percent);
  return std::exp(logs / static_cast<double>(to - from));
}

}  // namespace

std::optional<FlatLine> find_flat_line(const RatioGrid& grid) {
  const std::vector<Ratio> ratios = ratios_of(grid);
  std::size_t flat_in_all = 0;
  for (const Ratio& ratio : ratios) flat_in_all += ratio.is_flat() ? 1 : 0;
  std::optional<FlatLine> best;
  std::size_t best_split = 0;
  std::size_t flat_before = 0;
  for (std::size_t split = 0; split + kLeastAfter <= ratios.size(); ++split) {
    if (split >= kLeastBefore) {
      const double before = static_cast<double>(flat_before) / static_cast<double>(split);
      const double after = static_cast<double>(flat_in_all - flat_before) /
                           static_cast<double>(ratios.size() - split);
      const bool fires = after >= kShareAfter && before < kShareBefore;
      if (fires && (!best || after - before > best->after_share - best->before_share)) {
        best = FlatLine{.index = ratios[split].index, .before_share = before, .after_share = after};
        best_split = split;
      }
    }
    flat_before += ratios[split].is_flat() ? 1 : 0;
  }
  if (!best) return std::nullopt;
  best->before_mean = mean_of(ratios, 0, best_split);
  best->after_mean = mean_of(ratios, best_split, ratios.size());
  return best;
}

}  // namespace strobe::bench

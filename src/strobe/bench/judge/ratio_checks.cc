#include "strobe/bench/judge/ratio_checks.h"

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

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

// Ratios of a contender to its baseline, in percent; empty for other metrics.
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

using Place = std::pair<std::int64_t, std::int64_t>;
using Values = std::map<Place, double>;

Values values_of(const RatioGrid& grid) {
  Values values;
  for (const GridCell& cell : grid.cells) {
    if (cell.value && cell.status == CellStatus::kOk) {
      values[{cell.dim0, cell.dim1}] = *cell.value;
    }
  }
  return values;
}

// Percentages are printed with two decimals.
double rounding_of(double percent) { return 0.005 / percent; }

// `left` and the factors of the right side, cell by cell; numerators multiply, denominators divide.
void check(IdentityCheck& check, const std::string& where, const RatioGrid& left_grid,
           const std::vector<const RatioGrid*>& numerators,
           const std::vector<const RatioGrid*>& denominators) {
  std::vector<Values> above;
  std::vector<Values> below;
  for (const RatioGrid* grid : numerators) above.push_back(values_of(*grid));
  for (const RatioGrid* grid : denominators) below.push_back(values_of(*grid));
  for (const auto& [place, left] : values_of(left_grid)) {
    double right = 100;
    double rounding = rounding_of(left);
    bool is_complete = true;
    const auto take = [&, &at = place](const std::vector<Values>& factors, bool divides) {
      for (const Values& values : factors) {
        const auto found = values.find(at);
        is_complete = is_complete && found != values.end();
        if (!is_complete) return;
        right *= divides ? 100 / found->second : found->second / 100;
        rounding += rounding_of(found->second);
      }
    };
    take(above, false);
    take(below, true);
    if (!is_complete) continue;
    ++check.cells;
    const double deviation = std::abs(left / right - 1);
    const std::string cell = fmt::format("{} {}x{}", where, place.first, place.second);
    if (check.worst_cell.empty() || deviation > check.worst) {
      check.worst = deviation;
      check.worst_cell = cell;
    }
    if (deviation > rounding * (1 + rounding)) {
      check.violations.push_back(fmt::format("{}: {:.2f} % against {:.2f} %", cell, left, right));
    }
  }
}

bool have_one_origin(const RatioGrid& a, const RatioGrid& b) {
  return a.version == b.version && a.case_id == b.case_id && a.dtype == b.dtype &&
         a.variant == b.variant;
}

std::pair<std::string, std::string> split_at(const std::string& text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return {text, ""};
  return {text.substr(0, at), text.substr(at + 1)};
}

const RatioGrid* find_performance(const RatioGrids& grids, const RatioGrid& like,
                                  const std::string& device, const std::string& baseline,
                                  const std::string& contender) {
  for (const RatioGrid& grid : grids.grids) {
    if (grid.metric == GridMetric::kRelativePerformance && have_one_origin(grid, like) &&
        grid.device == device && grid.baseline == baseline && grid.contender == contender) {
      return &grid;
    }
  }
  return nullptr;
}

IdentityCheck& check_named(std::vector<IdentityCheck>& checks, std::string law) {
  for (IdentityCheck& known : checks) {
    if (known.law == law) return known;
  }
  IdentityCheck& fresh = checks.emplace_back();
  fresh.law = std::move(law);
  return fresh;
}

// G(contender) = G(baseline) P(A) / P(B): two providers on two devices.
void check_devices(const RatioGrids& grids, const RatioGrid& of_contender,
                   std::vector<IdentityCheck>& checks) {
  const auto [contender, device] = split_at(of_contender.contender, '@');
  const auto [same, other] = split_at(of_contender.baseline, '@');
  if (device.empty() || other.empty() || contender != same) return;
  for (const RatioGrid& of_baseline : grids.grids) {
    if (of_baseline.metric != GridMetric::kDeviceSpeedup ||
        !have_one_origin(of_baseline, of_contender) || of_baseline.device != of_contender.device) {
      continue;
    }
    const std::string baseline = split_at(of_baseline.contender, '@').first;
    const RatioGrid* const here =
        find_performance(grids, of_contender, device, baseline, contender);
    const RatioGrid* const there =
        find_performance(grids, of_contender, other, baseline, contender);
    if (here == nullptr || there == nullptr) continue;
    check(check_named(checks, fmt::format("G({}) = G({}) P({}) / P({})", contender, baseline,
                                          device, other)),
          of_contender.case_id, of_contender, {&of_baseline, here}, {there});
  }
}

// c/a = c/b b/a: three providers on one device.
void check_ring(const RatioGrids& grids, const RatioGrid& whole,
                std::vector<IdentityCheck>& checks) {
  for (const RatioGrid& first : grids.grids) {
    if (first.metric != GridMetric::kRelativePerformance || !have_one_origin(first, whole) ||
        first.device != whole.device || first.baseline != whole.baseline ||
        first.contender == whole.contender) {
      continue;
    }
    const RatioGrid* const second =
        find_performance(grids, whole, whole.device, first.contender, whole.contender);
    if (second == nullptr) continue;
    check(check_named(checks, fmt::format("{0}/{2} = {0}/{1} x {1}/{2}", whole.contender,
                                          first.contender, whole.baseline)),
          fmt::format("{} {}", whole.device, whole.case_id), whole, {second, &first}, {});
  }
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

std::vector<IdentityCheck> check_identities(const RatioGrids& grids) {
  std::vector<IdentityCheck> checks;
  for (const RatioGrid& grid : grids.grids) {
    if (grid.metric == GridMetric::kDeviceSpeedup) check_devices(grids, grid, checks);
    if (grid.metric == GridMetric::kRelativePerformance) check_ring(grids, grid, checks);
  }
  return checks;
}

}  // namespace strobe::bench

#include "strobe/compare/halves.h"

#include <utility>

#include "strobe/compare/causes/cause_rules.h"

namespace strobe::compare {
namespace {

template <class T>
void keep_between(std::vector<T>& per_cycle, std::size_t begin, std::size_t end) {
  if (per_cycle.empty()) return;  // what the trace does not tell
  per_cycle.erase(per_cycle.begin() + static_cast<std::ptrdiff_t>(end), per_cycle.end());
  per_cycle.erase(per_cycle.begin(), per_cycle.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace

RankMeasure cycles_between(const RankMeasure& measure, std::size_t begin, std::size_t end) {
  RankMeasure part = measure;
  const auto keep = [&](auto&... per_cycle) { (keep_between(per_cycle, begin, end), ...); };
  keep(part.cycles.cycles);
  for (FunctionCycles& one : part.functions) {
    keep(one.time_ns, one.covered_ns, one.calls, one.copied_bytes);
  }
  for (MetricCycles& one : part.metrics) keep(one.mean, one.deviation, one.coverage);
  for (DeviceCycles& one : part.devices) keep(one.busy_ns, one.slices, one.is_partial);
  for (SeriesCycles& one : part.series) keep(one.mean, one.busy_mean);
  return part;
}

Result<Comparison> compare_halves(const Run& run, const CompareOptions& options) {
  STROBE_TRY(const SideFacts whole, measure_side(run, options));
  SideFacts first = {.label = run.label + ", first half",
                     .path = whole.path,
                     .folder = whole.folder,
                     .runs = 1,
                     .ranks = {}};
  SideFacts second = first;
  second.label = run.label + ", second half";
  for (const RankMeasure& rank : whole.ranks) {
    const std::size_t cycles = rank.cycles.cycles.size();
    first.ranks.push_back(cycles_between(rank, 0, cycles / 2));
    second.ranks.push_back(cycles_between(rank, cycles / 2, cycles));
  }
  STROBE_TRY(Comparison comparison,
             compare_measures(std::move(first), std::move(second), {}, options));
  judge(comparison);
  return comparison;
}

}  // namespace strobe::compare

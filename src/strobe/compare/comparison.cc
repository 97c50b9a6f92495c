#include "strobe/compare/comparison.h"

#include <utility>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/comparison_parts.h"

namespace strobe::compare {
namespace {

bool has_cycles(const SideFacts& side) {
  for (const RankMeasure& measure : side.ranks) {
    if (!measure.cycles.cycles.empty()) return true;
  }
  return false;
}

Error no_cycles(const SideFacts& side, const analysis::CycleOptions& options) {
  return {ErrorCode::kTooLittleData, "run '" + side.label + "' has no cycles to compare", side.path,
          "name the range of one cycle with " + options.where + " marker=REGEX"};
}

}  // namespace

Result<SideFacts> measure_side(const Run& run, const CompareOptions& options) {
  SideFacts side;
  side.label = run.label;
  side.folder = run.folder;
  side.path = run.ranks.empty() ? std::string() : run.ranks.front().path;
  for (const RankCapture& capture : run.ranks) {
    if (options.only_rank && capture.rank != *options.only_rank) continue;
    auto measured = measure(capture, options.measure);
    if (!measured) {
      Error error = std::move(measured).error();
      if (error.where.empty()) error.where = capture.path;
      return error;
    }
    side.ranks.push_back(*std::move(measured));
  }
  if (side.ranks.empty()) {
    return Error{
        ErrorCode::kTooLittleData,
        "run '" + run.label + "' has no rank " + std::to_string(options.only_rank.value_or(0)),
        side.path, "leave --rank out to compare all ranks"};
  }
  return side;
}

namespace {

Result<std::vector<SideFacts>> measure_all(const std::vector<Run>& runs,
                                           const CompareOptions& options) {
  std::vector<SideFacts> sides;
  for (const Run& run : runs) {
    STROBE_TRY(SideFacts side, measure_side(run, options));
    sides.push_back(std::move(side));
  }
  return sides;
}

}  // namespace

Result<Comparison> compare_measures(SideFacts normal, SideFacts abnormal, More<SideFacts> more,
                                    const CompareOptions& options) {
  std::vector<SideFacts*> sides{&normal, &abnormal};
  for (SideFacts& side : more.normal) sides.push_back(&side);
  for (SideFacts& side : more.abnormal) sides.push_back(&side);
  for (const SideFacts* side : sides) {
    if (!has_cycles(*side)) return no_cycles(*side, options.measure.cycles);
  }
  std::vector<std::string> remarks;
  for (SideFacts* side : sides) {
    if (side == &normal) continue;
    STROBE_TRY(const auto aligned, align_with(normal, *side, options.align_devices));
    remarks.insert(remarks.end(), aligned.begin(), aligned.end());
  }
  if (unify_types(sides)) {
    remarks.emplace_back(
        "only some of the runs alternate between short and long cycles; all are compared together");
  }
  const std::vector<PairedRank> ranks = pair_ranks(normal, abnormal, more);
  if (ranks.empty()) return no_common_rank(normal, abnormal, more);

  Comparison comparison;
  comparison.cycles = compare_cycles(ranks, options.measure.keep_partial);
  std::vector<analysis::CycleType> types;
  for (const CycleRow& row : comparison.cycles) types.push_back(row.type);
  FunctionRows rows = compare_functions(ranks, types);
  comparison.functions = std::move(rows.functions);
  comparison.triplets = std::move(rows.triplets);
  comparison.metrics = compare_series(ranks, types.front());
  comparison.devices = compare_devices(ranks, types.front());
  comparison.idle = compare_idle(ranks, types.front());
  comparison.launches = compare_launches(ranks, types.front());
  if (!options.is_one_run) {
    comparison.noise = noise_between(comparison, ranks);
    use_runs(comparison.noise, comparison.cycles);
  }
  comparison.normal = std::move(normal);
  comparison.normal.runs = 1 + more.normal.size();
  comparison.abnormal = std::move(abnormal);
  comparison.abnormal.runs = 1 + more.abnormal.size();
  score_rows(comparison);
  sort_rows(comparison, options.order);
  comparison.quality = quality_of(comparison, more);
  comparison.quality.insert(comparison.quality.begin(), remarks.begin(), remarks.end());
  return comparison;
}

Result<Comparison> compare_runs(const Run& normal, const Run& abnormal, const More<Run>& more,
                                const CompareOptions& options) {
  STROBE_TRY(SideFacts normal_side, measure_side(normal, options));
  STROBE_TRY(SideFacts abnormal_side, measure_side(abnormal, options));
  More<SideFacts> more_sides;
  STROBE_TRY(more_sides.normal, measure_all(more.normal, options));
  STROBE_TRY(more_sides.abnormal, measure_all(more.abnormal, options));
  STROBE_TRY(Comparison comparison,
             compare_measures(std::move(normal_side), std::move(abnormal_side),
                              std::move(more_sides), options));
  judge(comparison);
  return comparison;
}

}  // namespace strobe::compare

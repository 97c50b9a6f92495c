#include "strobe/compare/collective_time.h"

#include <algorithm>

namespace strobe::compare {

using analysis::CollectiveForm;

CollectiveForm collective_form(const FunctionKey& key, bool is_operator) {
  if (key.kind == FunctionKind::kCollective) return CollectiveForm::kExchange;
  if (key.kind != FunctionKind::kHostOperator) return CollectiveForm::kNone;
  return analysis::host_collective_form(key.name, is_operator);
}

CollectiveForm best_collective_form(const std::vector<RankMeasure>& ranks) {
  CollectiveForm best = CollectiveForm::kNone;
  bool has_device = false;
  for (const RankMeasure& rank : ranks) {
    has_device |= std::ranges::any_of(
        rank.functions, [](const FunctionCycles& one) { return is_on_device(one.key.kind); });
    for (const FunctionCycles& one : rank.functions) {
      best = std::min(best, collective_form(one.key, one.is_operator));
    }
  }
  return has_device && best != CollectiveForm::kExchange ? CollectiveForm::kNone : best;
}

CollectiveCycles collective_cycles(const RankMeasure& rank, CollectiveForm form) {
  const auto& cycles = rank.cycles.cycles;
  CollectiveCycles all;
  all.time_ns.resize(cycles.size());
  all.calls.resize(cycles.size());
  if (form == CollectiveForm::kNone) return all;
  for (const FunctionCycles& one : rank.functions) {
    if (collective_form(one.key, one.is_operator) != form) continue;
    all.is_known = true;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      all.time_ns[i] += one.covered_ns[i];
      all.calls[i] += one.calls[i];
    }
  }
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    all.time_ns[i] = std::min(all.time_ns[i], cycles[i].interval.length_ns());
  }
  return all;
}

RankMeasure without_collectives(RankMeasure rank, CollectiveForm form) {
  const CollectiveCycles collectives = collective_cycles(rank, form);
  for (std::size_t i = 0; i < collectives.time_ns.size(); ++i) {
    rank.cycles.cycles[i].interval.end_ns -= collectives.time_ns[i];
    const std::int64_t own_ns = rank.cycles.cycles[i].interval.length_ns();
    for (DeviceCycles& device : rank.devices) {
      device.busy_ns[i] = std::min(device.busy_ns[i], own_ns);
    }
  }
  std::erase_if(rank.functions, [&](const FunctionCycles& one) {
    return collective_form(one.key, one.is_operator) == form;
  });
  return rank;
}

}  // namespace strobe::compare

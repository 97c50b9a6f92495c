#include "strobe/report/compare/compare_untested.h"

#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/render/display_text.h"

namespace strobe::report {
namespace {

using compare::Change;
using compare::Comparison;
using compare::FunctionRow;
using compare::IdleCauseRow;

constexpr std::size_t kNameColumns = 64;

// Smaller differences, as a share of the cycle, are not worth a look.
constexpr double kLeastShare = 0.02;

double difference_ms(const Change& ms) {
  const double difference = ms.abnormal_median - ms.normal_median;
  return std::isfinite(difference) ? difference : 0;
}

std::string text_of(const std::string& what, const Change& ms) {
  return fmt::format("{}: {} -> {} ({})", what, time_text(ms.normal_median),
                     time_text(ms.abnormal_median), time_change_text(difference_ms(ms)));
}

// Ranges contain operators, and operators contain calls: of equal differences the innermost tells
// most.
int depth_of(const FunctionRow& row) {
  if (row.key.kind == compare::FunctionKind::kRuntimeCall) return 2;
  return row.is_operator ? 1 : 0;
}

const FunctionRow* largest(const Comparison& comparison, bool on_device, double least_ms) {
  constexpr double kAlike = 0.9;
  double most_ms = least_ms;
  const auto belongs = [&](const FunctionRow& row) {
    return compare::is_on_device(row.key.kind) == on_device &&
           row.type == comparison.cycles.front().type;
  };
  for (const FunctionRow& row : comparison.functions) {
    if (belongs(row)) most_ms = std::max(most_ms, std::abs(difference_ms(row.own_ms())));
  }
  const FunctionRow* found = nullptr;
  for (const FunctionRow& row : comparison.functions) {
    const double size_ms = std::abs(difference_ms(row.own_ms()));
    if (!belongs(row) || size_ms < std::max(least_ms, kAlike * most_ms)) continue;
    const bool is_better =
        found == nullptr ||
        std::tuple(depth_of(row), size_ms) >
            std::tuple(depth_of(*found), std::abs(difference_ms(found->own_ms())));
    if (is_better) found = &row;
  }
  return found;
}

const IdleCauseRow* largest_idle(const Comparison& comparison, double least_ms) {
  const IdleCauseRow* found = nullptr;
  for (const IdleCauseRow& row : comparison.idle) {
    const double size_ms = std::abs(difference_ms(row.ms));
    if (size_ms < least_ms) continue;
    if (found == nullptr || size_ms > std::abs(difference_ms(found->ms))) found = &row;
  }
  return found;
}

}  // namespace

std::vector<std::string> untested_differences(const Comparison& comparison) {
  std::vector<std::string> texts;
  if (comparison.cycles.empty()) return texts;
  const Change& cycle = comparison.cycles.front().ms;
  const double least_ms =
      std::max(1e-6, kLeastShare * std::max(cycle.normal_median, cycle.abnormal_median));
  if (!std::isfinite(least_ms)) return texts;
  if (const IdleCauseRow* idle = largest_idle(comparison, least_ms)) {
    texts.push_back(text_of("device idle " + compare::idle_text(idle->cause), idle->ms));
  }
  for (const bool on_device : {true, false}) {
    const FunctionRow* row = largest(comparison, on_device, least_ms);
    if (row == nullptr) continue;
    const std::string name = fit_name(printable(row->key.name), kNameColumns);
    texts.push_back(text_of(fmt::format("{} on {}", name, row->key.device), row->own_ms()));
  }
  return texts;
}

}  // namespace strobe::report

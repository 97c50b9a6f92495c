#include "strobe/tensorboard/step_costs.h"

namespace strobe::tensorboard {
namespace {

// The plugin restarts with all steps whenever the roles before have used up every moment, not only
// for the first role; then the rest is counted twice.
std::array<Ranges, kRoleCount> share_out(const Ranges& steps, const TimeRoles& roles) {
  std::array<Ranges, kRoleCount> parts;
  Ranges slots;
  for (std::size_t role = 0; role + 1 < kRoleCount; ++role) {
    if (slots.empty()) {
      parts[role] = roles.ranges[role];
      slots = merge(steps);
    } else {
      parts[role] = intersect(slots, roles.ranges[role]);
    }
    slots = subtract(slots, parts[role]);
  }
  parts[kRoleCount - 1] = std::move(slots);
  return parts;
}

StepCosts average(const std::vector<StepCosts>& steps) {
  StepCosts sums;
  sums.roles.fill(Number::real(0));
  sums.total = Number::real(0);
  for (const StepCosts& step : steps) {
    for (std::size_t role = 0; role < kRoleCount; ++role) sums.roles[role] += step.roles[role];
    sums.total += step.total;
  }
  const Number count = Number::whole(static_cast<double>(steps.size()));
  for (Number& sum : sums.roles) sum = ratio(sum, count);
  sums.total = ratio(sums.total, count);
  return sums;
}

}  // namespace

CostTable count_costs(const Steps& steps, const TimeRoles& roles) {
  Ranges step_ranges;
  for (const Step& step : steps.all) step_ranges.push_back(step.range);
  const std::array<Ranges, kRoleCount> parts = share_out(step_ranges, roles);
  const Ranges& computation = roles[roles.has(Role::kKernel) ? Role::kKernel : Role::kCpuExec];
  const Ranges& communication = roles[Role::kCommunication];
  const Ranges both = intersect(computation, communication);
  CostTable table;
  for (const Range& range : step_ranges) {
    const Ranges step{range};
    StepCosts costs;
    for (std::size_t role = 0; role < kRoleCount; ++role) {
      costs.roles[role] = total(intersect(step, parts[role]));
    }
    costs.total = range.end - range.start;
    StepOverlap overlap{.computation = total(intersect(step, computation)),
                        .communication = total(intersect(step, communication)),
                        .overlap = total(intersect(step, both)),
                        .other = {}};
    overlap.other = costs.total + overlap.overlap - overlap.computation - overlap.communication;
    table.steps.push_back(costs);
    table.overlaps.push_back(overlap);
  }
  table.average = average(table.steps);
  return table;
}

}  // namespace strobe::tensorboard

#pragma once

#include "strobe/tensorboard/steps.h"
#include "strobe/tensorboard/time_roles.h"

namespace strobe::tensorboard {

struct StepCosts {
  std::array<Number, kRoleCount> roles;
  Number total;

  Number operator[](Role role) const { return roles[static_cast<std::size_t>(role)]; }
};

// Computation and communication at the same time, for the distributed views.
struct StepOverlap {
  Number computation;
  Number communication;
  Number overlap;
  Number other;
};

struct CostTable {
  std::vector<StepCosts> steps;
  StepCosts average;
  std::vector<StepOverlap> overlaps;  // one per step
};

CostTable count_costs(const Steps& steps, const TimeRoles& roles);

}  // namespace strobe::tensorboard

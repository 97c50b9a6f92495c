#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/tensorboard/linking.h"

namespace strobe::tensorboard {

struct Step {
  std::string name;  // "5"
  Range range;
};

struct Steps {
  std::vector<Step> all;
  Range profile;  // the range that the profiler reports, else that of all events

  Number start() const { return all.front().range.start; }
  Number end() const { return all.back().range.end; }
};

// Never empty; extended to the device work launched in them, and cut at the end.
Steps find_steps(const Events& events, const Forest& forest, const VariantRules& rules);

// The roles of time in a step, in order of precedence.
enum class Role : std::uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kCommunication,
  kRuntime,
  kDataLoader,
  kCpuExec,
  kOther,
};
inline constexpr std::size_t kRoleCount = 8;
std::string_view role_name(Role role);

// The merged ranges of each role but kOther.
struct TimeRoles {
  std::array<Ranges, kRoleCount> ranges;

  const Ranges& operator[](Role role) const { return ranges[static_cast<std::size_t>(role)]; }
  bool has(Role role) const { return !(*this)[role].empty(); }
};

TimeRoles find_roles(const Events& events, const Links& links, const VariantRules& rules);

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

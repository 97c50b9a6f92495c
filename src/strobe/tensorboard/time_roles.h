#pragma once

#include <array>

#include "strobe/tensorboard/linking.h"

namespace strobe::tensorboard {

// What a moment of a step was spent on, in the order of precedence.
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

}  // namespace strobe::tensorboard

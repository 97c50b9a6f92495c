#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "strobe/tensorboard/events.h"

namespace strobe::tensorboard {

// Something a table tells of how a kernel was launched; kernels that differ in it are told apart.
struct LaunchColumn {
  std::string_view title;  // empty: they are told apart and it is not shown
  std::string_view type;   // as the table claims it; cells are texts
  // Nothing: null.
  std::optional<std::string> (*cell)(const KernelArgs& args, const Events& events);
};

std::span<const LaunchColumn> launch_columns(const VariantRules& rules, DeviceKind kind);

}  // namespace strobe::tensorboard

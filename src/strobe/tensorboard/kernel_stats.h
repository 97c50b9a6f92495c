#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/tensorboard/events.h"
#include "strobe/tensorboard/node.h"

namespace strobe::tensorboard {

// Something a table tells of how a kernel was launched; kernels that differ in it are told apart.
struct LaunchColumn {
  std::string_view title;  // empty: they are told apart and it is not shown
  std::string_view type;   // as the table claims it; cells are texts
  // Nothing: null.
  std::optional<std::string> (*cell)(const KernelArgs& args, const Events& events);
};

std::span<const LaunchColumn> launch_columns(const VariantRules& rules, DeviceKind kind);

// The rows of `values` by value, descending, in the order in which numpy's quicksort leaves equal
// ones: an accident that the plugin's answers show.
std::vector<std::size_t> descending_order(std::span<const double> values);

// All Kernel events of one name.
struct KernelStat {
  StringId name;
  bool uses_tensor_cores = false;
  std::size_t count = 0;
  Number sum;
  Number mean;
  Number max;
  Number min;
  Number blocks_per_sm;
  Number occupancy_percent;
};
// By sum, descending.
std::vector<KernelStat> kernels_by_name(const Events& events, const VariantRules& rules);

// Kernels of one name, operator and launch configuration.
struct LaunchedKernelStat {
  StringId name;
  std::string op_name;
  std::vector<std::optional<std::string>> launch;  // one cell per launch column
  bool uses_tensor_cores = false;
  bool op_is_eligible = false;
  std::size_t calls = 0;
  Number total;
  Number max;
  Number min;
  Number blocks_sum;     // value times duration
  Number occupancy_sum;  // value times duration
};
// In the order of `kernels`.
std::vector<LaunchedKernelStat> kernels_by_launch(const Forest& forest, const Events& events,
                                                  const std::vector<DeviceWorkId>& kernels,
                                                  const VariantRules& rules,
                                                  std::span<const LaunchColumn> columns);

}  // namespace strobe::tensorboard

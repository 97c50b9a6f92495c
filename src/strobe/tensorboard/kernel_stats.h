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

// A property of kernel launches in a table; kernels that differ in it have separate rows.
struct LaunchColumn {
  std::string_view title;  // empty: it separates rows but is not shown
  std::string_view type;   // the type that the table claims; cells are texts
  // Nothing: null.
  std::optional<std::string> (*cell)(const KernelArgs& args, const Events& events);
};

std::span<const LaunchColumn> launch_columns(const VariantRules& rules, DeviceKind kind);

// The rows of `values` by value, descending, with equal ones in the order of numpy's quicksort: an
// accident that the plugin's answers show.
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

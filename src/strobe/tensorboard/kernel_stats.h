#pragma once

#include <string>

#include "strobe/tensorboard/launch_columns.h"
#include "strobe/tensorboard/node.h"

namespace strobe::tensorboard {

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

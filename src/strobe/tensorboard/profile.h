#pragma once

#include <span>
#include <string>
#include <vector>

#include "strobe/tensorboard/devices.h"
#include "strobe/tensorboard/kernel_stats.h"
#include "strobe/tensorboard/memory_records.h"
#include "strobe/tensorboard/modules.h"
#include "strobe/tensorboard/op_tree.h"
#include "strobe/tensorboard/operator_groups.h"
#include "strobe/tensorboard/steps.h"
#include "strobe/tensorboard/views.h"

namespace strobe::tensorboard {

// One trace file with everything that is computed once; the views only read it.
class Profile {
 public:
  ProfileOptions options;  // with the detected variant
  const VariantRules& rules() const { return rules_of(options.variant); }
  DeviceKind device_kind = DeviceKind::kGpu;
  std::span<const LaunchColumn> launch_columns() const {
    return tensorboard::launch_columns(rules(), device_kind);
  }

  Events events;
  Links links;  // with the trees, in links.forest
  const Forest& forest() const { return links.forest; }
  TreeOrder order;

  TimeRoles roles;
  Steps steps;
  CostTable costs;
  DeviceReport device_report;

  OperatorGroups operators;
  std::vector<KernelStat> kernels;
  std::vector<LaunchedKernelStat> launched_kernels;
  Number tensor_core_used_ratio;
  Number tensor_core_eligible_ratio;

  bool has_kernel() const { return roles.has(Role::kKernel); }
  bool has_communication() const { return roles.has(Role::kCommunication); }
  bool has_runtime() const { return roles.has(Role::kRuntime); }
  bool has_copies() const { return roles.has(Role::kMemcpy) || roles.has(Role::kMemset); }
  bool has_device_work() const { return has_kernel() || has_copies(); }
  bool shows_device() const { return has_runtime() || has_device_work(); }

  MemoryRecords memory;
  ModuleTable modules;
  bool has_memory() const { return !memory.all.empty(); }

  // Display names of its views, in the plugin's order.
  std::vector<std::string> views;
};

}  // namespace strobe::tensorboard

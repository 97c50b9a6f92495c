#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "strobe/tensorboard/kernel_stats.h"
#include "strobe/tensorboard/operator_groups.h"

namespace strobe::tensorboard {

bool kernel_uses_tensor_cores(std::string_view kernel_name);
bool operator_could_use_tensor_cores(std::string_view operator_name);

// By device, for kernels that operators launched; empty if they launched none.
std::map<std::int64_t, Number> tensor_core_ratios(const Forest& forest, const Events& events,
                                                  const TreeOrder& order,
                                                  const VariantRules& rules);
// The share of all kernel time that ran on tensor cores.
Number tensor_core_used_ratio(const std::vector<KernelStat>& kernels);
// The share of the operators' kernel time in operators that could use them.
Number tensor_core_eligible_ratio(const Forest& forest, const Events& events);

}  // namespace strobe::tensorboard

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/headroom/kernel_study.h"

namespace strobe::analysis {

enum class KernelGrouping : std::uint8_t { kName, kFamily, kBound, kShape, kPosition, kLayer };
enum class KernelNameForm : std::uint8_t { kClassic, kShort, kDetail, kFull, kMangled };
enum class KernelOrder : std::uint8_t { kTime, kHeadroom, kCount, kName };

struct KernelGroup {
  std::string name;    // of the kernel, the family or the bound; or "layer 7", "prologue"
  std::string family;  // "" when the group mixes several
  KernelSums sums;
  KernelBound bound = KernelBound::kUnknown;  // of the group's weighted percentages
  std::size_t first_row = 0;
  std::optional<std::size_t> index;  // of the position or the layer
  double cumulative_share = 0;       // of the time, down to here in this order
};

// Shares of time add up to one over all groups. Ordered by name, positions and layers keep their
// execution order; a list without layers is one group, "all kernels".
std::vector<KernelGroup> group_kernels(const KernelStudy& study, KernelGrouping grouping,
                                       KernelNameForm form = KernelNameForm::kDetail,
                                       KernelOrder order = KernelOrder::kTime);

std::string_view name_in(const KernelIdentity& identity, KernelNameForm form);

}  // namespace strobe::analysis

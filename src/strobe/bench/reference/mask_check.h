#pragma once

#include <cstdint>
#include <span>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/provider.h"

// Checks bit for bit which mask an implementation of a training case used. The output shows it: a
// dropped element equals its residual exactly, and the inputs of these cases (input_tensors.h) put
// a kept one at least 2 away from it.
namespace strobe::bench {

struct MaskCheck {
  std::uint64_t differences = 0;
  std::int64_t first = -1;  // element of the output, in storage order
};

// `values` are the requested rows of the output, one after the other; missing ones are not checked.
// A case without dropout has no differences.
MaskCheck check_mask(const CaseInfo& info, const PrepareRequest& request,
                     std::span<const std::int64_t> rows, std::span<const float> values);

}  // namespace strobe::bench

#pragma once

#include <cstdint>
#include <span>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/provider.h"

// The mask that an implementation of a training case used, bit for bit. It shows in the output: a
// dropped element is its residual exactly, and the inputs of these cases (input_tensors.h) put a
// kept one at least 2 away from it.
namespace strobe::bench {

struct MaskCheck {
  std::uint64_t differences = 0;
  std::int64_t first = -1;  // element of the output, as it is stored
};

// `values` are the rows asked for of the output, one after the other; what is missing of them is
// not looked at. A case without dropout has no mask to differ.
MaskCheck check_mask(const CaseInfo& info, const PrepareRequest& request,
                     std::span<const std::int64_t> rows, std::span<const float> values);

}  // namespace strobe::bench

#include "strobe/bench/reference/mask_check.h"

#include <algorithm>

#include "strobe/base/check.h"
#include "strobe/bench/reference/dropout.h"
#include "strobe/bench/reference/input_tensors.h"

namespace strobe::bench {
namespace {

// A dropped element equals its residual, which has the layout of the output.
std::size_t residual_of(const Expression& whole) {
  const auto found = std::ranges::find(whole.inputs, "residual", &Tensor::name);
  STROBE_CHECK(found != whole.inputs.end(), "what drops elements adds them to a residual");
  return static_cast<std::size_t>(found - whole.inputs.begin());
}

}  // namespace

MaskCheck check_mask(const CaseInfo& info, const PrepareRequest& request,
                     std::span<const std::int64_t> rows, std::span<const float> values) {
  MaskCheck check;
  if (info.training_of.empty()) return check;
  const Expression whole = fused(info);
  const Node* const dropout = whole.dropout();
  STROBE_CHECK(dropout != nullptr, "a training case drops elements");
  const bool is_transposed = whole.outputs[0].tensor.is_transposed;
  const Shape& shape = request.cell.shape;
  const std::int64_t width = is_transposed ? shape[0] : shape[1];
  const InputSource residual = input_sources(info, request)[residual_of(whole)];
  const std::uint32_t key = dropout_key(request.seed);
  std::size_t at = 0;
  for (const std::int64_t row : rows) {
    for (std::int64_t i = 0; i < width && at < values.size(); ++i, ++at) {
      const std::int64_t stored = row * width + i;
      const std::int64_t index = is_transposed ? i * shape[1] + row : stored;
      const bool was_dropped = values[at] == residual(stored);
      if (was_dropped == is_dropped(key, index, dropout->constant)) continue;
      if (check.differences++ == 0) check.first = stored;
    }
  }
  return check;
}

}  // namespace strobe::bench

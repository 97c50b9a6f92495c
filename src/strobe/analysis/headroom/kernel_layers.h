#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "strobe/analysis/headroom/kernel_sums.h"

namespace strobe::analysis {

// Words [begin, begin + length), each equal to the one `period` later where that is inside the
// range: at least two periods, at least two different words.
struct Repetition {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t period = 0;
};

// The longest one; among equally long ones the one with the smallest period, then the first. A
// single repeated word does not count. O(n log n) comparisons in the worst case, about n if almost
// everything repeats.
std::optional<Repetition> longest_repetition(std::span<const std::uint32_t> words);

// A list of kernels as prologue, n times the same block, epilogue.
struct KernelLayers {
  std::size_t prologue_rows = 0;
  std::size_t layers = 0;  // at least 2
  std::size_t rows_per_layer = 0;
  std::size_t epilogue_rows = 0;
  KernelSums prologue;
  KernelSums inside;  // all layers
  KernelSums epilogue;
  std::vector<std::int64_t> layer_ns;   // one per layer
  std::vector<KernelSums> positions;    // one per row of a layer, over all layers
  std::vector<std::size_t> odd_layers;  // further than 3 MAD, and 0.5 %, from the median

  std::size_t first_row_of(std::size_t layer) const {
    return prologue_rows + layer * rows_per_layer;
  }
};

struct LayerRow {
  std::uint32_t name = 0;  // equal for equal names
  bool is_norm = false;    // blocks are aligned to the first of these
  KernelSample sample;
};

// The shortest period with the longest repetition of names. Nothing if no block repeats, if less
// than a quarter of the rows repeats, or if the block is a single name: a loop over one kernel has
// no positions to compare.
std::optional<KernelLayers> find_layers(std::span<const LayerRow> rows, const Roofs& roofs = {});

}  // namespace strobe::analysis

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strobe/analysis/headroom/kernel_sums.h"
#include "strobe/device/kernel_family.h"

namespace strobe::analysis {

// Neighbours that one kernel could do: a maximal run of two or more launches without a matrix
// product between them. `saved_ns` is the sum less the slowest: one pass over the largest member.
struct FusionRun {
  std::size_t first_row = 0;
  std::size_t rows = 0;
  std::int64_t latency_ns = 0;
  std::int64_t saved_ns = 0;
};

// Runs of the same kernels in the same order.
struct FusionGroup {
  std::vector<std::size_t> runs;     // indices into FusionPlan::runs, in order
  std::vector<std::uint32_t> names;  // identities, one per row of a run
  std::string families;              // "concat/elementwise/gather", each once, in order of words
  std::int64_t latency_ns = 0;
  std::int64_t saved_ns = 0;
  std::string what;  // what the chain looks like: "attention scores: scale, mask, softmax"
  std::string why;   // why it is worth it, with its numbers
};

struct FusionPlan {
  std::vector<FusionRun> runs;      // in order of launch
  std::vector<FusionGroup> groups;  // most saved first
  std::size_t rows = 0;
  std::int64_t latency_ns = 0;
  std::int64_t saved_ns = 0;
};

struct FusionRow {
  std::uint32_t name = 0;
  device::KernelFamily family = device::KernelFamily::kOther;
  std::uint32_t stream = 0;
  KernelSample sample;
};

FusionPlan plan_fusions(std::span<const FusionRow> rows);

}  // namespace strobe::analysis

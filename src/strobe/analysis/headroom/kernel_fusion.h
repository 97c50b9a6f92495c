#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/headroom/kernel_chains.h"
#include "strobe/analysis/headroom/kernel_sums.h"
#include "strobe/device/kernel_family.h"

namespace strobe::analysis {

// Neighbours that one kernel could do: a maximal run of two or more launches on one stream without
// a matrix product, a collective or a copy between them. `saved_ns` is the sum less the slowest:
// one pass over the largest member.
struct FusionRun {
  std::size_t first_row = 0;
  std::size_t rows = 0;
  std::int64_t latency_ns = 0;
  std::int64_t saved_ns = 0;
  bool follows_matrix = false;   // the row before is a matrix product on the same stream
  bool precedes_matrix = false;  // the row behind is one
};

// Runs of the same kernels in the same order.
struct FusionGroup {
  std::vector<std::size_t> runs;     // indices into FusionPlan::runs, in order
  std::vector<std::uint32_t> names;  // FusionRow::name, one per row of a run
  std::string families;              // "concat/elementwise/gather", each once, in order of words
  std::int64_t latency_ns = 0;
  std::int64_t saved_ns = 0;
  std::string what;  // what the chain looks like: "attention scores: scale, mask, softmax"
  std::string why;   // why it is worth it, with its numbers
  ChainKind chain = ChainKind::kPlain;
  ChainEvidence evidence = ChainEvidence::kNone;
  std::optional<double> dram_bytes;   // read and written, if every launch has counted them
  std::optional<double> saved_bytes;  // all but what the largest member of each run moves

  std::size_t launches_saved() const { return runs.size() * (names.size() - 1); }
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
  std::int32_t device = 0;
  std::optional<double> dram_bytes;
};

// Packed arithmetic of elementwise kernels runs on the matrix pipe as well: below this no kernel is
// a matrix kernel, above it one whose name says nothing else is.
inline constexpr double kMatrixPercent = 5;
bool does_matrix_work(device::KernelFamily family, std::optional<double> tensor_percent);

// `details` are the detailed names, by FusionRow::name; without them chains are recognised by their
// structure alone.
FusionPlan plan_fusions(std::span<const FusionRow> rows,
                        std::span<const std::string_view> details = {});

}  // namespace strobe::analysis

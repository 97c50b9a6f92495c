#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/headroom/kernel_sums.h"
#include "strobe/device/kernel_family.h"

namespace strobe::analysis {

// Well-known computations that frameworks launch as a row of small kernels.
enum class ChainKind : std::uint8_t {
  kPlain,  // no known kind
  kAttentionScores,
  kRotaryEmbedding,
  kActivation,
  kGatedActivation,
  kResidualNorm,
  kNormOperators,
  kDropout,
  kOptimizer,
};
std::string_view word_of(ChainKind kind);  // "attention scores"

// How a chain was recognised: by kernel names that say what each computes, or by families and order
// alone, with no contrary evidence.
enum class ChainEvidence : std::uint8_t { kNone, kStructure, kNames };
std::string_view word_of(ChainEvidence evidence);  // "by structure"

// The operations in a name, one bit each: "elementwise_kernel[mul<f32>]" contains a product.
using ChainWords = std::uint64_t;
ChainWords chain_words(std::string_view detailed_name);

struct ChainLink {
  device::KernelFamily family = device::KernelFamily::kOther;
  ChainWords words = 0;
};

// The kernels around a chain.
struct ChainPlace {
  bool follows_matrix = false;    // a matrix product right before it
  bool precedes_matrix = false;   // and right after it
  bool scores_come_next = false;  // after that product a chain of attention scores begins
};

struct Chain {
  ChainKind kind = ChainKind::kPlain;
  ChainEvidence evidence = ChainEvidence::kNone;
  std::string what;  // "attention scores: mul, add, softmax"; "8 elementwise kernels"
};

Chain recognise_chain(std::span<const ChainLink> links, const ChainPlace& place);

// Adjacent launches that one kernel could replace: a maximal run of two or more launches on one
// stream without a matrix product, a collective or a copy between them. `saved_ns` is the sum minus
// the slowest: one pass over the largest member.
struct FusionRun {
  std::size_t first_row = 0;
  std::size_t rows = 0;
  std::int64_t latency_ns = 0;
  std::int64_t saved_ns = 0;
  bool follows_matrix = false;   // the row before is a matrix product on the same stream
  bool precedes_matrix = false;  // the row after is one
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
  std::optional<double> saved_bytes;  // everything except what the largest member of each run moves

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

// Packed arithmetic of elementwise kernels also uses the matrix pipe. Below this percentage a
// kernel is never a matrix kernel; above it, it is one unless its name says otherwise.
inline constexpr double kMatrixPercent = 5;
bool does_matrix_work(device::KernelFamily family, std::optional<double> tensor_percent);

// `details` are the detailed names, by FusionRow::name; without them chains are recognised by their
// structure alone.
FusionPlan plan_fusions(std::span<const FusionRow> rows,
                        std::span<const std::string_view> details = {});

}  // namespace strobe::analysis

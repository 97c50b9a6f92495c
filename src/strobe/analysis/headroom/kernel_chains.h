#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "strobe/device/kernel_family.h"

namespace strobe::analysis {

// Well-known computations that frameworks launch as a row of small kernels.
enum class ChainKind : std::uint8_t {
  kPlain,  // none that is known
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

// What it was recognised by: the kernels' names say what each computes, or their families and order
// fit and nothing speaks against it.
enum class ChainEvidence : std::uint8_t { kNone, kStructure, kNames };
std::string_view word_of(ChainEvidence evidence);  // "by structure"

// Which operations a name speaks of, one bit each: "elementwise_kernel[mul<f32>]" of a product.
using ChainWords = std::uint64_t;
ChainWords chain_words(std::string_view detailed_name);

struct ChainLink {
  device::KernelFamily family = device::KernelFamily::kOther;
  ChainWords words = 0;
};

// What stands around a chain.
struct ChainPlace {
  bool follows_matrix = false;    // a matrix product right before it
  bool precedes_matrix = false;   // and right after it
  bool scores_come_next = false;  // behind that product begins a chain of attention scores
};

struct Chain {
  ChainKind kind = ChainKind::kPlain;
  ChainEvidence evidence = ChainEvidence::kNone;
  std::string what;  // "attention scores: mul, add, softmax"; "8 elementwise kernels"
};

Chain recognise_chain(std::span<const ChainLink> links, const ChainPlace& place);

}  // namespace strobe::analysis

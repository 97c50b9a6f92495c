#include "strobe/analysis/headroom/kernel_fusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

using device::KernelFamily;

// Words in names that say what a kernel computes. The words from "gelu" to "arange" are shown to a
// user, but only the first one that a name contains.
constexpr std::array<std::string_view, 45> kChainWords = {
    "gelu", "silu",   "sigmoid", "tanh", "erf",      "relu",      "pow",     "rsqrt",     "sqrt",
    "sin",  "cos",    "neg",     "exp",  "log",      "where",     "dropout", "bernoulli", "tril",
    "triu", "masked", "add",     "sub",  "mul",      "div",       "fill",    "copy",      "clamp",
    "max",  "min",    "abs",     "cast", "eq",       "compare",   "not",     "and",       "arange",
    "adam", "adamw",  "lamb",    "sgd",  "momentum", "optimizer", "multi",   "tensor",    "apply"};
constexpr std::size_t kShownWords = 36;
static_assert(kChainWords[kShownWords - 1] == "arange");

consteval ChainWords bit(std::string_view word) {
  std::size_t at = 0;
  while (kChainWords.at(at) != word) ++at;
  return ChainWords{1} << at;
}

template <typename... Words>
consteval ChainWords any_of(Words... words) {
  return (bit(words) | ...);
}

// Matches whole words only: "padding" does not contain "add".
bool has_word(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return lower(a) == b; };
  for (auto at = text.begin(); at != text.end(); ++at) {
    at = std::search(at, text.end(), word.begin(), word.end(), same);
    if (at == text.end()) return false;
    const auto end = at + static_cast<std::ptrdiff_t>(word.size());
    const bool begins = at == text.begin() || !is_letter(*(at - 1));
    if (begins && (end == text.end() || !is_letter(*end))) return true;
  }
  return false;
}

class Links {
 public:
  explicit Links(std::span<const ChainLink> links) : links_(links) {
    for (const ChainLink& link : links) words_ |= link.words;
  }

  std::size_t size() const { return links_.size(); }
  const ChainLink& back() const { return links_.back(); }

  std::size_t count(KernelFamily family) const {
    return static_cast<std::size_t>(std::ranges::count(links_, family, &ChainLink::family));
  }

  bool says(ChainWords any) const { return (words_ & any) != 0; }

  template <typename Fits>
  bool all(Fits fits) const {
    return std::ranges::all_of(links_, fits);
  }

  // "mul, add x 2, softmax": the operation of each kernel, or its family if the name does not say.
  // Long chains are cut.
  std::string listed() const {
    constexpr std::size_t kMost = 10;
    std::string text;
    std::size_t parts = 0;
    for (std::size_t i = 0; i < links_.size();) {
      if (parts++ == kMost) return text + ", ...";
      const std::string_view label = label_of(links_[i]);
      std::size_t end = i + 1;
      while (end < links_.size() && label_of(links_[end]) == label) ++end;
      if (!text.empty()) text += ", ";
      text += label;
      if (end - i > 1) text += fmt::format(" x {}", end - i);
      i = end;
    }
    return text;
  }

  // "8 elementwise", "7 elementwise, 1 gather, 1 norm": most first.
  std::string counted_by_family() const {
    std::vector<std::pair<std::size_t, KernelFamily>> counts;
    for (std::size_t i = 0; i < static_cast<std::size_t>(KernelFamily::kCount_); ++i) {
      const auto family = static_cast<KernelFamily>(i);
      if (const std::size_t links = count(family); links > 0) counts.emplace_back(links, family);
    }
    std::stable_sort(counts.begin(), counts.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (const auto& [links, family] : counts) {
      if (!text.empty()) text += ", ";
      text += fmt::format("{} {}", links, device::word_of(family));
    }
    return text;
  }

 private:
  static std::string_view label_of(const ChainLink& link) {
    if (link.family == KernelFamily::kElementwise || link.family == KernelFamily::kOther) {
      for (std::size_t i = 0; i < kShownWords; ++i) {
        if ((link.words >> i & 1) != 0) return kChainWords[i];
      }
    }
    return device::word_of(link.family);
  }

  std::span<const ChainLink> links_;
  ChainWords words_ = 0;
};

using MaybeChain = std::optional<Chain>;

bool is_elementwise(const ChainLink& link) { return link.family == KernelFamily::kElementwise; }

bool is_mask(const ChainLink& link) { return (link.words & any_of("triu", "tril")) != 0; }

MaybeChain optimizer(const Links& links, const ChainPlace&) {
  const bool is_list =
      links.says(bit("multi")) && links.says(bit("tensor")) && links.says(bit("apply"));
  constexpr ChainWords kNames = any_of("adam", "adamw", "lamb", "sgd", "momentum", "optimizer");
  if (!is_list && !links.says(kNames)) return {};
  return Chain{ChainKind::kOptimizer, ChainEvidence::kNames, "optimizer: " + links.listed()};
}

// A softmax alone may also be the end of a classifier or the choice of an expert. With a matrix
// product on both sides and only pointwise work between, it is attention.
MaybeChain attention_scores(const Links& links, const ChainPlace& place) {
  if (!place.follows_matrix || !place.precedes_matrix) return {};
  if (links.count(KernelFamily::kSoftmax) != 1) return {};
  const bool is_pointwise_else = links.all([](const ChainLink& link) {
    return is_elementwise(link) || is_mask(link) || link.family == KernelFamily::kSoftmax ||
           link.family == KernelFamily::kRng;
  });
  if (!is_pointwise_else) return {};
  return Chain{ChainKind::kAttentionScores, ChainEvidence::kStructure,
               "attention scores: " + links.listed()};
}

MaybeChain rotary_embedding(const Links& links, const ChainPlace& place) {
  constexpr std::size_t kLeastPointwise = 4;  // two products and a sum, of queries and of keys
  if (links.count(KernelFamily::kConcat) == 0) return {};
  if (links.count(KernelFamily::kElementwise) < kLeastPointwise) return {};
  const bool is_named =
      links.says(bit("mul")) &&
      (links.says(bit("neg")) || (links.says(bit("sin")) && links.says(bit("cos"))));
  if (!is_named && !place.scores_come_next) return {};
  return Chain{ChainKind::kRotaryEmbedding,
               is_named ? ChainEvidence::kNames : ChainEvidence::kStructure,
               "rotary position embedding: " + links.counted_by_family()};
}

MaybeChain activation(const Links& links, const ChainPlace& place) {
  // One product, one sum and one function are at most a bias and a ready-made activation.
  constexpr std::size_t kWrittenOut = 5;
  constexpr std::size_t kMostWrittenOut = 12;  // more is something else, such as an optimizer
  constexpr std::size_t kTanhGelu = 8;  // x^3, scale, add, scale, tanh, add one, half x, product
  if (!place.follows_matrix || !place.precedes_matrix || !links.all(is_elementwise)) return {};
  const auto named = [&](ChainKind kind, std::string_view name) {
    return Chain{kind, ChainEvidence::kNames, fmt::format("{}: {}", name, links.listed())};
  };
  if (links.says(bit("tanh")) && links.says(bit("mul")) && links.says(bit("add"))) {
    return named(ChainKind::kActivation, "tanh-GELU as operators");
  }
  if (links.says(any_of("silu", "sigmoid", "gelu")) && links.says(bit("mul"))) {
    return named(ChainKind::kGatedActivation, "gated activation");
  }
  if (links.says(any_of("gelu", "relu", "silu", "erf", "tanh", "sigmoid"))) {
    return named(ChainKind::kActivation, "activation");
  }
  if (links.size() < kWrittenOut || links.size() > kMostWrittenOut) return {};
  return Chain{ChainKind::kActivation, ChainEvidence::kStructure,
               links.size() == kTanhGelu
                   ? "activation as operators: 8 elementwise kernels, as many as tanh-GELU takes"
                   : fmt::format("activation as operators: {} kernels", links.counted_by_family())};
}

MaybeChain residual_norm(const Links& links, const ChainPlace&) {
  constexpr std::size_t kMostBefore = 4;
  if (links.back().family != KernelFamily::kNorm || links.count(KernelFamily::kNorm) != 1)
    return {};
  if (links.size() - 1 > kMostBefore ||
      links.count(KernelFamily::kElementwise) != links.size() - 1) {
    return {};
  }
  return Chain{ChainKind::kResidualNorm,
               links.says(bit("add")) ? ChainEvidence::kNames : ChainEvidence::kStructure,
               "residual add and norm: " + links.listed()};
}

MaybeChain norm_operators(const Links& links, const ChainPlace&) {
  if (links.count(KernelFamily::kReduce) == 0 || !links.says(bit("rsqrt"))) return {};
  return Chain{ChainKind::kNormOperators, ChainEvidence::kNames,
               "norm as operators: " + links.listed()};
}

MaybeChain dropout(const Links& links, const ChainPlace&) {
  if (!links.says(any_of("dropout", "bernoulli"))) return {};
  return Chain{ChainKind::kDropout, ChainEvidence::kNames, "dropout: " + links.listed()};
}

using Rule = MaybeChain (*)(const Links&, const ChainPlace&);
constexpr std::array<Rule, 7> kChainRules = {optimizer,  attention_scores, rotary_embedding,
                                             activation, residual_norm,    norm_operators,
                                             dropout};

}  // namespace

std::string_view word_of(ChainKind kind) {
  switch (kind) {
    case ChainKind::kPlain:
      break;
    case ChainKind::kAttentionScores:
      return "attention scores";
    case ChainKind::kRotaryEmbedding:
      return "rotary embedding";
    case ChainKind::kActivation:
      return "activation";
    case ChainKind::kGatedActivation:
      return "gated activation";
    case ChainKind::kResidualNorm:
      return "residual and norm";
    case ChainKind::kNormOperators:
      return "norm as operators";
    case ChainKind::kDropout:
      return "dropout";
    case ChainKind::kOptimizer:
      return "optimizer";
  }
  return "plain";
}

std::string_view word_of(ChainEvidence evidence) {
  switch (evidence) {
    case ChainEvidence::kNone:
      break;
    case ChainEvidence::kStructure:
      return "by structure";
    case ChainEvidence::kNames:
      return "by names";
  }
  return "not recognised";
}

ChainWords chain_words(std::string_view detailed_name) {
  ChainWords words = 0;
  for (std::size_t i = 0; i < kChainWords.size(); ++i) {
    if (has_word(detailed_name, kChainWords[i])) words |= ChainWords{1} << i;
  }
  return words;
}

Chain recognise_chain(std::span<const ChainLink> links, const ChainPlace& place) {
  const Links all(links);
  if (links.empty()) return {};
  for (const Rule rule : kChainRules) {
    if (MaybeChain found = rule(all, place)) return *std::move(found);
  }
  return Chain{ChainKind::kPlain, ChainEvidence::kNone, all.counted_by_family() + " kernels"};
}

}  // namespace strobe::analysis

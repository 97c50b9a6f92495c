#include "strobe/analysis/headroom/kernel_fusion.h"

#include <gtest/gtest.h>

#include <vector>

namespace strobe::analysis {
namespace {

using device::KernelFamily;
constexpr auto kElementwise = KernelFamily::kElementwise;
constexpr ChainPlace kBetweenProducts{.follows_matrix = true, .precedes_matrix = true};

ChainLink pointwise(std::string_view detail = "elementwise_kernel") {
  return {kElementwise, chain_words(detail)};
}
ChainLink of(KernelFamily family) { return {family, 0}; }

std::vector<ChainLink> times(std::size_t count, ChainLink link) {
  return std::vector<ChainLink>(count, link);
}

void expect_chain(const std::vector<ChainLink>& links, const ChainPlace& place, ChainKind kind,
                  ChainEvidence evidence, std::string_view what) {
  const Chain chain = recognise_chain(links, place);
  EXPECT_EQ(chain.kind, kind) << chain.what;
  EXPECT_EQ(chain.evidence, evidence) << chain.what;
  EXPECT_EQ(chain.what, what);
}

TEST(KernelChainsTest, words_are_whole_and_of_any_case) {
  EXPECT_EQ(chain_words("elementwise_kernel[Add<f32>]"), chain_words("add"));
  EXPECT_NE(chain_words("add"), 0u);
  EXPECT_EQ(chain_words("padding_kernel"), 0u);
  EXPECT_EQ(chain_words("addition"), 0u);
  EXPECT_EQ(chain_words("x[mul<f16>, vec8]") | chain_words("add"), chain_words("add, mul"));
}

TEST(KernelChainsTest, pointwise_work_and_one_softmax_between_two_products_are_attention) {
  const std::vector<ChainLink> links = {pointwise(), pointwise(), of(KernelFamily::kSoftmax),
                                        pointwise()};
  expect_chain(links, kBetweenProducts, ChainKind::kAttentionScores, ChainEvidence::kStructure,
               "attention scores: elementwise x 2, softmax, elementwise");
  EXPECT_EQ(recognise_chain(links, {.follows_matrix = true}).kind, ChainKind::kPlain);
}

TEST(KernelChainsTest, what_names_say_is_listed) {
  expect_chain({pointwise("k[mul<f16>]"), pointwise("k[fill]"),
                ChainLink{KernelFamily::kOther, chain_words("triu_tril_kernel")},
                pointwise("k[add<f16>]"), of(KernelFamily::kSoftmax)},
               kBetweenProducts, ChainKind::kAttentionScores, ChainEvidence::kStructure,
               "attention scores: mul, fill, tril, add, softmax");
}

// The choice of experts is also a softmax between products, but it sorts and gathers.
TEST(KernelChainsTest, a_softmax_among_other_work_is_not_called_attention) {
  expect_chain({of(KernelFamily::kSoftmax), of(KernelFamily::kGather), pointwise()},
               kBetweenProducts, ChainKind::kPlain, ChainEvidence::kNone,
               "1 softmax, 1 gather, 1 elementwise kernels");
}

TEST(KernelChainsTest, joined_halves_before_attention_are_a_rotary_embedding) {
  std::vector<ChainLink> links = times(2, of(KernelFamily::kGather));
  for (int i = 0; i < 4; ++i) links.push_back(pointwise());
  links.push_back(of(KernelFamily::kConcat));
  ChainPlace place = kBetweenProducts;
  EXPECT_EQ(recognise_chain(links, place).kind, ChainKind::kPlain);
  place.scores_come_next = true;
  expect_chain(links, place, ChainKind::kRotaryEmbedding, ChainEvidence::kStructure,
               "rotary position embedding: 4 elementwise, 2 gather, 1 concat");
  links.push_back(pointwise("k[neg]"));
  links.push_back(pointwise("k[mul]"));
  EXPECT_EQ(recognise_chain(links, {}).evidence, ChainEvidence::kNames);
}

TEST(KernelChainsTest, an_activation_is_told_by_its_names) {
  expect_chain({pointwise("k[pow]"), pointwise("k[mul]"), pointwise("k[add]"), pointwise("k[tanh]"),
                pointwise("k[mul]"), pointwise("k[mul]")},
               kBetweenProducts, ChainKind::kActivation, ChainEvidence::kNames,
               "tanh-GELU as operators: pow, mul, add, tanh, mul x 2");
  expect_chain({pointwise("k[silu]"), pointwise("k[mul]")}, kBetweenProducts,
               ChainKind::kGatedActivation, ChainEvidence::kNames, "gated activation: silu, mul");
}

TEST(KernelChainsTest, an_activation_without_names_is_told_by_many_kernels_between_products) {
  expect_chain(times(8, pointwise()), kBetweenProducts, ChainKind::kActivation,
               ChainEvidence::kStructure,
               "activation as operators: 8 elementwise kernels, as many as tanh-GELU takes");
  expect_chain(times(4, pointwise()), kBetweenProducts, ChainKind::kPlain, ChainEvidence::kNone,
               "4 elementwise kernels");
  expect_chain(times(13, pointwise()), kBetweenProducts, ChainKind::kPlain, ChainEvidence::kNone,
               "13 elementwise kernels");
  expect_chain(times(8, pointwise()), {}, ChainKind::kPlain, ChainEvidence::kNone,
               "8 elementwise kernels");
}

TEST(KernelChainsTest, adds_before_a_norm_are_residuals) {
  expect_chain({pointwise(), pointwise(), of(KernelFamily::kNorm)}, {}, ChainKind::kResidualNorm,
               ChainEvidence::kStructure, "residual add and norm: elementwise x 2, norm");
  EXPECT_EQ(recognise_chain(std::vector{pointwise("k[add]"), of(KernelFamily::kNorm)}, {}).evidence,
            ChainEvidence::kNames);
  EXPECT_EQ(recognise_chain(std::vector{of(KernelFamily::kNorm), pointwise()}, {}).kind,
            ChainKind::kPlain);
}

TEST(KernelChainsTest, other_chains_are_told_by_name_alone) {
  const ChainLink reduce = of(KernelFamily::kReduce);
  EXPECT_EQ(
      recognise_chain(std::vector{pointwise("k[pow]"), reduce, pointwise("k[rsqrt]")}, {}).kind,
      ChainKind::kNormOperators);
  EXPECT_EQ(recognise_chain(std::vector{pointwise("fused_dropout_kernel"), pointwise()}, {}).kind,
            ChainKind::kDropout);
  EXPECT_EQ(recognise_chain(std::vector{pointwise("multi_tensor_apply_kernel"), reduce}, {}).kind,
            ChainKind::kOptimizer);
  EXPECT_EQ(recognise_chain({}, {}).kind, ChainKind::kPlain);
}

TEST(KernelChainsTest, kinds_and_evidence_have_words) {
  EXPECT_EQ(word_of(ChainKind::kRotaryEmbedding), "rotary embedding");
  EXPECT_EQ(word_of(ChainEvidence::kStructure), "by structure");
}

}  // namespace
}  // namespace strobe::analysis

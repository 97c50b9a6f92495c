#include "strobe/device/kernel_family.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "strobe/device/kernel_name.h"
#include "strobe/device/name_parts.h"
#include "strobe/device/vendor_names.h"

namespace strobe::device {
namespace {

using Family = KernelFamily;

constexpr std::string_view kFamilyWords[] = {
    "gemm",   "conv",       "attention", "softmax", "norm",        "concat", "gather",
    "reduce", "collective", "copy",      "rng",     "elementwise", "other",
};
static_assert(std::size(kFamilyWords) == static_cast<std::size_t>(Family::kCount_));

// Searched in name_words(): `_conv_` is a whole word, `gemm` may be part of one, `^_index_` starts
// the name. The order matters: a pattern that is part of another family's names comes after that
// family's patterns.
struct Rule {
  std::string_view pattern;
  Family family;
};
constexpr Rule kRules[] = {
    // Cache writes and rotary embeddings: neighbours of attention that share its words.
    {"reshape_and_cache", Family::kCopy},
    {"concat_and_cache", Family::kCopy},
    {"rotary", Family::kElementwise},
    {"_rope_", Family::kElementwise},

    {"_flash_", Family::kAttention},
    {"flashattn", Family::kAttention},
    {"attention", Family::kAttention},
    {"_attn_", Family::kAttention},
    {"fmha", Family::kAttention},
    {"_mha_", Family::kAttention},
    {"_mla_", Family::kAttention},
    {"_sdpa_", Family::kAttention},
    {"paged_kv_cache", Family::kAttention},
    {"ragged_kv_cache", Family::kAttention},
    {"merge_states", Family::kAttention},

    // Convolutions; libraries compute them as matrix products and say so in the name.
    {"_conv_", Family::kConv},
    {"_conv1", Family::kConv},
    {"_conv2", Family::kConv},
    {"_conv3", Family::kConv},
    {"convolution", Family::kConv},
    {"convolve", Family::kConv},
    {"implicit_gemm", Family::kConv},
    {"igemm_fwd", Family::kConv},
    {"igemm_bwd", Family::kConv},
    {"igemm_wrw", Family::kConv},
    {"fprop", Family::kConv},
    {"dgrad", Family::kConv},
    {"wgrad", Family::kConv},
    {"winograd", Family::kConv},
    {"im2col", Family::kConv},
    {"im2_col", Family::kConv},
    {"col2im", Family::kConv},
    {"col2_im", Family::kConv},
    {"_depthwise_", Family::kConv},
    {"scudnn", Family::kConv},
    {"884cudnn", Family::kConv},
    {"1688cudnn", Family::kConv},
    {"16816cudnn", Family::kConv},
    {"_cask_cudnn_", Family::kConv},
    {"_cudnn_cnn_", Family::kConv},

    {"gemm", Family::kGemm},
    {"gemv", Family::kGemm},
    {"nvjet", Family::kGemm},
    {"matmul", Family::kGemm},
    {"mat_mul", Family::kGemm},
    {"split_kreduce", Family::kGemm},  // the second half of a product split along k
    {"^_cijk_", Family::kGemm},        // indices of the product, in names of Tensile
    {"wv_split_k", Family::kGemm},
    {"_xmma_", Family::kGemm},
    {"_marlin_", Family::kGemm},
    {"_fused_moe_", Family::kGemm},
    {"_addmm_", Family::kGemm},
    {"_bmm_", Family::kGemm},
    {"_mm_", Family::kGemm},
    {"^_triton_tem_", Family::kGemm},

    {"softmax", Family::kSoftmax},
    {"soft_max", Family::kSoftmax},

    {"lp_norm", Family::kReduce},  // the length of a vector, not a layer
    {"l2_norm", Family::kReduce},
    {"l2norm", Family::kReduce},
    {"layer_norm", Family::kNorm},
    {"layernorm", Family::kNorm},
    {"rms_norm", Family::kNorm},
    {"rmsnorm", Family::kNorm},
    {"_rms_", Family::kNorm},
    {"batch_norm", Family::kNorm},
    {"batchnorm", Family::kNorm},
    {"group_norm", Family::kNorm},
    {"groupnorm", Family::kNorm},
    {"_bn_fw_", Family::kNorm},
    {"_bn_bw_", Family::kNorm},
    {"_ln_fwd_", Family::kNorm},
    {"_ln_bwd_", Family::kNorm},
    {"gamma_beta_backward", Family::kNorm},
    {"rowwise_moments", Family::kNorm},
    {"_norm_", Family::kNorm},

    {"cat_array", Family::kConcat},
    {"concat", Family::kConcat},

    // These contain sums and gathers, but are neither.
    {"radix_sort", Family::kOther},
    {"_sort_", Family::kOther},
    {"_scan_", Family::kOther},
    {"sampling", Family::kOther},
    {"top_k", Family::kOther},
    {"topk", Family::kOther},

    {"^_index_", Family::kGather},
    {"_index_select_", Family::kGather},
    {"gather", Family::kGather},
    {"scatter", Family::kGather},
    {"embedding", Family::kGather},
    {"_krn_partial", Family::kGather},  // steps of an embedding's gradient
    {"partial_segment", Family::kGather},
    {"compute_grad_weight", Family::kGather},

    {"reduce", Family::kReduce},
    {"reduction", Family::kReduce},
    {"argmax", Family::kReduce},
    {"arg_max", Family::kReduce},
    {"argmin", Family::kReduce},
    {"arg_min", Family::kReduce},
    {"^_dot_kernel_", Family::kReduce},
    {"_loss_", Family::kReduce},
    {"criterion", Family::kReduce},

    {"distribution", Family::kRng},
    {"philox", Family::kRng},
    {"curand", Family::kRng},
    {"hiprand", Family::kRng},
    {"rocrand", Family::kRng},
    {"_rng_", Family::kRng},
    {"_rand_", Family::kRng},
    {"_randn_", Family::kRng},
    {"_random_", Family::kRng},
    {"bernoulli", Family::kRng},
    {"multinomial", Family::kRng},

    {"elementwise", Family::kElementwise},
    {"element_wise", Family::kElementwise},
    {"pointwise", Family::kElementwise},

    {"memcpy", Family::kCopy},
    {"memset", Family::kCopy},
    {"_copy_", Family::kCopy},
    {"fill_buffer", Family::kCopy},
    {"transpose", Family::kCopy},
    {"_permute_", Family::kCopy},
    {"nchw_to_nhwc", Family::kCopy},
    {"nhwc_to_nchw", Family::kCopy},
    {"_tensor_shuffling_", Family::kCopy},

    {"multi_tensor_apply", Family::kElementwise},
    {"triu_tril", Family::kElementwise},
    {"scale_packed_tensor", Family::kElementwise},
    {"act_and_mul", Family::kElementwise},
    {"activation", Family::kElementwise},
    {"dropout", Family::kElementwise},
    {"quant", Family::kElementwise},
    {"silu", Family::kElementwise},
    {"gelu", Family::kElementwise},
    {"relu", Family::kElementwise},
    {"swiglu", Family::kElementwise},
    {"swi_glu", Family::kElementwise},
    {"_cast_", Family::kElementwise},
    {"_unary_op_", Family::kElementwise},
    {"_binary_op_", Family::kElementwise},
    {"axpy", Family::kElementwise},
    {"^_scal_kernel_", Family::kElementwise},
    {"^_add_", Family::kElementwise},
    {"^_sub_", Family::kElementwise},
    {"^_mul_", Family::kElementwise},
    {"^_div_", Family::kElementwise},
    {"^_aclnn_add_", Family::kElementwise},
    {"^_aclnn_sub_", Family::kElementwise},
    {"^_aclnn_mul_", Family::kElementwise},
    {"^_aclnn_div_", Family::kElementwise},

    {"_cutlass_", Family::kGemm},  // anything more specific was matched above
};

// Names of compiler-generated kernels list all their operators. The tag before the list gives the
// family, except for reductions that form a softmax or a norm.
constexpr Rule kGeneratedTags[] = {
    {"^_triton_poi_", Family::kElementwise}, {"^_triton_for_", Family::kElementwise},
    {"^_triton_red_", Family::kReduce},      {"^_triton_per_", Family::kReduce},
    {"^_triton_mix_", Family::kReduce},      {"^_triton_spl_", Family::kOther},
};
constexpr Rule kGeneratedReductions[] = {
    {"softmax", Family::kSoftmax},
    {"norm", Family::kNorm},
    {"_rms_", Family::kNorm},
    {"_rsqrt_", Family::kNorm},  // a norm written as single operators
};

template <std::size_t size>
std::optional<Family> first_match(const Rule (&rules)[size], const std::string& words) {
  const auto* const rule = std::ranges::find_if(
      rules, [&](const Rule& one) { return words.find(one.pattern) != std::string::npos; });
  return rule == std::end(rules) ? std::nullopt : std::optional(rule->family);
}

std::optional<Family> by_rules(std::string_view name) {
  const std::string words = name_words(name);
  const std::optional<Family> tag = first_match(kGeneratedTags, words);
  if (!tag) return first_match(kRules, words);
  return tag == Family::kReduce ? first_match(kGeneratedReductions, words).value_or(*tag) : tag;
}

}  // namespace

std::string_view word_of(KernelFamily family) {
  const auto index = static_cast<std::size_t>(family);
  return index < std::size(kFamilyWords) ? kFamilyWords[index] : "other";
}

KernelFamily kernel_family(std::string_view full) {
  const std::string plain = demangled(full);
  const QualifiedName name = qualified_name(plain);
  if (is_any_collective(plain)) return Family::kCollective;
  if (const auto family = by_rules(name.base)) return *family;
  if (const auto family = by_rules(kernel_detail(name.base, name.arguments))) return *family;
  // All CUTLASS kernels have this name; a table of short names has nothing more.
  if (name.base == "Kernel" || name.base == "Kernel2") return Family::kGemm;
  return by_rules(name.scope).value_or(Family::kOther);
}

}  // namespace strobe::device

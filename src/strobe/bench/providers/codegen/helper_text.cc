#include "strobe/bench/providers/codegen/helper_text.h"

#include "strobe/bench/providers/codegen/emit_expression.h"
#include "strobe/bench/providers/codegen/source_text.h"

namespace strobe::bench {
namespace {

constexpr std::string_view kInline = "__device__ __forceinline__ ";

// ex2.approx is within 2 units of the last place; the product before it costs |x| of them, so 88 at
// the most: 6e-6. Results below the smallest normal number are 0.
constexpr std::string_view kExp = R"(float strobe_exp(const float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.44269504f));
  return y;
}
)";
constexpr std::string_view kRecip = R"(float strobe_recip(const float x) {
  float y;
  asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
)";
constexpr std::string_view kFastRecip = R"(float strobe_fast_recip(const float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
)";
constexpr std::string_view kUnpackF16 =
    R"(void strobe_unpack_f16(const unsigned pair, float& low, float& high) {
  asm("{\n"
      ".reg .f16 a, b;\n"
      "mov.b32 {a, b}, %2;\n"
      "cvt.f32.f16 %0, a;\n"
      "cvt.f32.f16 %1, b;\n"
      "}" : "=f"(low), "=f"(high) : "r"(pair));
}
)";
constexpr std::string_view kPackF16 =
    R"(unsigned strobe_pack_f16(const float low, const float high) {
  unsigned pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
)";
constexpr std::string_view kPackBf16 =
    R"(unsigned strobe_pack_bf16(const float low, const float high) {
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
)";
constexpr std::string_view kShared = R"(unsigned char* strobe_shared() {
  extern __shared__ __align__(128) unsigned char strobe_memory[];
  return strobe_memory;
}
)";
constexpr std::string_view kBarriers[] = {
    R"(unsigned strobe_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
)",
    R"(void strobe_barrier_init(unsigned long long* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(strobe_address(barrier)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
)",
    R"(void strobe_barrier_expect(unsigned long long* barrier, const unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               ::"r"(strobe_address(barrier)), "r"(bytes) : "memory");
}
)",
    R"(void strobe_barrier_wait(unsigned long long* barrier, const unsigned parity) {
  unsigned is_done = 0;
  while (is_done == 0) {
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, p;\n"
                 "}" : "=r"(is_done) : "r"(strobe_address(barrier)), "r"(parity) : "memory");
  }
}
)",
    // Orders ordinary accesses to the buffer before those of the copy engine.
    R"(void strobe_fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
)"};
constexpr std::string_view kBulkLoad =
    R"(void strobe_bulk_load(void* shared, const void* global, const unsigned bytes,
                                           unsigned long long* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               ::"r"(strobe_address(shared)), "l"(__cvta_generic_to_global(global)), "r"(bytes),
                 "r"(strobe_address(barrier)) : "memory");
}
)";
constexpr std::string_view kBulkLoadStreamed =
    R"(void strobe_bulk_load(void* shared, const void* global, const unsigned bytes,
                                           unsigned long long* barrier) {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
               " [%0], [%1], %2, [%3], %4;"
               ::"r"(strobe_address(shared)), "l"(__cvta_generic_to_global(global)), "r"(bytes),
                 "r"(strobe_address(barrier)), "l"(policy) : "memory");
}
)";
constexpr std::string_view kClusterRank = R"(unsigned strobe_cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
)";
constexpr std::string_view kClusterPut =
    R"(void strobe_cluster_put(float* shared, const unsigned rank, const float value) {
  asm volatile("{\n"
               ".reg .u32 there;\n"
               "mapa.shared::cluster.u32 there, %0, %1;\n"
               "st.shared::cluster.f32 [there], %2;\n"
               "}" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "r"(rank),
                     "f"(value) : "memory");
}
)";
// Two functions, so that loads can be issued between them.
constexpr std::string_view kClusterArrive = R"(void strobe_cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
)";
constexpr std::string_view kClusterWait = R"(void strobe_cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}
)";
constexpr std::string_view kAsyncCommit =
    R"(void strobe_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
)";
constexpr std::string_view kAsyncWait = R"(void strobe_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}
)";

// |x| < 40000: the nearest odd multiple of pi/2 is subtracted in two steps, then an odd polynomial
// on [-pi/2, pi/2] is evaluated; within 2e-7 of the value. For several values, one test covers all
// of them: separate branches would prevent overlapping.
constexpr std::string_view kCos =
    R"(static __device__ __noinline__ float strobe_cos_far(const float x) { return cosf(x); }

__device__ __forceinline__ float strobe_cos_near(const float x, bool& is_far) {
  is_far = is_far || !(fabsf(x) < 40000.0f);
  const float rounded = fmaf(x, 0.318309886f, -0.5f) + 12582912.0f;
  const float turns = rounded - 12582912.0f + 0.5f;
  const float r = fmaf(turns, 8.74227766e-8f, fmaf(turns, -3.14159274f, x));
  const float s = r * r;
  const float p = fmaf(fmaf(fmaf(2.63451956e-06f, s, -0.000198226663f), s, 0.00833324159f), s, -0.16666666f);
  const float y = fmaf(r * s, p, r);
  return __uint_as_float(__float_as_uint(y) ^ (~__float_as_uint(rounded) << 31));
}

__device__ __forceinline__ float strobe_cos(const float x) {
  bool is_far = false;
  const float y = strobe_cos_near(x, is_far);
  return is_far ? strobe_cos_far(x) : y;
}

)";

// Within 2e-7 of the value everywhere; if exp overflows, the result is 1.
constexpr std::string_view kTanh = R"(__device__ __forceinline__ float strobe_tanh(const float x) {
  return fmaf(-2.0f, strobe_fast_recip(strobe_exp(2.0f * x) + 1.0f), 1.0f);
}

)";

// The draws of reference/dropout.h.
constexpr std::string_view kDropout =
    R"(__device__ __forceinline__ float strobe_dropout(const float x, unsigned draw,
                                                const unsigned dropped_below, const float scale) {
  draw = (draw ^ (draw >> 16)) * 0x85ebca6bu;
  draw = (draw ^ (draw >> 13)) * 0xc2b2ae35u;
  draw ^= draw >> 16;
  return draw < dropped_below ? 0.0f : x * scale;
}

)";

constexpr std::string_view kInfinity =
    R"(__device__ __forceinline__ float strobe_infinity() { return __int_as_float(0x7f800000); }

)";

std::string_view packet_type(int packet_bytes) {
  switch (packet_bytes) {
    case 16:
      return "uint4";
    case 8:
      return "uint2";
    case 4:
      return "unsigned";
    default:
      return "unsigned short";
  }
}

std::string instruction(std::string_view text) { return cat(kInline, text); }

std::string load_text(int packet_bytes, CacheHint hint) {
  const bool is_kept = hint == CacheHint::kKept;
  const char* ptx = packet_bytes == 16  ? "v4.u32 {%0, %1, %2, %3}, [%4]"
                    : packet_bytes == 8 ? "v2.u32 {%0, %1}, [%2]"
                    : packet_bytes == 4 ? "u32 %0, [%1]"
                                        : "u16 %0, [%1]";
  const char* outputs = packet_bytes == 16  ? "\"=r\"(p.x), \"=r\"(p.y), \"=r\"(p.z), \"=r\"(p.w)"
                        : packet_bytes == 8 ? "\"=r\"(p.x), \"=r\"(p.y)"
                        : packet_bytes == 4 ? "\"=r\"(p)"
                                            : "\"=h\"(p)";
  const int policy = packet_bytes == 16 ? 5 : packet_bytes == 8 ? 3 : 2;
  return cat(
      kInline, "strobe_packet strobe_hinted_load(const strobe_packet* address) {\n",
      is_kept
          ? "  unsigned long long policy;\n  asm(\"createpolicy.fractional.L2::evict_last.b64 %0, "
            "1.0;\" : \"=l\"(policy));\n"
          : "",
      "  strobe_packet p;\n  asm(\"ld.global.nc.L1::no_allocate.", is_kept ? "L2::cache_hint." : "",
      ptx, is_kept ? cat(", %", policy) : std::string(), ";\" : ", outputs,
      " : \"l\"(__cvta_generic_to_global(address))", is_kept ? ", \"l\"(policy)" : "",
      ");\n  return p;\n}\n");
}

std::string async_load(int packet_bytes) {
  const char* cache = packet_bytes == 16 ? "cg" : "ca";
  return cat(
      kInline, "void strobe_async_load(strobe_packet* shared, const strobe_packet* global) {\n",
      "  asm volatile(\"cp.async.", cache, ".shared.global [%0], [%1], ", packet_bytes,
      ";\"\n               ::\"r\"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), ",
      "\"l\"(__cvta_generic_to_global(global)) : \"memory\");\n}\n");
}

std::string instructions(const HelperNeeds& needs, const Expression& expression) {
  std::string text = cat(kInstructionsBegin, "\n");
  const bool has_tanh = uses(expression, Op::kTanh);
  if (has_tanh || uses(expression, Op::kExp)) text += instruction(kExp);
  if (has_tanh) text += instruction(kFastRecip);
  if (uses(expression, Op::kRecip)) text += instruction(kRecip);
  if (needs.dtype == DType::kF16) text += instruction(kUnpackF16) + instruction(kPackF16);
  if (needs.dtype == DType::kBf16) text += instruction(kPackBf16);
  if (needs.hint == CacheHint::kPastL1 || needs.hint == CacheHint::kKept) {
    text += load_text(needs.packet_bytes, needs.hint);
  }
  if (needs.has_shared) text += instruction(kShared);
  if (needs.has_bulk) {
    for (const std::string_view barrier : kBarriers) text += instruction(barrier);
    text += instruction(needs.hint == CacheHint::kStreamed ? kBulkLoadStreamed : kBulkLoad);
  }
  if (needs.has_async) {
    text += async_load(needs.packet_bytes);
    text += instruction(kAsyncCommit);
    text += cat("template <int kPending>\n", kInline, kAsyncWait);
  }
  if (needs.has_cluster) {
    text += instruction(kClusterRank) + instruction(kClusterPut) + instruction(kClusterArrive) +
            instruction(kClusterWait);
  }
  return text + cat(kInstructionsEnd, "\n\n");
}

// One 32-bit word of a packet to values and back.
std::string word_to_values(DType dtype, const std::string& word, int first) {
  const std::string low = cat("v[", first, "]");
  const std::string high = cat("v[", first + 1, "]");
  switch (dtype) {
    case DType::kF32:
      return cat("  ", low, " = __uint_as_float(", word, ");\n");
    case DType::kF16:
      return cat("  strobe_unpack_f16(", word, ", ", low, ", ", high, ");\n");
    case DType::kBf16:
      return cat("  ", low, " = __uint_as_float(", word, " << 16);\n  ", high,
                 " = __uint_as_float(", word, " & 0xffff0000u);\n");
  }
  return "";
}

std::string values_to_word(DType dtype, int first) {
  if (dtype == DType::kF32) return cat("__float_as_uint(v[", first, "])");
  return cat("strobe_pack_", dtype_name(dtype), "(v[", first, "], v[", first + 1, "])");
}

// A single value of two bytes.
std::string single_text(DType dtype) {
  if (dtype == DType::kF32) {
    return cat(kInline, "float strobe_wide(const strobe_value value) { return value; }\n", kInline,
               "strobe_value strobe_narrow(const float value) { return value; }\n\n");
  }
  const std::string wide =
      dtype == DType::kBf16
          ? "  return __uint_as_float(static_cast<unsigned>(value) << 16);\n"
          : "  float low, high;\n  strobe_unpack_f16(value, low, high);\n  return low;\n";
  return cat(kInline, "float strobe_wide(const strobe_value value) {\n", wide, "}\n", kInline,
             "strobe_value strobe_narrow(const float value) {\n  return "
             "static_cast<strobe_value>(strobe_pack_",
             dtype_name(dtype), "(value, 0.0f));\n}\n\n");
}

std::string packet_text(const HelperNeeds& needs) {
  const int words = needs.packet_bytes / 4;
  const int values = needs.packet_bytes / static_cast<int>(bytes_of(needs.dtype));
  const int per_word = needs.dtype == DType::kF32 ? 1 : 2;
  const auto word = [&](int index) {
    return words == 1 ? std::string("p") : cat("p.", std::string(1, "xyzw"[index]));
  };
  std::string unpack, pack;
  if (words == 0) {
    unpack = "  v[0] = strobe_wide(p);\n";
    pack = "  return strobe_narrow(v[0]);\n";
  } else {
    pack = "  strobe_packet p;\n";
    for (int i = 0; i < words; ++i) {
      unpack += word_to_values(needs.dtype, word(i), i * per_word);
      pack += cat("  ", word(i), " = ", values_to_word(needs.dtype, i * per_word), ";\n");
    }
    pack += "  return p;\n";
  }
  const std::string load = needs.hint == CacheHint::kStreamed ? "__ldcs(address)"
                           : needs.hint == CacheHint::kPlain  ? "__ldg(address)"
                                                              : "strobe_hinted_load(address)";
  const std::string store =
      needs.hint == CacheHint::kPlain ? "*address = packet" : "__stcs(address, packet)";
  return cat(kInline, "void strobe_unpack(const strobe_packet p, float (&v)[", values, "]) {\n",
             unpack, "}\n", kInline, "strobe_packet strobe_pack(const float (&v)[", values,
             "]) {\n", pack, "}\n", kInline,
             "strobe_packet strobe_load(const strobe_packet* address) {\n  return ", load, ";\n}\n",
             kInline, "void strobe_store(strobe_packet* address, const strobe_packet packet) {\n  ",
             store, ";\n}\n\n");
}

}  // namespace

std::string_view hint_name(CacheHint hint) {
  switch (hint) {
    case CacheHint::kPlain:
      return "plain";
    case CacheHint::kStreamed:
      return "streamed";
    case CacheHint::kPastL1:
      return "past-l1";
    case CacheHint::kKept:
      return "kept";
  }
  return "";
}

std::string_view hint_suffix(CacheHint hint) {
  switch (hint) {
    case CacheHint::kPlain:
      return "";
    case CacheHint::kStreamed:
      return "_cs";
    case CacheHint::kPastL1:
      return "_nl1";
    case CacheHint::kKept:
      return "_el2";
  }
  return "";
}

std::string helper_text(const HelperNeeds& needs, const Expression& expression) {
  std::string text =
      cat("typedef ", needs.dtype == DType::kF32 ? "float" : "unsigned short",
          " strobe_value;\ntypedef ", packet_type(needs.packet_bytes), " strobe_packet;  // ",
          needs.packet_bytes / bytes_of(needs.dtype), " values\n\n");
  text += instructions(needs, expression);
  text += single_text(needs.dtype) + packet_text(needs);
  if (uses(expression, Op::kCos)) text += kCos;
  if (uses(expression, Op::kTanh)) text += kTanh;
  if (uses(expression, Op::kRowMax)) text += kInfinity;
  if (uses(expression, Op::kDropout)) text += kDropout;
  return text;
}

}  // namespace strobe::bench

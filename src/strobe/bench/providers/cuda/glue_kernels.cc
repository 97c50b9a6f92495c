#include "strobe/bench/providers/cuda/glue_kernels.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/bench/providers/codegen/kernel_program.h"

namespace strobe::bench::kernels {
namespace {

// Building blocks of the kernels between library calls: one type of element, packs of 16 bytes, and
// a frame for elementwise kernels.
constexpr std::int64_t kThreads = 256;
constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t vector_of(DType dtype) { return 16 / bytes_of(dtype); }

// Conversions by the machine's own instructions: a NaN stays one.
std::string_view conversions(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return R"cuda(
typedef float strobe_t;
static __device__ __forceinline__ float strobe_get(strobe_t x) { return x; }
static __device__ __forceinline__ strobe_t strobe_put(float x) { return x; }
)cuda";
    case DType::kF16:
      return R"cuda(
typedef unsigned short strobe_t;
static __device__ __forceinline__ float strobe_get(strobe_t x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
  return y;
}
static __device__ __forceinline__ strobe_t strobe_put(float x) {
  strobe_t y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}
)cuda";
    case DType::kBf16:
      return R"cuda(
typedef unsigned short strobe_t;
static __device__ __forceinline__ float strobe_get(strobe_t x) {
  return __uint_as_float(static_cast<unsigned>(x) << 16);
}
static __device__ __forceinline__ strobe_t strobe_put(float x) {
  strobe_t y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}
)cuda";
  }
  return "";
}

// What an elementwise kernel reads and computes.
struct Elementwise {
  std::string name;
  std::string parameters = {};             // all but tensors, `period` and `n`
  std::vector<std::string> read = {};      // tensors of n elements: a float each in `value`
  std::vector<std::string> repeated = {};  // tensors of `period` elements, again and again
  std::string value = {};                  // of element i
};

std::string declared(const std::vector<std::string>& tensors) {
  std::string text;
  for (const std::string& name : tensors) {
    text += fmt::format("const strobe_t* __restrict__ {}_in, ", name);
  }
  return text;
}

// Every tensor at once, 16 bytes each, then element by element.
std::string packed_reads(const Elementwise& kernel) {
  std::string text;
  for (const std::string& name : kernel.read) {
    text += fmt::format(
        "    const strobe_pack {0}_pack = *reinterpret_cast<const strobe_pack*>({0}_in + first);\n",
        name);
  }
  for (const std::string& name : kernel.repeated) {
    text += fmt::format(
        "    const strobe_pack {0}_pack =\n"
        "        *reinterpret_cast<const strobe_pack*>({0}_in + first % period);\n",
        name);
  }
  text += "#pragma unroll\n    for (int j = 0; j < STROBE_V; ++j) {\n";
  text += "      const long long i = first + j;\n      (void)i;\n";
  for (const auto* const names : {&kernel.read, &kernel.repeated}) {
    for (const std::string& name : *names) {
      text += fmt::format("      const float {0} = strobe_get({0}_pack.v[j]);\n", name);
    }
  }
  return text;
}

std::string single_reads(const Elementwise& kernel) {
  std::string text;
  for (const std::string& name : kernel.read) {
    text += fmt::format("    const float {0} = strobe_get({0}_in[i]);\n", name);
  }
  for (const std::string& name : kernel.repeated) {
    text += fmt::format("    const float {0} = strobe_get({0}_in[i % period]);\n", name);
  }
  return text;
}

// `body` after strobe_t, strobe_get, strobe_put and strobe_pack of STROBE_V of them.
std::string with_frame(DType dtype, std::string_view body) {
  return fmt::format(
      "{}#define STROBE_V {}\nstruct alignas(16) strobe_pack {{ strobe_t v[STROBE_V]; }};\n{}",
      conversions(dtype), vector_of(dtype), body);
}

KernelArgument tensor(std::string name) {
  return {.kind = KernelArgument::Kind::kTensor, .tensor = std::move(name)};
}
KernelArgument integer(std::int64_t value) {
  return {.kind = KernelArgument::Kind::kInt64, .tensor = "", .integer = value};
}
KernelArgument real(float value) {
  return {.kind = KernelArgument::Kind::kFloat, .tensor = "", .integer = 0, .real = value};
}

GeneratedKernel made(std::string name, std::string source, std::int64_t blocks,
                     std::int64_t threads, std::vector<KernelArgument> arguments) {
  GeneratedKernel kernel;
  kernel.name = std::move(name);
  kernel.source = std::move(source);
  kernel.grid[0] = static_cast<std::uint32_t>(std::max<std::int64_t>(blocks, 1));
  kernel.block[0] = static_cast<std::uint32_t>(threads);
  kernel.arguments = std::move(arguments);
  return kernel;
}

// 16 bytes per thread; a repeated tensor can be read so only if its period is a multiple of a pack.
GeneratedKernel elementwise(DType dtype, const Elementwise& kernel,
                            std::vector<KernelArgument> arguments, std::string out,
                            std::int64_t elements, std::int64_t period = 0) {
  const bool is_packed = period % vector_of(dtype) == 0;
  const std::string packed =
      is_packed ? fmt::format(
                      "  if (first + STROBE_V <= n) {{\n    strobe_pack packed;\n{}"
                      "      packed.v[j] = strobe_put({});\n    }}\n"
                      "    *reinterpret_cast<strobe_pack*>(out + first) = packed;\n"
                      "    return;\n  }}\n",
                      packed_reads(kernel), kernel.value)
                : "";
  const std::string body = fmt::format(
      R"cuda(
extern "C" __global__ void __launch_bounds__(256)
    {}({}{}{}{}strobe_t* __restrict__ out, long long n) {{
  const long long first = (static_cast<long long>(blockIdx.x) * 256 + threadIdx.x) * STROBE_V;
{}  const long long end = first + STROBE_V < n ? first + STROBE_V : n;
  for (long long i = first; i < end; ++i) {{
{}    out[i] = strobe_put({});
  }}
}}
)cuda",
      kernel.name, declared(kernel.read), declared(kernel.repeated), kernel.parameters,
      kernel.repeated.empty() ? "" : "long long period, ", packed, single_reads(kernel),
      kernel.value);
  if (!kernel.repeated.empty()) arguments.push_back(integer(period));
  arguments.push_back(tensor(std::move(out)));
  arguments.push_back(integer(elements));
  return made(kernel.name, with_frame(dtype, body),
              divided_up(elements, kThreads * vector_of(dtype)), kThreads, std::move(arguments));
}

constexpr std::int64_t kMostKept = 64;  // values of a row that a thread keeps

// A block a row. What a thread has of it stays in registers, STROBE_KEPT packs.
constexpr std::string_view kKeptSoftmax = R"cuda(
extern "C" __global__ void __launch_bounds__(STROBE_THREADS)
    strobe_softmax(const strobe_t* __restrict__ a, strobe_t* __restrict__ out, long long columns) {
  const strobe_t* row = a + static_cast<long long>(blockIdx.x) * columns;
  float kept[STROBE_KEPT][STROBE_V];
  float largest = -3.402823466e38f;
#pragma unroll
  for (int k = 0; k < STROBE_KEPT; ++k) {
    const long long at = (static_cast<long long>(k) * STROBE_THREADS + threadIdx.x) * STROBE_V;
    if (at < columns) {
      const strobe_pack pack = *reinterpret_cast<const strobe_pack*>(row + at);
#pragma unroll
      for (int j = 0; j < STROBE_V; ++j) {
        kept[k][j] = strobe_get(pack.v[j]);
        largest = fmaxf(largest, kept[k][j]);
      }
    }
  }
  largest = strobe_all(largest, true);
  float sum = 0;
#pragma unroll
  for (int k = 0; k < STROBE_KEPT; ++k) {
    const long long at = (static_cast<long long>(k) * STROBE_THREADS + threadIdx.x) * STROBE_V;
    if (at < columns) {
#pragma unroll
      for (int j = 0; j < STROBE_V; ++j) {
        kept[k][j] = __expf(kept[k][j] - largest);
        sum += kept[k][j];
      }
    }
  }
  const float factor = 1.0f / strobe_all(sum, false);
#pragma unroll
  for (int k = 0; k < STROBE_KEPT; ++k) {
    const long long at = (static_cast<long long>(k) * STROBE_THREADS + threadIdx.x) * STROBE_V;
    if (at < columns) {
      strobe_pack pack;
#pragma unroll
      for (int j = 0; j < STROBE_V; ++j) pack.v[j] = strobe_put(kept[k][j] * factor);
      *reinterpret_cast<strobe_pack*>(out + static_cast<long long>(blockIdx.x) * columns + at) =
          pack;
    }
  }
}
)cuda";

// The same for rows of any length: read three times.
constexpr std::string_view kStreamedSoftmax = R"cuda(
extern "C" __global__ void __launch_bounds__(STROBE_THREADS)
    strobe_softmax(const strobe_t* __restrict__ a, strobe_t* __restrict__ out, long long columns) {
  const long long first = static_cast<long long>(blockIdx.x) * columns;
  float largest = -3.402823466e38f;
  for (long long i = threadIdx.x; i < columns; i += STROBE_THREADS) {
    largest = fmaxf(largest, strobe_get(a[first + i]));
  }
  largest = strobe_all(largest, true);
  float sum = 0;
  for (long long i = threadIdx.x; i < columns; i += STROBE_THREADS) {
    sum += __expf(strobe_get(a[first + i]) - largest);
  }
  const float factor = 1.0f / strobe_all(sum, false);
  for (long long i = threadIdx.x; i < columns; i += STROBE_THREADS) {
    out[first + i] = strobe_put(__expf(strobe_get(a[first + i]) - largest) * factor);
  }
}
)cuda";

// The sum or the largest of one value of every thread of a block.
constexpr std::string_view kBlockReduction = R"cuda(
static __device__ __forceinline__ float strobe_joined(float a, float b, bool is_max) {
  return is_max ? fmaxf(a, b) : a + b;
}
static __device__ float strobe_all(float value, bool is_max) {
  __shared__ float parts[33];
#pragma unroll
  for (int lane = 16; lane > 0; lane /= 2) {
    value = strobe_joined(value, __shfl_xor_sync(0xFFFFFFFFu, value, lane), is_max);
  }
  if (STROBE_THREADS == 32) return value;
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = parts[0];
    for (int i = 1; i < STROBE_THREADS / 32; ++i) all = strobe_joined(all, parts[i], is_max);
    parts[32] = all;
  }
  __syncthreads();
  const float all = parts[32];
  __syncthreads();
  return all;
}
)cuda";

}  // namespace

GeneratedKernel softmax(DType dtype, std::string x, std::string out, std::int64_t rows,
                        std::int64_t columns) {
  const std::int64_t vector = vector_of(dtype);
  const std::int64_t packs = divided_up(columns, vector);
  const std::int64_t threads = std::clamp<std::int64_t>(divided_up(packs, 32) * 32, 32, kThreads);
  const std::int64_t kept = divided_up(packs, threads);
  const bool fits = columns % vector == 0 && kept * vector <= kMostKept;
  const std::string body =
      fmt::format("#define STROBE_THREADS {}\n#define STROBE_KEPT {}\n{}{}", threads, kept,
                  kBlockReduction, fits ? kKeptSoftmax : kStreamedSoftmax);
  return made("strobe_softmax", with_frame(dtype, body), rows, threads,
              {tensor(std::move(x)), tensor(std::move(out)), integer(columns)});
}

GeneratedKernel add(DType dtype, std::string a, std::string b, std::string out,
                    std::int64_t elements) {
  return elementwise(dtype, {.name = "strobe_add", .read = {"x", "y"}, .value = "x + y"},
                     {tensor(std::move(a)), tensor(std::move(b))}, std::move(out), elements);
}

GeneratedKernel relu(DType dtype, std::string x, std::string out, std::int64_t elements) {
  // A NaN stays one.
  return elementwise(dtype, {.name = "strobe_relu", .read = {"x"}, .value = "x < 0.0f ? 0.0f : x"},
                     {tensor(std::move(x))}, std::move(out), elements);
}

GeneratedKernel scale(DType dtype, std::string x, std::string out, float factor,
                      std::int64_t elements) {
  return elementwise(dtype,
                     {.name = "strobe_scale",
                      .parameters = "float factor, ",
                      .read = {"x"},
                      .value = "x * factor"},
                     {tensor(std::move(x)), real(factor)}, std::move(out), elements);
}

GeneratedKernel add_mask(DType dtype, std::string x, std::string mask, std::string out,
                         std::int64_t elements, std::int64_t period) {
  return elementwise(
      dtype, {.name = "strobe_add_mask", .read = {"x"}, .repeated = {"mask"}, .value = "x + mask"},
      {tensor(std::move(x)), tensor(std::move(mask))}, std::move(out), elements, period);
}

GeneratedKernel heads_first(DType dtype, std::string x, std::string out, const Shape& shape) {
  const bool is_packed = shape[3] % vector_of(dtype) == 0;
  const std::int64_t width = is_packed ? shape[3] / vector_of(dtype) : shape[3];
  const std::int64_t items = shape[0] * shape[1] * shape[2] * width;
  const std::string body = fmt::format(
      R"cuda(
typedef {} strobe_item;
extern "C" __global__ void __launch_bounds__(256)
    strobe_heads_first(const strobe_item* __restrict__ x, strobe_item* __restrict__ out,
                       long long n, long long sequence, long long heads, long long width) {{
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= n) return;
  const long long place = i % width;
  const long long row = i / width;
  const long long at = row % sequence;
  const long long head = row / sequence % heads;
  const long long batch = row / sequence / heads;
  out[i] = x[((batch * sequence + at) * heads + head) * width + place];
}}
)cuda",
      is_packed ? "strobe_pack" : "strobe_t");
  return made("strobe_heads_first", with_frame(dtype, body), divided_up(items, kThreads), kThreads,
              {tensor(std::move(x)), tensor(std::move(out)), integer(items), integer(shape[1]),
               integer(shape[2]), integer(width)});
}

GeneratedKernel batch_norm(DType dtype, std::string x, std::string out, std::int64_t elements,
                           std::int64_t channels) {
  return elementwise(
      dtype,
      {.name = "strobe_batch_norm",
       .read = {"x"},
       .repeated = {"gamma", "beta", "mean", "variance"},
       .value = "gamma * (x - mean) * rsqrtf(variance + 1e-5f) + beta"},
      {tensor(std::move(x)), tensor("gamma"), tensor("beta"), tensor("mean"), tensor("variance")},
      std::move(out), elements, channels);
}

GeneratedKernel causal_mask(DType dtype, std::string out, std::int64_t length) {
  return elementwise(dtype,
                     {.name = "strobe_causal_mask",
                      .parameters = "long long length, ",
                      .value = "i % length > i / length ? -10000.0f : 0.0f"},
                     {integer(length)}, std::move(out), length * length);
}

GeneratedKernel zeros(DType dtype, std::string out, std::int64_t elements) {
  return elementwise(dtype, {.name = "strobe_zeros", .value = "0.0f"}, {}, std::move(out),
                     elements);
}

GeneratedKernel folded_filters(DType dtype, std::string w, std::string out, std::int64_t channels,
                               std::int64_t inner) {
  return elementwise(
      dtype,
      {.name = "strobe_folded_filters",
       .parameters = "const strobe_t* gamma, const strobe_t* variance, long long inner, ",
       .read = {"w"},
       .value = "w * strobe_get(gamma[i / inner]) * rsqrtf(strobe_get(variance[i / inner]) + "
                "1e-5f)"},
      {tensor(std::move(w)), tensor("gamma"), tensor("variance"), integer(inner)}, std::move(out),
      channels * inner);
}

GeneratedKernel folded_bias(DType dtype, std::string out, std::int64_t channels) {
  return elementwise(dtype,
                     {.name = "strobe_folded_bias",
                      .read = {"gamma", "beta", "mean", "variance"},
                      .value = "beta - mean * gamma * rsqrtf(variance + 1e-5f)"},
                     {tensor("gamma"), tensor("beta"), tensor("mean"), tensor("variance")},
                     std::move(out), channels);
}

}  // namespace strobe::bench::kernels

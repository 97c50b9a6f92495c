#include "strobe/bench/providers/cuda/kernel_frame.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace strobe::bench::kernels {
namespace {

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

}  // namespace

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

GeneratedKernel elementwise(DType dtype, const Elementwise& kernel,
                            std::vector<KernelArgument> arguments, std::string out,
                            std::int64_t elements, std::int64_t period) {
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

}  // namespace strobe::bench::kernels

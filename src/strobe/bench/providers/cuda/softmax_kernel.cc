#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/kernel_frame.h"
#include "strobe/bench/providers/cuda/library_kernels.h"

namespace strobe::bench::kernels {
namespace {

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

}  // namespace strobe::bench::kernels

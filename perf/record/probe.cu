// Kernels with known counters: probe [graph|threads|more|long]. Rounds of six launches.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(x)                                                              \
  do {                                                                        \
    cudaError_t e = (x);                                                      \
    if (e != cudaSuccess) {                                                   \
      std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e));   \
      std::exit(1);                                                           \
    }                                                                         \
  } while (0)

__global__ void k_empty() {}

__global__ void k_copy(const float4* __restrict__ in, float4* __restrict__ out, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    out[i] = in[i];
  }
}

// Reads 16 MiB repeatedly, so that it is in the L2 cache.
__global__ void k_l2(const float4* __restrict__ in, float* __restrict__ out, size_t n, int rounds) {
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
      const float4 v = __ldcg(&in[(i + round * 4099) % n]);
      sum += v.x + v.y + v.z + v.w;
    }
  }
  if (sum == 12345.678f) out[0] = sum;
}

// One float of every 128 bytes.
__global__ void k_strided(const float* __restrict__ in, float* __restrict__ out, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    out[i] = in[i * 32];
  }
}

__global__ void k_mma(float* out, int rounds) {
  unsigned a0 = threadIdx.x, a1 = 1, a2 = 2, a3 = 3, b0 = 4, b1 = 5;
  float c[4][4] = {};
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    }
  }
  float sum = 0;
  for (int j = 0; j < 4; ++j) sum += c[j][0] + c[j][1] + c[j][2] + c[j][3];
  if (sum == 12345.678f) out[0] = sum;
}

template <int kTile>
__global__ void k_gemm(const float* a, const float* b, float* c, int n) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

int main(int argc, char** argv) {
  const bool graph = argc > 1 && !std::strcmp(argv[1], "graph");
  const bool threads = argc > 1 && !std::strcmp(argv[1], "threads");
  const bool is_long = argc > 1 && !std::strcmp(argv[1], "long");
  const bool more = argc > 1 && !std::strcmp(argv[1], "more");
  const size_t bytes = size_t(1) << 30;
  float4 *in, *out;
  CHECK(cudaMalloc(&in, bytes));
  CHECK(cudaMalloc(&out, bytes));
  CHECK(cudaMemset(in, 1, bytes));
  const int n = 1024, blocks = 132 * 8;
  const size_t small = (size_t(16) << 20) / sizeof(float4);
  const auto round = [&](cudaStream_t s) {
    k_empty<<<1, 32, 0, s>>>();
    k_copy<<<blocks, 256, 0, s>>>(in, out, bytes / sizeof(float4));
    k_l2<<<blocks, 256, 0, s>>>(in, (float*)out, small, 20);
    k_strided<<<blocks, 256, 0, s>>>((const float*)in, (float*)out, bytes / sizeof(float) / 32);
    k_mma<<<132 * 4, 256, 0, s>>>((float*)out, 4096);
    k_gemm<32><<<dim3(n / 32, n / 32), dim3(32, 32), 0, s>>>((const float*)in, (const float*)in + n * n, (float*)out, n);
    CHECK(cudaGetLastError());
  };
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  if (graph) {
    cudaGraph_t g;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    round(stream);
    CHECK(cudaStreamEndCapture(stream, &g));
    CHECK(cudaGraphInstantiate(&exec, g, 0));
    round(stream);
    for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, stream));
    round(stream);
  } else if (threads) {
    std::vector<std::thread> workers;
    for (int t = 0; t < 4; ++t) {
      workers.emplace_back([&] {
        cudaStream_t own;
        CHECK(cudaStreamCreate(&own));
        for (int i = 0; i < 4; ++i) round(own);
        CHECK(cudaStreamSynchronize(own));
      });
    }
    for (std::thread& worker : workers) worker.join();
  } else {
    for (int i = 0; i < (is_long ? 800 : more ? 100 : 8); ++i) round(i % 2 ? stream : nullptr);
  }
  CHECK(cudaDeviceSynchronize());
  std::printf("probe: done\n");
  return 0;
}

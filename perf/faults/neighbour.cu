// Another program on the same GPU, for the fault laboratory.
//
//   neighbour compute|memory|copies SHARE SECONDS     asks for SHARE of the device's time; prints "ready" once it does

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

using Clock = std::chrono::steady_clock;

constexpr std::chrono::duration<double> kPeriod{0.008};
constexpr size_t kBytes = 256 << 20;
constexpr size_t kCopyBytes = 16 << 20;

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "neighbour: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// About 0.1 ms on 132 multiprocessors.
__global__ void compute(float* place) {
  float a = threadIdx.x, b = 1.0f, c = 2.0f, d = 3.0f;
  for (int i = 0; i < 3000; ++i) {
    a = a * 1.0001f + 0.5f;
    b = b * 1.0002f + 0.5f;
    c = c * 1.0003f + 0.5f;
    d = d * 1.0004f + 0.5f;
  }
  if (a + b + c + d == 0.123f) *place = a;
}

__global__ void stream_memory(const float4* from, float4* to, size_t count) {
  for (size_t at = blockIdx.x * size_t(blockDim.x) + threadIdx.x; at < count; at += size_t(gridDim.x) * blockDim.x) {
    to[at] = from[at];
  }
}

int main(int count, char** words) {
  if (count != 4) return 2;
  const std::string kind = words[1];
  const double share = std::atof(words[2]);
  check(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));  // takes the GPU, not a core
  char *from = nullptr, *to = nullptr, *host_in = nullptr, *host_out = nullptr;
  const size_t bytes = kind == "memory" ? kBytes : kCopyBytes;
  check(cudaMalloc(&from, bytes));
  check(cudaMalloc(&to, bytes));
  cudaStream_t in, out;
  check(cudaStreamCreate(&in));
  check(cudaStreamCreate(&out));
  if (kind == "copies") {
    check(cudaMallocHost(&host_in, kCopyBytes));
    check(cudaMallocHost(&host_out, kCopyBytes));
  }
  const auto work = [&] {
    if (kind == "compute") {
      compute<<<132 * 8, 256>>>(reinterpret_cast<float*>(to));
    } else if (kind == "memory") {
      stream_memory<<<132 * 8, 256>>>(reinterpret_cast<float4*>(from), reinterpret_cast<float4*>(to), bytes / sizeof(float4));
    } else {
      check(cudaMemcpyAsync(from, host_in, kCopyBytes, cudaMemcpyHostToDevice, in));
      check(cudaMemcpyAsync(host_out, to, kCopyBytes, cudaMemcpyDeviceToHost, out));
    }
    check(cudaGetLastError());
  };
  // All work of a period is queued at once: the device takes turns between programs only while each of them has some.
  const auto work_and_wait = [&](int times) {
    const auto began = Clock::now();
    for (int i = 0; i < times; ++i) work();
    check(cudaDeviceSynchronize());
    return std::chrono::duration<double>(Clock::now() - began) / times;
  };
  work_and_wait(200);  // until the clock is up
  const int times = std::max(1, static_cast<int>(std::lround(share * kPeriod / work_and_wait(50))));
  std::puts("ready");
  std::fflush(stdout);
  const auto end = Clock::now() + std::chrono::duration<double>(std::atof(words[3]));
  while (Clock::now() < end) {
    const auto began = Clock::now();
    work_and_wait(times);
    std::this_thread::sleep_until(began + kPeriod);
  }
  return 0;
}

// Runs many tiny kernels and says what that does to the process: perf/record/check many.
//
//   many_kernels COUNT      graphs of 1,000 kernels each; prints "kernels seconds rss_mb..." at every tenth

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void tiny(int* place) { if (place != nullptr) ++*place; }

static long resident_mb() {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  char line[256];
  long kb = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, "VmRSS:", 6) == 0) kb = std::atol(line + 6);
  }
  std::fclose(file);
  return kb / 1024;
}

int main(int, char** words) {
  constexpr long kPerGraph = 1000;
  const long graphs = std::atol(words[1]) / kPerGraph;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (long i = 0; i < kPerGraph; ++i) tiny<<<1, 32, 0, stream>>>(nullptr);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  const auto since = std::chrono::steady_clock::now();
  for (long i = 0; i < graphs; ++i) {
    if (cudaGraphLaunch(ready, stream) != cudaSuccess) return 1;
    if (i % 8 == 7) cudaStreamSynchronize(stream);
    if (i % (graphs / 10) == 0) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - since;
      std::printf("%ld kernels %.1f s %ld MB\n", i * kPerGraph, spent.count(), resident_mb());
    }
  }
  cudaDeviceSynchronize();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - since;
  std::printf("%ld kernels %.1f s %ld MB\n", graphs * kPerGraph, spent.count(), resident_mb());
  std::fflush(stdout);
  timespec end = {};
  clock_gettime(CLOCK_MONOTONIC, &end);
  std::printf("main ends at %ld.%09ld\n", static_cast<long>(end.tv_sec), end.tv_nsec);
  return 0;
}

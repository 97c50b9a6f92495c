// A plain CUDA program of the fault laboratory: sweeps over a grid, with a copy in and a number out in every cycle.
//
//   stencil [--fault NAME] [--amount X] [--seconds S]     the last line of stdout is JSON, as that of programs.py
//   stencil --measure                                     answers "FAULT AMOUNT" on stdin with the ms of a cycle
//
// It has no ranges: whoever reads its recording must find the cycles by the sequence of kernels.

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

constexpr int kWarmUp = 6;
constexpr int kCycles = 250;
constexpr int kSweeps = 40;
constexpr int kColumns = 8192;
constexpr size_t kSourceBytes = 32 << 20;
constexpr size_t kPieceBytes = 64'000'000;

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "stencil: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <typename Number>
__global__ void sweep(const Number* from, Number* to, int rows) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < 1 || row < 1 || column >= kColumns - 1 || row >= rows - 1) return;
  const size_t at = static_cast<size_t>(row) * kColumns + column;
  to[at] = Number(0.25) * (from[at - 1] + from[at + 1] + from[at - kColumns] + from[at + kColumns]);
}

template <typename Number>
__global__ void add_source(Number* grid, const float* source, int count) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) grid[at] += Number(source[at]);
}

template <typename Number>
__global__ void difference(const Number* a, const Number* b, size_t count, float* sum) {
  float mine = 0;
  for (size_t at = blockIdx.x * size_t(blockDim.x) + threadIdx.x; at < count; at += size_t(gridDim.x) * blockDim.x) {
    const float d = static_cast<float>(a[at] - b[at]);
    mine += d * d;
  }
  atomicAdd(sum, mine);
}

__global__ void small(float* place) { place[threadIdx.x] *= 1.0f; }

struct Fault {
  std::string name = "none";
  double amount = 0;
  double of(const char* asked) const { return name == asked ? amount : 0; }
};

static void work_on_host(double ms) {
  const auto until = Clock::now() + std::chrono::duration<double, std::milli>(ms);
  while (Clock::now() < until) {}
}

template <typename Number>
struct Program {
  Fault fault;
  int rows;
  cudaStream_t stream;
  Number *a, *b;
  float *source, *sum, *host_source, *host_sum, *scrap;
  char *copy_device, *copy_host;

  explicit Program(const Fault& wrong) : fault(wrong), rows(wrong.of("batch") > 0 ? int(wrong.amount) : 8192) {
    const size_t bytes = size_t(rows) * kColumns * sizeof(Number);
    check(cudaStreamCreate(&stream));
    check(cudaMalloc(&a, bytes));
    check(cudaMalloc(&b, bytes));
    check(cudaMemset(a, 0, bytes));
    check(cudaMemset(b, 0, bytes));
    check(cudaMalloc(&source, kSourceBytes));
    check(cudaMalloc(&sum, sizeof(float)));
    check(cudaMalloc(&scrap, 256 * sizeof(float)));
    check(cudaMalloc(&copy_device, kPieceBytes));
    check(cudaMallocHost(&copy_host, kPieceBytes));
    check(cudaMallocHost(&host_sum, sizeof(float)));
    if (fault.name == "pageable") {
      host_source = static_cast<float*>(std::malloc(kSourceBytes));
    } else {
      check(cudaMallocHost(&host_source, kSourceBytes));
    }
    std::fill_n(host_source, kSourceBytes / sizeof(float), 0.5f);
  }

  void cycle(cudaEvent_t done) {
    work_on_host(0.1 + fault.of("slow_input"));
    check(cudaMemcpyAsync(source, host_source, kSourceBytes, cudaMemcpyHostToDevice, stream));
    const int count = kSourceBytes / sizeof(float);
    add_source<<<(count + 255) / 256, 256, 0, stream>>>(a, source, count);
    const dim3 block(64, 4), grid(kColumns / 64, (rows + 3) / 4);
    for (int i = 0; i < kSweeps; ++i) {
      sweep<<<grid, block, 0, stream>>>(a, b, rows);
      std::swap(a, b);
      if (i < fault.of("sync")) check(cudaDeviceSynchronize());
    }
    for (int i = 0; i < fault.of("launches"); ++i) small<<<1, 256, 0, stream>>>(scrap);
    for (double left = fault.of("copies") * 1e6; left >= 1; left -= kPieceBytes) {
      check(cudaMemcpyAsync(copy_host, copy_device, size_t(std::min(left, double(kPieceBytes))), cudaMemcpyDeviceToHost, stream));
    }
    for (int i = 0; i < fault.of("churn"); ++i) {
      void* place = nullptr;
      check(cudaMalloc(&place, 8 << 20));
      check(cudaFree(place));
    }
    check(cudaMemsetAsync(sum, 0, sizeof(float), stream));
    difference<<<1056, 256, 0, stream>>>(a, b, size_t(rows) * kColumns, sum);
    check(cudaMemcpyAsync(host_sum, sum, sizeof(float), cudaMemcpyDeviceToHost, stream));
    check(cudaEventRecord(done, stream));
    check(cudaEventSynchronize(done));
    check(cudaGetLastError());
    if (fault.of("sleep") > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(fault.amount));
  }
};

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

struct Times {
  std::vector<double> host_ms, device_ms;
  double span_ms = 0;
};

template <typename Number>
static Times run_cycles(Program<Number>& program, int most, double seconds) {
  Times times;
  std::vector<cudaEvent_t> events;
  const auto began = Clock::now();
  auto last = began;
  for (int i = 0; i < most; ++i) {
    events.emplace_back();
    check(cudaEventCreate(&events.back()));
    program.cycle(events.back());
    const auto now = Clock::now();
    times.host_ms.push_back(std::chrono::duration<double, std::milli>(now - last).count());
    last = now;
    if (std::chrono::duration<double>(now - began).count() > seconds && i >= 8) break;
  }
  times.span_ms = std::chrono::duration<double, std::milli>(last - began).count() / double(events.size());
  for (size_t i = 1; i < events.size(); ++i) {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, events[i - 1], events[i]));
    times.device_ms.push_back(ms);
  }
  for (cudaEvent_t event : events) check(cudaEventDestroy(event));
  return times;
}

template <typename Number>
static int run(const Fault& fault, double seconds, bool measure) {
  Program<Number> program(fault);
  const Times warm_up = run_cycles(program, kWarmUp, 600);
  if (measure) {
    while (std::cin >> program.fault.name >> program.fault.amount) {
      std::printf("%.6f\n", median(run_cycles(program, 1000, 0.1).device_ms));
      std::fflush(stdout);
    }
    return 0;
  }
  const Times times = run_cycles(program, kCycles, seconds);
  std::printf("{\"cycles\": %zu, \"host_ms\": %.6f, \"device_ms\": %.6f, \"span_ms\": %.6f, \"first_ms\": %.6f, \"amount\": %g}\n",
              times.host_ms.size(), median(times.host_ms), median(times.device_ms), times.span_ms, warm_up.host_ms[0], fault.amount);
  return 0;
}

int main(int count, char** words) {
  Fault fault;
  double seconds = 2;
  bool measure = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--measure") measure = true;
    if (i + 1 == count) break;
    if (word == "--fault") fault.name = words[i + 1];
    if (word == "--amount") fault.amount = std::atof(words[i + 1]);
    if (word == "--seconds") seconds = std::atof(words[i + 1]);
  }
  return fault.name == "precision" ? run<double>(fault, seconds, measure) : run<float>(fault, seconds, measure);
}

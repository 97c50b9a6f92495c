// strobe's reader of kernel lists as a contestant.
//
//   load_kernels FILE
//
// Prints what it read and what that cost as one line of JSON.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <ctime>

#include "strobe/readers/counters/kernel_reader.h"

int main(int argc, char** argv) {
  using namespace strobe;
  if (argc != 2) {
    std::fprintf(stderr, "load_kernels: give one file\n");
    return 2;
  }
  const auto began = std::chrono::steady_clock::now();
  const std::clock_t cpu_began = std::clock();
  const Result<KernelTable> table = readers::read_kernels(argv[1]);
  const double cpu_seconds = static_cast<double>(std::clock() - cpu_began) / CLOCKS_PER_SEC;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (!table) {
    std::fprintf(stderr, "load_kernels: %s: %s\n", argv[1], table.error().what.c_str());
    return 1;
  }
  std::int64_t total_ns = 0;
  for (const std::int64_t duration_ns : table->durations_ns) total_ns += duration_ns;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"kernels\": %zu, \"total_ns\": %lld, \"seconds\": %.6f, \"cpu_seconds\": %.6f, "
      "\"peak_bytes\": %lld}\n",
      table->size(), static_cast<long long>(total_ns), seconds, cpu_seconds,
      static_cast<long long>(usage.ru_maxrss) * 1024);
  return 0;
}

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perf/columns.h"

namespace strobe::perf {

// CPU time of this process, summed over threads; other processes on the machine hardly affect it.
double cpu_seconds();

// Time since its construction.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  double cpu_seconds() const { return perf::cpu_seconds() - cpu_began_; }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double cpu_began_ = perf::cpu_seconds();
};

// One contestant's run, printed as one line of JSON for perf/run.
struct Outcome {
  std::string contestant;
  std::uint64_t json_bytes = 0;  // uncompressed
  double seconds = 0;            // from opening the file to finished columns
  double cpu_seconds = 0;        // in the same period
  std::uint64_t events = 0;
  Checksum checksum;
  std::vector<std::pair<std::string, double>> extra;
};

void print(const Outcome& outcome);

// The peak memory of this process, in bytes (VmHWM).
std::uint64_t peak_memory_bytes();

// The whole file; ends the process with a message if it cannot be read.
std::string read_whole_file(const char* path);

}  // namespace strobe::perf

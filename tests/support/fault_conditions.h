#pragma once

#include <cstdint>

namespace strobe {

// What one rank of a run meets. The defaults are a healthy machine that runs the program as
// written; clocks and speeds are shares of the healthy ones.
struct Conditions {
  // The device and its surroundings.
  double core_clock = 1;
  bool clock_wanders = false;  // as under a power or heat limit; a locked clock stands still
  std::uint32_t throttle_reasons = 0;
  double heat_c = 0;  // above the usual
  double memory_clock = 1;
  double kernel_slowdown = 1;      // that no counter shows
  double foreign_use = 0;          // share of the time in which another process computes there
  double foreign_bytes_per_s = 0;  // another process's traffic over the bus
  double bus_speed = 1;
  double link_speed = 1;
  double memory_used_percent = 0;  // above the usual

  // The host.
  double host_slowdown = 1;  // that no counter shows
  double cpu_clock = 1;
  double core_wait = 0;          // share of the time in which the process waits for a core
  bool all_cores_taken = false;  // not only the one it runs on
  double read_slowdown = 1;
  double input_delay = 0;  // share of the usual cycle; the process sleeps meanwhile

  // The program.
  double layers = 1;
  double blocks = 1;               // of each launch, and the work of each kernel with them
  double host_code = 0;            // between operators, share of the usual host time
  int added_synchronizations = 0;  // per cycle
  int added_allocations = 0;       // per cycle; as many frees
  enum class OtherKernels : std::uint8_t { kNone, kOneSmall, kSomeGemms, kOtherType };
  OtherKernels other_kernels = OtherKernels::kNone;

  // The recording.
  int cold_cycles = 0;
  double cold_slowdown = 1;      // of the host in those
  double lost_cycles = 0;        // share of cycles whose device work is half lost
  double profiler_overhead = 0;  // share of the usual cycle
};

}  // namespace strobe

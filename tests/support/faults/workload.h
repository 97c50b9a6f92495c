#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/faults/machine.h"

// A serving or training loop without any disturbance.
namespace strobe {

enum class KernelFamily : std::uint8_t { kGemm, kAttention, kElementwise, kNorm };

struct KernelSpec {
  std::string name;
  KernelFamily family = KernelFamily::kGemm;
  std::string outer_operator;
  std::string inner_operator;
  double device_us = 0;
  double host_us = 0;         // of its operator, launch included
  double between_us = 0;      // the interpreter's, after the operator
  std::int64_t blocks = 0;    // of threads
  bool fills_device = false;  // as many blocks as fit, whatever the work
  bool on_side_stream = false;
};

struct Workload {
  std::vector<KernelSpec> layer;  // once per layer
  std::vector<KernelSpec> head;   // once per cycle
  int layers = 0;
  int ranks = 1;
  double input_us = 0;
  double read_us = 0;  // of it, in file reads
  std::int64_t upload_bytes = 0;
  double collective_us = 0;  // per layer; 0 with one rank
  double bus_bytes_per_s = 40e9;
  bool has_scheduling = false;  // the operating system's view: slices on a core, waiting, reading
  bool has_schedstat = true;
  bool has_cpu_clock = false;
  bool has_disk_counter = false;
  double sampler_cycles = 1;  // samples are this many cycles apart
  bool has_recorder = false;  // samples of the kind that `strobe record` takes
  double neighbour_use = 0;   // share of the device that another process has in both runs

  double host_us() const;    // of one cycle, undisturbed
  double device_us() const;  // of its kernels
};

struct WorkloadNeeds {
  bool several_ranks = false;
  bool large_copies = false;
  bool reads_files = false;
  bool cpu_clock = false;
  bool recorder = false;
};

Workload make_workload(const WorkloadNeeds& needs, Dice dice);

}  // namespace strobe

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/cpu/host_buffer.h"
#include "strobe/bench/providers/cpu/kernels.h"
#include "strobe/bench/providers/cpu/thread_team.h"

// What one call of a cell does on the host: its buffers, and its steps in order. Known before
// anything is allocated.
namespace strobe::bench {

using BufferIndex = std::size_t;

constexpr std::int64_t kGrainElements = 8192;  // a part with fewer is not worth another thread

struct ProgramContext {
  ThreadTeam& team;
  const KernelSet& kernels;
  std::span<const HostBuffer> buffers;
  std::uint32_t dropout_key = 0;  // of the cell's seed

  void* data(BufferIndex index) const { return buffers[index].data(); }
  float* floats(BufferIndex index) const { return buffers[index].as<float>(); }
};

struct Step {
  std::string name;
  std::function<void(const ProgramContext&)> run;
};

struct Program {
  std::vector<std::int64_t> buffer_bytes;
  std::vector<BufferIndex> inputs;  // numbered as in input_tensors()
  std::vector<BufferIndex> outputs;
  std::vector<Step> steps;

  BufferIndex add_buffer(std::int64_t bytes) {
    buffer_bytes.push_back(bytes);
    return buffer_bytes.size() - 1;
  }
  double resident_bytes() const;
};

struct ProgramRequest {
  const CaseInfo& info;
  Shape shape;
  DType dtype = DType::kF32;
  bool is_fused = true;
  const KernelSet& kernels;
  std::int64_t threads = 1;
  std::int64_t cache_bytes = 0;  // larger outputs bypass it
};
Program make_program(const ProgramRequest& request);

// One for each kind.
Program make_row_program(const ProgramRequest& request);
Program make_matmul_program(const ProgramRequest& request);
Program make_convolution_program(const ProgramRequest& request);
Program make_attention_program(const ProgramRequest& request);

}  // namespace strobe::bench

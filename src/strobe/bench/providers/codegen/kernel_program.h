#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "strobe/bench/cases/expression.h"
#include "strobe/bench/cell.h"

// CUDA source as data, ready to be compiled and launched: made by the generator, run by the device.
namespace strobe::bench {

struct KernelArgument {
  // kDropoutKey: made from the seed, which comes with the cell (reference/dropout.h).
  enum class Kind : std::uint8_t { kTensor, kInt64, kFloat, kDropoutKey };
  Kind kind = Kind::kTensor;
  std::string tensor;  // name of an input, an output or an intermediate tensor
  std::int64_t integer = 0;
  float real = 0;
};

struct GeneratedKernel {
  std::string name;    // extern "C", starts with strobe_
  std::string source;  // one translation unit without includes
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::uint32_t cluster = 1;       // blocks of a cluster along x; 1: no cluster
  std::uint32_t shared_bytes = 0;  // dynamic
  // Its blocks take rows until none is left: `grid` is the maximum, and only as many blocks are
  // launched as can run at once.
  bool stays = false;
  std::vector<KernelArgument> arguments;
};

struct ProgramBuffer {  // between two kernels
  Tensor tensor;
  std::int64_t elements = 0;
};

// One call of a case: its kernels in order.
struct KernelProgram {
  std::string label;  // "row-cluster 512x16B cluster 2", for people and records
  std::vector<GeneratedKernel> kernels;
  std::vector<ProgramBuffer> between;
  double moved_bytes = 0;  // by design: reads and writes of memory
};

// Facts about a chip that the generator needs.
struct ChipFacts {
  int compute_capability = 80;  // 90: 9.0
  int sm_count = 108;
  std::int64_t shared_per_block = 99 * 1024;  // the most a block may opt in to
  std::int64_t shared_per_sm = 100 * 1024;
  int threads_per_sm = 2048;
  int registers_per_sm = 65536;
  std::int64_t l2_bytes = 40 << 20;
  bool has_clusters() const { return compute_capability >= 90; }
};

}  // namespace strobe::bench

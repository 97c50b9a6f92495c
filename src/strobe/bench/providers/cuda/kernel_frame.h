#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/providers/codegen/kernel_program.h"

// What the kernels between library calls are written with: one type of element, packs of 16 bytes,
// and a frame for those that compute every element alone.
namespace strobe::bench::kernels {

constexpr std::int64_t kThreads = 256;

constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t vector_of(DType dtype) { return 16 / bytes_of(dtype); }

// `body` after strobe_t, strobe_get, strobe_put and strobe_pack of STROBE_V of them.
std::string with_frame(DType dtype, std::string_view body);

KernelArgument tensor(std::string name);
KernelArgument integer(std::int64_t value);
KernelArgument real(float value);

GeneratedKernel made(std::string name, std::string source, std::int64_t blocks,
                     std::int64_t threads, std::vector<KernelArgument> arguments);

// What an elementwise kernel reads and computes.
struct Elementwise {
  std::string name;
  std::string parameters = {};             // all but tensors, `period` and `n`
  std::vector<std::string> read = {};      // tensors of n elements: a float each in `value`
  std::vector<std::string> repeated = {};  // tensors of `period` elements, again and again
  std::string value = {};                  // of element i
};

// 16 bytes a thread; what is repeated must begin and end with a pack to be read so.
GeneratedKernel elementwise(DType dtype, const Elementwise& kernel,
                            std::vector<KernelArgument> arguments, std::string out,
                            std::int64_t elements, std::int64_t period = 0);

}  // namespace strobe::bench::kernels

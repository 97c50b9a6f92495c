#pragma once

#include <string>
#include <utility>

#include "strobe/bench/providers/codegen/kernel_program.h"
#include "strobe/bench/providers/provider.h"
#include "tests/unit/bench/providers/cuda/scripted_driver.h"

// A program for the scripted driver: softmax's tensors, copied.
namespace strobe::bench {

inline KernelProgram copy_program(const std::string& label = "a copy",
                                  const std::string& name = "strobe_case") {
  using Kind = KernelArgument::Kind;
  GeneratedKernel kernel;
  kernel.name = name;
  kernel.source = "source of " + label;
  kernel.arguments = {{.kind = Kind::kTensor, .tensor = "x"},
                      {.kind = Kind::kTensor, .tensor = "out"},
                      {.kind = Kind::kInt64, .tensor = "", .integer = 32}};
  KernelProgram program;
  program.label = label;
  program.kernels = {kernel};
  return program;
}

inline PrepareRequest asking_for(Cell cell, bool may_tune = true) {
  PrepareRequest request;
  request.cell = std::move(cell);
  request.may_tune = may_tune;
  return request;
}

// Kernels of these programs write the index of each value, as f32.
inline void play_copies(ScriptedDriver& script, const std::string& name = "strobe_case") {
  script.argument_counts[name] = 3;
  script.on_run = [](const std::string& kernel, const std::vector<std::uint64_t>& arguments) {
    if (arguments.size() != 3 || kernel == "strobe_hold") return;
    auto* const out = reinterpret_cast<float*>(arguments[1]);
    for (std::uint64_t i = 0; i < arguments[2]; ++i) out[i] = static_cast<float>(i);
  };
}

}  // namespace strobe::bench

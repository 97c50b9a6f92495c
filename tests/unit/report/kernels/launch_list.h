#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/kernel_sketch.h"

namespace strobe::test {

struct SketchedLaunch {
  std::string name;
  std::int64_t duration_ns = 0;
  std::optional<double> tensor_percent;
  std::optional<double> dram_percent;
};

// A list of kernels, launch by launch.
inline KernelTable kernel_sketch(const std::vector<SketchedLaunch>& launches) {
  KernelSketch sketch;
  for (const SketchedLaunch& launch : launches) {
    sketch.launch(launch.name, launch.duration_ns, launch.tensor_percent, launch.dram_percent);
  }
  KernelTable table = sketch.table();
  table.path = "runs/sketch.txt";
  return table;
}

// Two layers of a product, three small kernels around softmax, and a product.
inline KernelTable layered_sketch() {
  std::vector<SketchedLaunch> launches = {{"embedding_kernel", 4'000, 0, 10}};
  for (int layer = 0; layer < 2; ++layer) {
    launches.push_back({"layer_norm_kernel", 5'000, 1, 20});
    launches.push_back(
        {"ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", 80'000, 70, 15});
    launches.push_back({"elementwise_kernel", 30'000, 0, 65});
    launches.push_back({"softmax_warp_forward", 40'000, 2, 40});
    launches.push_back({"unrolled_elementwise_kernel", 20'000, 0, 35});
    launches.push_back(
        {"ampere_fp16_s16816gemm_fp16_64x128_ldg8_f2f_stages_32x5_tn", 60'000, 40, 10});
  }
  return kernel_sketch(launches);
}

}  // namespace strobe::test

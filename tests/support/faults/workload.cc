#include "tests/support/faults/workload.h"

#include <algorithm>
#include <cmath>

namespace strobe {
namespace {

using enum KernelFamily;

double total_host_us(const std::vector<KernelSpec>& kernels) {
  double sum = 0;
  for (const KernelSpec& kernel : kernels) sum += kernel.host_us + kernel.between_us;
  return sum;
}

double total_device_us(const std::vector<KernelSpec>& kernels) {
  double sum = 0;
  for (const KernelSpec& kernel : kernels) {
    if (!kernel.on_side_stream) sum += kernel.device_us;
  }
  return sum;
}

// A transformer layer: its kernels and their relative durations.
std::vector<KernelSpec> layer_kernels(Dice& dice) {
  std::vector<KernelSpec> kernels = {
      {"layer_norm_kernel<bf16, float>", kNorm, "layer_norm", "native_layer_norm", 3, 50},
      {"gemm_bf16_128x128x64_tn", kGemm, "linear", "addmm", 18, 62},
      {"rotary_kernel<bf16>", kElementwise, "rotary", "rotary_embedding", 3, 34},
      {"cat_copy_kernel<bf16, 4>", kElementwise, "cat", "cat_out", 6, 28},
      {"flash_attention_forward<bf16, 64>", kAttention, "attention", "flash_attention", 14, 90},
      {"gemm_bf16_64x64x64_tn", kGemm, "linear", "addmm", 9, 60},
      {"vectorized_kernel<4, add<bf16>>", kElementwise, "add", "add_out", 2, 26},
      {"layer_norm_kernel<bf16, float>", kNorm, "layer_norm", "native_layer_norm", 3, 50},
      {"gemm_bf16_256x128x64_tn", kGemm, "linear", "addmm", 24, 61},
      {"vectorized_kernel<4, gelu<bf16>>", kElementwise, "gelu", "gelu_out", 4, 27},
      {"gemm_bf16_256x128x64_tn_splitk", kGemm, "linear", "addmm", 24, 61},
      {"splitk_reduce_kernel<bf16>", kElementwise, "linear", "addmm", 2, 10},
      {"vectorized_kernel<4, add<bf16>>", kElementwise, "add", "add_out", 2, 26},
  };
  kernels[3].on_side_stream = true;
  if (dice.chance(0.5)) kernels.erase(kernels.begin() + 11);
  if (dice.chance(0.3)) kernels.erase(kernels.begin() + 2);
  for (KernelSpec& kernel : kernels) {
    kernel.device_us *= dice.uniform(0.7, 1.4);
    kernel.host_us *= dice.uniform(0.8, 1.25);
    kernel.between_us = dice.uniform(0.15, 0.5) * kernel.host_us;
    kernel.blocks = dice.between(24, 600);
    kernel.fills_device = kernel.family == kAttention || dice.chance(0.1);
  }
  return kernels;
}

std::vector<KernelSpec> head_kernels(Dice& dice) {
  std::vector<KernelSpec> kernels = {
      {"embedding_kernel<bf16>", kElementwise, "embedding", "index_select", 4, 40},
      {"gemm_bf16_256x64x64_tn", kGemm, "matmul", "mm", 20, 60},
      {"arg_max_kernel<bf16>", kNorm, "argmax", "argmax_out", 8, 40},
  };
  for (KernelSpec& kernel : kernels) {
    kernel.between_us = dice.uniform(0.15, 0.5) * kernel.host_us;
    kernel.blocks = dice.between(24, 600);
  }
  return kernels;
}

}  // namespace

double Workload::host_us() const {
  return layers * total_host_us(layer) + total_host_us(head) + input_us;
}

double Workload::device_us() const {
  return layers * total_device_us(layer) + total_device_us(head);
}

Workload make_workload(const WorkloadNeeds& needs, Dice dice) {
  Workload workload;
  workload.layer = layer_kernels(dice);
  workload.head = head_kernels(dice);
  workload.layers = dice.between(6, 8);
  workload.ranks = needs.several_ranks ? dice.between(3, 4) : 1;

  // Half of the loops wait for the host, as when serving small batches, half for the device.
  const double share = dice.chance(0.5) ? dice.uniform(0.2, 0.6) : dice.uniform(1.1, 1.6);
  const double scale = share * workload.host_us() / workload.device_us();
  for (auto* kernels : {&workload.layer, &workload.head}) {
    for (KernelSpec& kernel : *kernels) kernel.device_us *= scale;
  }
  const double cycle_us = std::max(workload.host_us(), workload.device_us());
  const double copy_share =
      needs.large_copies ? dice.uniform(0.08, 0.25) : dice.uniform(0.002, 0.08);
  workload.upload_bytes = std::llround(copy_share * cycle_us * 1e-6 * workload.bus_bytes_per_s);
  if (needs.several_ranks) {
    workload.collective_us = dice.uniform(0.1, 0.25) * cycle_us / workload.layers;
  }
  workload.has_scheduling = needs.reads_files || dice.chance(0.3);
  workload.has_schedstat = !workload.has_scheduling || dice.chance(0.5);
  workload.has_cpu_clock = needs.cpu_clock || dice.chance(0.3);
  workload.has_disk_counter = needs.reads_files || dice.chance(0.2);
  workload.input_us = dice.uniform(0.01, 0.05) * cycle_us;
  if (workload.has_scheduling) {
    workload.read_us = dice.uniform(0.02, 0.05) * cycle_us;
    workload.input_us += workload.read_us;
  }
  workload.sampler_cycles = dice.uniform(0.8, 2.5);
  workload.has_recorder = needs.recorder || dice.chance(0.5);
  const bool has_neighbour = workload.has_recorder && dice.chance(0.2);
  if (has_neighbour) workload.neighbour_use = dice.uniform(0.1, 0.5);
  return workload;
}

}  // namespace strobe

#include "strobe/tensorboard/tensor_cores.h"

#include <algorithm>

namespace strobe::tensorboard {
namespace {

constexpr std::string_view kKernelSigns[] = {
    "h884",
    "s884",
    "h1688",
    "s1688",
    "hmma",
    "i8816",
    "16816",
    "dgrad_1x1_stride_2x2",
    "first_layer_wgrad_kernel",
    "conv1x1",
    "conv2d_c1_k1",
    "direct_group",
    "xmma_implicit_gemm",
    "xmma_sparse_conv",
    "xmma_warp_specialized_implicit_gemm",
    "xmma_gemm",
    "xmma_sparse_gemm",
    "c1688",
};

constexpr std::string_view kOperators[] = {
    "aten::_convolution",
    "aten::conv1d",
    "aten::conv2d",
    "aten::conv3d",
    "aten::conv_tbc",
    "aten::conv_transpose1d",
    "aten::conv_transpose2d",
    "aten::conv_transpose3d",
    "aten::convolution",
    "aten::cudnn_convolution",
    "aten::cudnn_convolution_transpose",
    "aten::prelu",
    "aten::addmm",
    "aten::addmv",
    "aten::addr",
    "aten::matmul",
    "aten::mm",
    "aten::mv",
    "aten::linear",
    "aten::addbmm",
    "aten::baddbmm",
    "aten::bmm",
    "aten::chain_matmul",
    "aten::linalg_multi_dot",
    "aten::_thnn_fused_lstm_cell",
    "aten::_thnn_fused_gru_cell",
    "aten::lstm_cell",
    "aten::gru_cell",
    "aten::rnn_tanh_cell",
    "aten::rnn_relu_cell",
    "CudnnConvolutionBackward",
    "BmmBackward0",
    "aten::cudnn_convolution_transpose_backward",
    "CudnnConvolutionTransposeBackward",
    "MmBackward",
    "aten::cudnn_convolution_backward_weight",
    "aten::addmm_",
    "AddmvBackward",
    "MvBackward",
    "aten::cudnn_convolution_transpose_backward_weight",
    "aten::cudnn_convolution_transpose_backward_input",
    "AddmmBackward",
    "aten::cudnn_convolution_backward_input",
    "AddbmmBackward",
    "aten::cudnn_convolution_backward",
};

}  // namespace

bool kernel_uses_tensor_cores(std::string_view kernel_name) {
  return std::ranges::any_of(kKernelSigns, [&](std::string_view sign) {
    return kernel_name.find(sign) != std::string_view::npos;
  });
}

bool operator_could_use_tensor_cores(std::string_view operator_name) {
  return std::ranges::find(kOperators, operator_name) != std::end(kOperators);
}

namespace {

// Calls use(const Event&) for each kernel that the node itself launched.
template <class Use>
void for_each_own_kernel(const Node& node, const Forest& forest, const Events& events, Use&& use) {
  for (const RuntimeId runtime : node.runtimes) {
    if (!forest[runtime].event.valid()) continue;  // the dummy
    for (const DeviceWorkId work : forest[runtime].launched) {
      const Event& event = events[forest[work].event];
      if (event.type == EventType::kKernel) use(event);
    }
  }
}

Number own_kernel_time(const Node& node, const Forest& forest, const Events& events) {
  Number time;
  for_each_own_kernel(node, forest, events,
                      [&](const Event& kernel) { time += kernel.end() - kernel.start(); });
  return time;
}

}  // namespace

std::map<std::int64_t, Number> tensor_core_ratios(const Forest& forest, const Events& events,
                                                  const TreeOrder& order,
                                                  const VariantRules& rules) {
  struct Times {
    Number on_tensor_cores;
    Number all;
  };
  std::map<std::int64_t, Times> times;
  for (const NodeId id : order.operators) {
    for_each_own_kernel(forest[id], forest, events, [&](const Event& kernel) {
      const auto device = events.kernel(kernel).device;
      if (!device) return;
      const Number duration = kernel.end() - kernel.start();
      times[*device].all += duration;
      if (rules.has_tensor_cores && kernel_uses_tensor_cores(events.text(kernel.name))) {
        times[*device].on_tensor_cores += duration;
      }
    });
  }
  std::map<std::int64_t, Number> ratios;
  for (const auto& [device, time] : times) ratios[device] = ratio(time.on_tensor_cores, time.all);
  return ratios;
}

Number tensor_core_used_ratio(const std::vector<KernelStat>& kernels) {
  std::vector<double> on_tensor_cores;
  std::vector<double> all;
  for (const KernelStat& kernel : kernels) {
    all.push_back(kernel.sum.value);
    if (kernel.uses_tensor_cores) on_tensor_cores.push_back(kernel.sum.value);
  }
  const double sum = pairwise_sum(all);
  if (!(sum > 0)) return Number::real(0);
  return Number::real(pairwise_sum(on_tensor_cores) / sum);
}

Number tensor_core_eligible_ratio(const Forest& forest, const Events& events) {
  Number eligible;
  Number all;
  std::vector<bool> is_counted_below{false};  // for every open node, and one for all of them
  const auto enter = [&](NodeId) {
    is_counted_below.push_back(false);
    return true;
  };
  const auto leave = [&](NodeId id) {
    const Node& node = forest[id];
    bool is_counted = is_counted_below.back();
    if (!is_counted && node.is_eligible) {
      eligible += own_kernel_time(node, forest, events);
      is_counted = true;
    }
    is_counted_below.pop_back();
    if (is_counted) is_counted_below.back() = true;
    if (is_operator(node, events)) all += own_kernel_time(node, forest, events);
  };
  for (const Tree& tree : forest.trees) walk(forest, tree.root, enter, leave);
  return ratio(eligible, all);
}

}  // namespace strobe::tensorboard

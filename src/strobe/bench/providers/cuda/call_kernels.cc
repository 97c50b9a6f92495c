#include "strobe/bench/providers/cuda/call_kernels.h"

#include <algorithm>
#include <utility>

#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

bool are_alike(std::span<const KernelLaunch> a, std::span<const KernelLaunch> b) {
  return std::ranges::equal(a, b, [](const KernelLaunch& one, const KernelLaunch& other) {
    return one.grid == other.grid && one.block == other.block;
  });
}

}  // namespace

void KernelTimes::add(std::span<const KernelLaunch> call) {
  if (kernels_.empty()) {
    kernels_.assign(call.begin(), call.end());
    us_.resize(call.size());
  }
  if (!are_alike(kernels_, call)) return;
  for (std::size_t i = 0; i < call.size(); ++i) us_[i].push_back(call[i].duration_us.value_or(0));
}

std::vector<KernelLaunch> KernelTimes::medians() const {
  std::vector<KernelLaunch> kernels = kernels_;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].duration_us = stats::median_of(us_[i]);
  }
  return kernels;
}

double sum_us(std::span<const KernelLaunch> call) {
  double sum = 0;
  for (const KernelLaunch& kernel : call) sum += kernel.duration_us.value_or(0);
  return sum;
}

std::vector<KernelLaunch> with_durations(std::vector<KernelLaunch> launches,
                                         std::vector<KernelLaunch> recorded) {
  if (recorded.empty()) return launches;
  if (!are_alike(launches, recorded)) return recorded;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    launches[i].duration_us = recorded[i].duration_us;
  }
  return launches;
}

namespace {

bool can_tell(const DriverApi& driver) {
  return driver.graph_node_type != nullptr && driver.graph_kernel_node != nullptr &&
         driver.function_name != nullptr;
}

std::string node_name(const DriverApi& driver, const cu::KernelNode& node) {
  const char* name = nullptr;
  CuResult result = cu::kInvalidValue;
  if (node.function != nullptr) {
    result = driver.function_name(&name, node.function);
  } else if (node.kernel != nullptr && driver.kernel_name != nullptr) {
    result = driver.kernel_name(&name, node.kernel);
  }
  return result == cu::kSuccess && name != nullptr ? name : "";
}

KernelLaunch launch_of(const DriverApi& driver, const cu::KernelNode& node, std::string name) {
  KernelLaunch launch;
  launch.name = std::move(name);
  launch.grid = {node.grid[0], node.grid[1], node.grid[2]};
  launch.block = {node.block[0], node.block[1], node.block[2]};
  launch.shared_bytes = node.shared_bytes;
  int value = 0;
  if (node.function != nullptr &&
      driver.function_get(&value, cu::kRegisters, node.function) == cu::kSuccess) {
    launch.registers = value;
  }
  return launch;
}

}  // namespace

std::vector<KernelLaunch> captured_kernels(CudaDevice& device,
                                           const std::function<Result<void>()>& enqueue) {
  const DriverApi& driver = device.driver();
  if (!can_tell(driver)) return {};
  const Result<OwnedGraph> graph = captured_graph(device, enqueue);
  if (!graph || !*graph) return {};
  std::size_t count = 0;
  if (driver.graph_nodes(graph->get(), nullptr, &count) != cu::kSuccess) return {};
  std::vector<CuGraphNode> nodes(count);
  if (driver.graph_nodes(graph->get(), nodes.data(), &count) != cu::kSuccess) return {};
  std::vector<KernelLaunch> launches;
  for (const CuGraphNode node : nodes) {
    int type = -1;
    cu::KernelNode kernel;
    if (driver.graph_node_type(node, &type) != cu::kSuccess || type != cu::kKernelNode) continue;
    if (driver.graph_kernel_node(node, &kernel) != cu::kSuccess) return {};
    std::string name = node_name(driver, kernel);
    if (name.empty()) return {};
    launches.push_back(launch_of(driver, kernel, std::move(name)));
  }
  return launches;
}

}  // namespace strobe::bench

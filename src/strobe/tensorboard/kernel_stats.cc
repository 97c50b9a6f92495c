#include "strobe/tensorboard/kernel_stats.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "strobe/tensorboard/numpy_order.h"
#include "strobe/tensorboard/tensor_cores.h"

namespace strobe::tensorboard {
namespace {

using NamedKernels = std::map<std::string_view, std::vector<const Event*>>;

Number weighted_mean(const Events& events, const std::vector<const Event*>& kernels,
                     std::optional<Number> KernelArgs::*value) {
  std::vector<double> products;
  std::vector<double> durations;
  for (const Event* kernel : kernels) {
    const std::optional<Number>& known = events.kernel(*kernel).*value;
    products.push_back((known ? known->value : 0.0) * kernel->dur_us);
    durations.push_back(kernel->dur_us);
  }
  return ratio(Number::real(pairwise_sum(products)), Number::real(pairwise_sum(durations)));
}

Number sum_of(const std::vector<const Event*>& kernels, bool is_whole) {
  if (is_whole) {
    Number sum;
    for (const Event* kernel : kernels) sum += kernel->duration();
    return sum;
  }
  KahanSum sum;
  for (const Event* kernel : kernels) sum.add(kernel->dur_us);
  return Number::real(sum.sum());
}

KernelStat stat_of(const Events& events, const std::vector<const Event*>& kernels, bool is_whole,
                   const VariantRules& rules) {
  KernelStat stat;
  stat.name = kernels[0]->name;
  stat.uses_tensor_cores =
      rules.has_tensor_cores && kernel_uses_tensor_cores(events.text(stat.name));
  stat.count = kernels.size();
  stat.sum = sum_of(kernels, is_whole);
  stat.mean = ratio(stat.sum, Number::whole(static_cast<double>(stat.count)));
  const auto [shortest, longest] =
      std::ranges::minmax(kernels, {}, [](const Event* kernel) { return kernel->dur_us; });
  stat.max = {longest->dur_us, is_whole};
  stat.min = {shortest->dur_us, is_whole};
  stat.blocks_per_sm = weighted_mean(events, kernels, &KernelArgs::blocks_per_sm);
  stat.occupancy_percent = weighted_mean(events, kernels, &KernelArgs::occupancy_percent);
  return stat;
}

// What a launch looks like in the file, and what it looks like in a table: files may write one
// shape in two ways.
using LaunchIds = std::array<StringId, 13>;

LaunchIds ids_of(const DeviceWork& work, const Event& event, const KernelArgs& args,
                 const Events& events) {
  const TaskArgs task =
      args.task_row == Event::kNoDetails ? TaskArgs() : events.task_args[args.task_row];
  return {event.name,         work.op_name,  args.grid,         args.block, args.registers,
          args.shared_memory, task.dim,      task.dim_x,        task.dim_y, task.dim_z,
          task.kernel_type,   task.topology, task.topology_node};
}

LaunchedKernelStat launch_of(const DeviceWork& work, const Events& events,
                             const VariantRules& rules, std::span<const LaunchColumn> columns) {
  const Event& event = events[work.event];
  LaunchedKernelStat stat;
  stat.name = event.name;
  stat.op_name = work.op_name.valid() ? std::string(events.text(work.op_name)) : "N/A";
  for (const LaunchColumn& column : columns) {
    stat.launch.push_back(column.cell(events.kernel(event), events));
  }
  stat.uses_tensor_cores =
      rules.has_tensor_cores && kernel_uses_tensor_cores(events.text(event.name));
  stat.op_is_eligible = work.op_is_eligible;
  return stat;
}

using LaunchTexts = std::tuple<StringId, std::string, std::vector<std::optional<std::string>>>;

}  // namespace

std::vector<KernelStat> kernels_by_name(const Events& events, const VariantRules& rules) {
  NamedKernels by_name;
  bool is_whole = true;
  for (const Event& event : events.all) {
    if (event.type != EventType::kKernel) continue;
    by_name[events.text(event.name)].push_back(&event);
    is_whole = is_whole && event.has_whole_dur;
  }
  std::vector<KernelStat> ascending;
  std::vector<double> sums;
  for (const auto& [name, kernels] : by_name) {
    ascending.push_back(stat_of(events, kernels, is_whole, rules));
    sums.push_back(ascending.back().sum.value);
  }
  std::vector<KernelStat> stats;
  for (const std::size_t row : descending_order(sums)) stats.push_back(ascending[row]);
  return stats;
}

std::vector<LaunchedKernelStat> kernels_by_launch(const Forest& forest, const Events& events,
                                                  const std::vector<DeviceWorkId>& kernels,
                                                  const VariantRules& rules,
                                                  std::span<const LaunchColumn> columns) {
  std::vector<LaunchedKernelStat> stats;
  std::map<LaunchIds, std::size_t> row_of_ids;
  std::map<LaunchTexts, std::size_t> row_of_texts;
  for (const DeviceWorkId id : kernels) {
    const DeviceWork& work = forest[id];
    const Event& event = events[work.event];
    const KernelArgs& args = events.kernel(event);
    const Number duration = event.end() - event.start();
    const auto [known, is_new] = row_of_ids.try_emplace(ids_of(work, event, args, events), 0);
    if (is_new) {
      LaunchedKernelStat stat = launch_of(work, events, rules, columns);
      stat.min = duration;
      const auto [same, is_first] =
          row_of_texts.try_emplace({stat.name, stat.op_name, stat.launch}, stats.size());
      known->second = same->second;
      if (is_first) stats.push_back(std::move(stat));
    }
    LaunchedKernelStat& stat = stats[known->second];
    ++stat.calls;
    stat.total += duration;
    stat.max = larger(stat.max, duration);
    stat.min = smaller(stat.min, duration);
    stat.blocks_sum += args.blocks_per_sm.value_or(Number()) * duration;
    stat.occupancy_sum += args.occupancy_percent.value_or(Number()) * duration;
  }
  return stats;
}

}  // namespace strobe::tensorboard

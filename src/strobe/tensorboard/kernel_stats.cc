#include "strobe/tensorboard/kernel_stats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "strobe/base/json_value.h"
#include "strobe/tensorboard/tensor_cores.h"

namespace strobe::tensorboard {
namespace {

// Sorts row numbers by their values, ascending.
class QuickSort {
 public:
  QuickSort(std::span<const double> values, std::vector<std::size_t>& rows)
      : values_(values), rows_(rows) {}

  void run() {
    struct Part {
      std::size_t first;
      std::size_t last;
      int levels_left;
    };
    if (rows_.size() < 2) return;
    const int levels = 2 * (static_cast<int>(std::bit_width(rows_.size())) - 1);
    std::vector<Part> waiting{{0, rows_.size() - 1, levels}};
    while (!waiting.empty()) {
      auto [first, last, levels_left] = waiting.back();
      waiting.pop_back();
      while (last - first >= kSmall && levels_left-- > 0) {
        const std::size_t middle = partition(first, last);
        if (middle - first < last - middle) {
          waiting.push_back({middle + 1, last, levels_left});
          last = middle - 1;
        } else {
          waiting.push_back({first, middle - 1, levels_left});
          first = middle + 1;
        }
      }
      finish(first, last);
    }
  }

 private:
  static constexpr std::size_t kSmall = 16;

  double value(std::size_t at) const { return values_[rows_[at]]; }
  void swap(std::size_t a, std::size_t b) { std::swap(rows_[a], rows_[b]); }

  // Partitions around the median of three; returns the position of the pivot.
  std::size_t partition(std::size_t first, std::size_t last) {
    const std::size_t middle = first + (last - first) / 2;
    if (value(middle) < value(first)) swap(middle, first);
    if (value(last) < value(middle)) swap(last, middle);
    if (value(middle) < value(first)) swap(middle, first);
    const double pivot = value(middle);
    std::size_t i = first;
    std::size_t j = last - 1;
    swap(middle, j);
    while (true) {
      do {
        ++i;
      } while (value(i) < pivot);
      do {
        --j;
      } while (pivot < value(j));
      if (i >= j) break;
      swap(i, j);
    }
    swap(i, last - 1);
    return i;
  }

  // An insertion sort, or any other sort if partitioning did not make it small enough.
  void finish(std::size_t first, std::size_t last) {
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(last) + 1;
    if (begin < end) {
      std::stable_sort(begin, end,
                       [&](std::size_t a, std::size_t b) { return values_[a] < values_[b]; });
    }
  }

  std::span<const double> values_;
  std::vector<std::size_t>& rows_;
};

}  // namespace

std::vector<std::size_t> descending_order(std::span<const double> values) {
  // The plugin used pandas, which sorts the reversed values ascending and reverses the result.
  std::vector<double> reversed(values.rbegin(), values.rend());
  std::vector<std::size_t> rows(values.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  QuickSort(reversed, rows).run();
  std::ranges::reverse(rows);
  for (std::size_t& row : rows) row = values.size() - 1 - row;
  return rows;
}

namespace {

using Cell = std::optional<std::string>;

const TaskArgs& task(const KernelArgs& args, const Events& events) {
  static const TaskArgs kNone;
  return args.task_row == Event::kNoDetails ? kNone : events.task_args[args.task_row];
}

std::string repr_of(StringId json, const Events& events) {
  return json.valid() ? repr(events.text(json)) : "None";
}

// A text without its quotes.
std::string text_of(StringId json, const Events& events) {
  if (!json.valid()) return "None";
  const JsonValue value = parse_value(events.text(json));
  return value.type == JsonType::kString ? value.as_string() : repr(events.text(json));
}

// "0" for values that Python treats as false.
std::string text_or_zero(StringId json, const Events& events) {
  if (!json.valid()) return "0";
  const std::string text = text_of(json, events);
  return text.empty() || parse_value(events.text(json)).as_double() == 0.0 ? "0" : text;
}

template <StringId KernelArgs::*kArg>
Cell as_repr(const KernelArgs& args, const Events& events) {
  return repr_of(args.*kArg, events);
}

template <StringId KernelArgs::*kArg>
Cell or_zero(const KernelArgs& args, const Events& events) {
  return text_or_zero(args.*kArg, events);
}

template <StringId TaskArgs::*kArg>
Cell task_text(const KernelArgs& args, const Events& events) {
  return text_of(task(args, events).*kArg, events);
}

Cell task_dim(const KernelArgs& args, const Events& events) {
  return repr_of(task(args, events).dim, events);
}

Cell task_dim_or_commas(const KernelArgs& args, const Events& events) {
  const StringId dim = task(args, events).dim;
  return dim.valid() ? repr_of(dim, events) : "[,,,]";
}

Cell task_xyz(const KernelArgs& args, const Events& events) {
  const TaskArgs& of = task(args, events);
  return "[" + repr_of(of.dim_x, events) + ", " + repr_of(of.dim_y, events) + ", " +
         repr_of(of.dim_z, events) + "]";
}

Cell task_type_or_null(const KernelArgs& args, const Events& events) {
  const StringId type = task(args, events).kernel_type;
  return type.valid() ? Cell(text_of(type, events)) : Cell();
}

constexpr LaunchColumn kGrid[] = {
    {"Grid", "string", as_repr<&KernelArgs::grid>},
    {"Block", "string", as_repr<&KernelArgs::block>},
    {"Register Per Thread", "number", or_zero<&KernelArgs::registers>},
    {"Shared Memory", "number", or_zero<&KernelArgs::shared_memory>},
};
constexpr LaunchColumn kDimAndType[] = {
    {"DimXYZ", "string", task_dim},
    {"Kernel Type", "string", task_type_or_null},
    {"", "", task_text<&TaskArgs::topology>},
    {"", "", task_text<&TaskArgs::topology_node>},
};
constexpr LaunchColumn kTaskXyz[] = {
    {"Kernel Type", "string", task_text<&TaskArgs::kernel_type>},
    {"Dim", "string", task_xyz},
    {"Tasktopo", "string", task_text<&TaskArgs::topology>},
    {"Tasktopo_node", "string", task_text<&TaskArgs::topology_node>},
};
constexpr LaunchColumn kTaskDim[] = {
    {"Kernel Type", "string", task_text<&TaskArgs::kernel_type>},
    {"Dim", "string", task_dim_or_commas},
    {"Tasktopo", "string", task_text<&TaskArgs::topology>},
    {"Tasktopo_node", "string", task_text<&TaskArgs::topology_node>},
};

}  // namespace

std::span<const LaunchColumn> launch_columns(const VariantRules& rules, DeviceKind kind) {
  if (kind != DeviceKind::kMlu) return kGrid;
  switch (rules.mlu_launches) {
    case LaunchLayout::kGrid:
      return kGrid;
    case LaunchLayout::kDimAndType:
      return kDimAndType;
    case LaunchLayout::kTaskXyz:
      return kTaskXyz;
    case LaunchLayout::kTaskDim:
      return kTaskDim;
  }
  return kGrid;
}

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

// A launch as written in the file, and as shown in a table: files may write one shape in two ways.
using LaunchIds = std::array<StringId, 13>;

LaunchIds ids_of(const DeviceWork& work, const Event& event, const KernelArgs& args,
                 const Events& events) {
  const TaskArgs& of = task(args, events);
  return {event.name,         work.op_name, args.grid,       args.block, args.registers,
          args.shared_memory, of.dim,       of.dim_x,        of.dim_y,   of.dim_z,
          of.kernel_type,     of.topology,  of.topology_node};
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

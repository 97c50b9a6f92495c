#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "strobe/base/json_value.h"
#include "strobe/readers/counters/kernel_reader.h"
#include "strobe/trace/args_store.h"

namespace strobe::readers {
namespace {

// What writers call the numbers of a launch, in the arguments of its slice.
struct KnownArgument {
  std::string_view key;
  KernelMetric metric;
};
constexpr KnownArgument kArguments[] = {
    {"est. achieved occupancy %", KernelMetric::kEstimatedOccupancyPercent},
    {"theoretical achieved occupancy %", KernelMetric::kEstimatedOccupancyPercent},
    {"blocks per SM", KernelMetric::kBlocksPerSm},
    {"warps per SM", KernelMetric::kWarpsPerSm},
    {"registers per thread", KernelMetric::kRegistersPerThread},
    {"shared memory", KernelMetric::kSharedBytesPerBlock},
};

LaunchShape shape_of(const JsonValue& value) {
  std::uint32_t sizes[3] = {0, 1, 1};
  std::size_t count = 0;
  for_each_element(value.text, [&](const JsonValue& element) {
    const std::optional<std::int64_t> size = element.unquoted().as_int64();
    if (size && *size > 0 && *size <= 0xFFFFFFFF && count < 3) {
      sizes[count++] = static_cast<std::uint32_t>(*size);
    }
  });
  if (count == 0) return {};
  return {sizes[0], sizes[1], sizes[2]};
}

struct Launched {
  LaunchShape grid;
  LaunchShape block;
  std::optional<std::int64_t> context;
};

Launched read_arguments(std::string_view args, std::size_t row, KernelTable& table) {
  Launched launched;
  for_each_member(args, [&](std::string_view key, const JsonValue& value) {
    if (key == "grid") {
      launched.grid = shape_of(value);
    } else if (key == "block") {
      launched.block = shape_of(value);
    } else if (key == "context") {
      launched.context = value.unquoted().as_int64();
    } else {
      const auto* const known = std::ranges::find(kArguments, key, &KnownArgument::key);
      if (known == std::end(kArguments)) return;
      const std::optional<double> number = value.unquoted().as_double();
      // An occupancy of 0 is what writers print when they could not compute it.
      const bool is_unknown =
          known->metric == KernelMetric::kEstimatedOccupancyPercent && number == 0.0;
      if (number && *number >= 0 && !is_unknown) table.set(known->metric, row, *number);
    }
  });
  return launched;
}

std::vector<std::uint32_t> kernels_in_order(const Trace& trace) {
  const SliceColumns& slices = trace.slices();
  std::vector<std::uint32_t> rows;
  for (std::size_t slice = 0; slice < slices.size(); ++slice) {
    if (slices.kinds[slice] == SliceKind::kKernel)
      rows.push_back(static_cast<std::uint32_t>(slice));
  }
  std::ranges::stable_sort(rows, {}, [&](std::uint32_t slice) {
    const Track& track = trace.tracks()[slices.tracks[slice].index()];
    return std::tuple(track.device.value_or(0), slices.starts_ns[slice]);
  });
  return rows;
}

KernelDevice device_of(const DeviceProperties& properties) {
  KernelDevice device;
  device.index = properties.id;
  device.name = properties.name;
  if (properties.compute_major > 0) {
    device.capability =
        std::to_string(properties.compute_major) + "." + std::to_string(properties.compute_minor);
  }
  device.sm_count = properties.multiprocessors;
  return device;
}

std::uint32_t narrow(std::int64_t number) {
  return number >= 0 && number <= 0xFFFFFFFF ? static_cast<std::uint32_t>(number) : 0;
}

}  // namespace

KernelTable kernels_of(const Trace& trace, const std::string& path) {
  KernelTable table;
  table.path = path;
  table.source = KernelSource::kTrace;
  for (const DeviceProperties& properties : trace.metadata().devices) {
    table.devices.push_back(device_of(properties));
  }
  std::ranges::sort(table.devices, {}, &KernelDevice::index);
  const SliceColumns& slices = trace.slices();
  ArgsReader args(trace.args());
  bool has_context = false;
  for (const std::uint32_t slice : kernels_in_order(trace)) {
    const std::size_t row = table.size();
    const Track& track = trace.tracks()[slices.tracks[slice].index()];
    table.names.push_back(table.strings.intern(trace.strings()[slices.names[slice]]));
    table.durations_ns.push_back(slices.durations_ns[slice]);
    const std::uint32_t correlation = slices.correlations[slice];
    table.ids.push_back(correlation != kNoLaunchId ? correlation : static_cast<std::uint32_t>(row));
    const Launched launched = read_arguments(args.text(slices.args[slice]), row, table);
    table.grids.push_back(launched.grid);
    table.blocks.push_back(launched.block);
    table.streams.push_back(narrow(track.thread_number.value_or(0)));
    table.contexts.push_back(narrow(launched.context.value_or(0)));
    has_context = has_context || launched.context.has_value();
    table.device_indices.push_back(track.device.value_or(0));
  }
  if (!has_context) table.contexts.clear();
  for (std::size_t i = 0; i < kKernelMetrics; ++i) {
    if (table.has(static_cast<KernelMetric>(i))) {
      table.metrics[i].resize(table.size(), std::numeric_limits<double>::quiet_NaN());
    }
  }
  return table;
}

}  // namespace strobe::readers

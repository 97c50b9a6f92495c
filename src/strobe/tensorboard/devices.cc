#include "strobe/tensorboard/devices.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace strobe::tensorboard {
namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = kKiB * kKiB;

std::string in_gb(double gb) { return to_text(round2(Number::real(gb))) + " GB"; }

}  // namespace

DeviceKind device_kind(const std::optional<std::vector<DeviceProperties>>& properties,
                       KindRule rule) {
  switch (rule) {
    case KindRule::kAlwaysGpu:
      return DeviceKind::kGpu;
    case KindRule::kAlwaysMlu:
      return DeviceKind::kMlu;
    case KindRule::kByName:
      if (!properties || properties->empty()) return DeviceKind::kNone;
      return properties->front().name.value_or("").starts_with("MLU") ? DeviceKind::kMlu
                                                                      : DeviceKind::kGpu;
    case KindRule::kByProperties:
      if (!properties) return DeviceKind::kNone;
      return properties->empty() ? DeviceKind::kMlu : DeviceKind::kGpu;
  }
  return DeviceKind::kNone;
}

DeviceInfo describe_device(const DeviceProperties& properties, const VariantRules& rules) {
  DeviceInfo info;
  info.name = properties.name;
  if (rules.reads_global_memory && properties.total_global_memory) {
    info.memory_raw = properties.total_global_memory;
    info.memory_bytes = info.memory_raw->value;
    info.memory = in_gb(*info.memory_bytes / kMiB / kKiB);
  } else if (rules.reads_mib && properties.total_memory_mib) {
    info.memory_raw = properties.total_memory_mib;
    info.memory_bytes = info.memory_raw->value * kMiB;
    info.memory = in_gb(info.memory_raw->value / kKiB);
  }
  if (properties.compute_major && properties.compute_minor) {
    info.compute_capability =
        to_text(*properties.compute_major) + "." + to_text(*properties.compute_minor);
  }
  return info;
}

namespace {

struct WeightedRange {
  Range range;
  Number weight;
};

// The kernels of one device, in order of time.
struct DeviceKernels {
  Ranges busy;
  std::vector<WeightedRange> blocks;     // with `blocks per SM` above 0
  std::vector<WeightedRange> occupancy;  // with a known occupancy
};

std::map<std::int64_t, DeviceKernels> sort_by_device(const Events& events) {
  std::map<std::int64_t, DeviceKernels> devices;
  for (const Event& event : events.all) {
    if (event.type != EventType::kKernel) continue;
    const KernelArgs& args = events.kernel(event);
    if (!args.device) continue;
    DeviceKernels& kernels = devices[*args.device];
    const Range range{event.start(), event.end()};
    kernels.busy.push_back(range);
    if (args.blocks_per_sm && args.blocks_per_sm->value > 0) {
      kernels.blocks.push_back({range, *args.blocks_per_sm});
    }
    if (args.occupancy_percent && args.occupancy_percent->value >= 0) {
      kernels.occupancy.push_back({range, *args.occupancy_percent});
    }
  }
  for (auto& [id, kernels] : devices) kernels.busy = merge(std::move(kernels.busy));
  return devices;
}

// Utilization over time in at most 100 intervals of a power of ten microseconds.
std::vector<std::pair<Number, Number>> fill_buckets(const Range& profile, const Ranges& busy) {
  const double length = profile.end.value - profile.start.value;
  constexpr double kMostBuckets = 100;
  double size = 1;
  while (length / size > kMostBuckets) size *= 10;
  const auto count = static_cast<std::size_t>(std::max(0.0, std::floor(length / size)));
  const auto border = [&](std::size_t i) {
    return i == count ? profile.end : profile.start + Number::whole(static_cast<double>(i) * size);
  };
  std::vector<std::pair<Number, Number>> buckets;
  std::size_t first = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Range bucket{border(i), border(i + 1)};
    while (first < busy.size() && busy[first].end <= bucket.start) ++first;
    Number covered;
    for (std::size_t k = first; k < busy.size() && busy[k].start < bucket.end; ++k) {
      covered += smaller(busy[k].end, bucket.end) - larger(busy[k].start, bucket.start);
    }
    buckets.emplace_back(bucket.start, ratio(covered, bucket.end - bucket.start));
  }
  if (count > 0) buckets.emplace_back(profile.end, Number::whole(0));
  return buckets;
}

// The number of running blocks per SM at each moment, at most 1.
std::vector<ValueRange> sm_ranges(const std::vector<WeightedRange>& kernels) {
  struct Endpoint {
    Number time;
    bool is_end = false;
    Number value;
  };
  std::vector<Endpoint> endpoints;
  for (const auto& [range, value] : kernels) {
    endpoints.push_back({range.start, false, value});
    endpoints.push_back({range.end, true, value});
  }
  std::ranges::stable_sort(endpoints, [](const Endpoint& a, const Endpoint& b) {
    return a.time != b.time ? a.time < b.time : a.is_end < b.is_end;
  });
  std::vector<ValueRange> ranges;
  for (std::size_t i = 1; i < endpoints.size(); ++i) {
    Number& running = endpoints[0].value;
    const Endpoint& now = endpoints[i];
    const Number before = endpoints[i - 1].time;
    if (before < now.time && running.value > 0) {
      ranges.push_back({{before, now.time}, smaller(running, Number::real(1))});
    }
    if (now.is_end) {
      running -= now.value;
    } else {
      running += now.value;
    }
  }
  return ranges;
}

std::optional<Range> clip(const Range& range, const Range& window) {
  const Range common{larger(range.start, window.start), smaller(range.end, window.end)};
  return common.start < common.end ? std::optional(common) : std::nullopt;
}

std::optional<Number> sm_efficiency(const std::vector<ValueRange>& ranges, const Range& window) {
  Number sum;
  bool is_seen = false;
  for (const ValueRange& piece : ranges) {
    const auto inside = clip(piece.range, window);
    if (!inside) continue;
    is_seen = true;
    sum += piece.value * (inside->end - inside->start);
  }
  if (!is_seen) return std::nullopt;
  return ratio(sum, window.end - window.start);
}

std::optional<Number> mean_occupancy(const std::vector<WeightedRange>& kernels,
                                     const Range& window) {
  Number sum;
  Number time;
  for (const auto& [range, value] : kernels) {
    const auto inside = clip(range, window);
    if (!inside) continue;
    sum += value * (inside->end - inside->start);
    time += inside->end - inside->start;
  }
  if (time.value == 0) return std::nullopt;
  return ratio(sum, time);
}

}  // namespace

DeviceReport measure_devices(const Events& events, const Steps& steps) {
  DeviceReport report;
  const Range window{steps.start(), steps.end()};
  for (const auto& [id, kernels] : sort_by_device(events)) {
    DeviceMetrics& device = report.devices.emplace_back();
    device.device = id;
    device.utilization = ratio(total(intersect(kernels.busy, {window})), window.end - window.start);
    device.buckets = fill_buckets(steps.profile, kernels.busy);
    device.sm_ranges = sm_ranges(kernels.blocks);
    device.sm_efficiency = sm_efficiency(device.sm_ranges, window);
    device.occupancy_percent = mean_occupancy(kernels.occupancy, window);
    report.has_blocks_per_sm |= !kernels.blocks.empty();
    report.has_occupancy |= !kernels.occupancy.empty();
  }
  return report;
}

}  // namespace strobe::tensorboard

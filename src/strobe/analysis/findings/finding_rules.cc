#include "strobe/analysis/findings/finding_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

using Found = std::optional<Finding>;

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

FindingWeight weight_of(double share, double matters_from) {
  return share >= matters_from ? FindingWeight::kMatters : FindingWeight::kWorthALook;
}

constexpr double kBusyEnough = 0.7;
constexpr double kWorthLaunching = 0.2;  // share of a step lost to a host that launches too slowly

Found host_bound(const Evidence& e) {
  const double waiting = e.launching_share();
  if (e.kernels.calls == 0 || e.use.share() > kBusyEnough || waiting < kWorthLaunching) return {};
  std::string headline = fmt::format(
      "{} busy {} of the span: the host launches kernels too slowly to keep the {} busy (on "
      "average, a kernel takes {} and one starts every {}",
      e.device, share_text(e.use.share()), e.device, mean_duration_text(e.kernels.average_ns()),
      mean_duration_text(static_cast<double>(e.use.span_ns) /
                         static_cast<double>(e.kernels.calls)));
  if (e.launches.time.calls > 0) {
    headline +=
        fmt::format("; a launch call takes {}", mean_duration_text(e.launches.time.average_ns()));
  }
  headline += ")";
  return Finding{
      "device_idle_host_bound", weight_of(waiting, 0.3), waiting, std::move(headline),
      "launch less often: capture the step in a graph, compile the model, or raise the batch size"};
}

Found device_saturated(const Evidence& e) {
  if (e.kernels.calls == 0 || e.use.share() < 0.9) return {};
  return Finding{"device_saturated", FindingWeight::kNote, e.use.share(),
                 fmt::format("{} busy {} of the span: the device is the bottleneck, not the host",
                             e.device, share_text(e.use.share())),
                 "look at the longest kernels"};
}

Found waits_for_data(const Evidence& e) {
  const double share = e.share_of(StepLabel::kDataLoader);
  if (share < 0.05) return {};
  return Finding{"device_waits_for_data", weight_of(share, 0.15), share,
                 fmt::format("{} idle {} of {} while data is loaded", e.device, share_text(share),
                             e.whole_text()),
                 "use more loader processes, prefetch, or move preprocessing out of the step"};
}

Found exposed_communication(const Evidence& e) {
  const double share = e.share_of(StepLabel::kCommunication);
  if (share < 0.05) return {};
  return Finding{"exposed_communication", weight_of(share, 0.15), share,
                 fmt::format("communication that does not overlap with kernels takes {} of {}",
                             share_text(share), e.whole_text()),
                 "start collectives earlier, overlap them with backward, or send fewer bytes"};
}

Found copies_dominate(const Evidence& e) {
  const double share = e.share_of(StepLabel::kMemcpy);
  if (share < 0.1) return {};
  return Finding{"copies_dominate", weight_of(share, 0.2), share,
                 fmt::format("copies that do not overlap with kernels take {} of {}",
                             share_text(share), e.whole_text()),
                 "keep data on the device, pin host memory, and copy on a separate stream"};
}

Found one_kernel_dominates(const Evidence& e) {
  const auto& kernels = e.summary.kernels;
  const auto top = std::max_element(
      kernels.begin(), kernels.end(),
      [](const KernelRow& a, const KernelRow& b) { return a.device.total_ns < b.device.total_ns; });
  if (kernels.size() < 2) return {};
  std::int64_t all_ns = 0;
  for (const KernelRow& kernel : kernels) all_ns += kernel.device.total_ns;
  const double of_kernels =
      ratio(static_cast<double>(top->device.total_ns), static_cast<double>(all_ns));
  if (of_kernels < 0.4 || e.share_of(StepLabel::kKernel) < 0.3) return {};
  std::string headline =
      fmt::format("one kernel takes {} of the kernel time: {}, {} of {}", share_text(of_kernels),
                  short_name(top->name), counted(top->device.calls, "call"),
                  mean_duration_text(top->device.average_ns()));
  if (!top->top_operator.empty()) headline += ", launched by " + short_name(top->top_operator);
  return Finding{"one_kernel_dominates", FindingWeight::kWorthALook,
                 of_kernels * e.share_of(StepLabel::kKernel), std::move(headline),
                 "optimise this kernel first: no other kernel can save as much time"};
}

Found tiny_kernels(const Evidence& e) {
  constexpr std::uint64_t kMany = 500;
  if (e.kernels.calls < kMany || e.median_kernel_ns >= kTinyKernelNs) return {};
  const double of_calls =
      ratio(static_cast<double>(e.tiny_kernels.calls), static_cast<double>(e.kernels.calls));
  const double of_time =
      ratio(static_cast<double>(e.tiny_kernels.total_ns), static_cast<double>(e.kernels.total_ns));
  const bool launches_hurt = e.use.share() < kBusyEnough && e.launching_share() >= kWorthLaunching;
  if (of_time < 0.1 && !launches_hurt) return {};
  return Finding{
      "many_tiny_kernels", FindingWeight::kWorthALook, of_time * e.share_of(StepLabel::kKernel),
      fmt::format("{} of {} kernels take less than {} us (median {}) and make up {} of the "
                  "kernel time",
                  share_text(of_calls), count_text(e.kernels.calls), kTinyKernelNs / 1000,
                  mean_duration_text(static_cast<double>(e.median_kernel_ns)), share_text(of_time)),
      "fuse them: every launch costs microseconds, even if the kernel does little"};
}

Found host_waits(const Evidence& e) {
  const double share = std::min(
      1.0, ratio(static_cast<double>(e.waits.time.total_ns), static_cast<double>(e.labelled_ns)));
  if (share < 0.1 || e.use.share() > 0.8) return {};
  return Finding{
      "host_waits_for_device", weight_of(share, 0.25), share,
      fmt::format("the host waits {} ({} of {}) in {}, most of it in {}",
                  mean_duration_text(static_cast<double>(e.waits.time.total_ns)), share_text(share),
                  e.whole_text(), counted(e.waits.time.calls, "synchronising call"),
                  e.waits.longest),
      "read results back later or less often, so that the host can launch ahead of the device"};
}

Found uneven_steps(const Evidence& e) {
  constexpr std::size_t kEnough = 4;
  const auto& steps = e.summary.steps;
  if (!e.summary.has_steps || steps.size() < kEnough) return {};
  std::vector<std::int64_t> lengths_ns;
  lengths_ns.reserve(steps.size());
  for (const StepRow& step : steps) lengths_ns.push_back(step.interval.length_ns());
  std::sort(lengths_ns.begin(), lengths_ns.end());
  const std::int64_t median_ns = lengths_ns[lengths_ns.size() / 2];
  const double factor =
      ratio(static_cast<double>(lengths_ns.back()), static_cast<double>(median_ns));
  std::int64_t above_ns = 0;
  for (const std::int64_t length_ns : lengths_ns)
    above_ns += std::max<std::int64_t>(0, length_ns - median_ns);
  const auto longest =
      std::max_element(steps.begin(), steps.end(), [](const StepRow& a, const StepRow& b) {
        return a.interval.length_ns() < b.interval.length_ns();
      });
  const double share = ratio(static_cast<double>(above_ns), static_cast<double>(e.labelled_ns));
  if (factor < 1.5 || share < 0.03) return {};
  return Finding{"uneven_steps", weight_of(share, 0.2), share,
                 fmt::format("{} takes {}, {:.1f} times the median step of {}", longest->name,
                             mean_duration_text(static_cast<double>(lengths_ns.back())), factor,
                             mean_duration_text(static_cast<double>(median_ns))),
                 "compare that step with a normal one before trusting any average"};
}

// Either the host finishes a step long before the device, or some time has no step marker.
Found steps_leave_time_out(const Evidence& e) {
  const std::int64_t span_ns = e.summary.extent.length_ns();
  const std::int64_t outside_ns = span_ns - e.summary.total_ns;
  const double share = ratio(static_cast<double>(outside_ns), static_cast<double>(span_ns));
  if (!e.summary.has_steps || share < 0.3) return {};
  std::int64_t busy_inside_ns = 0;
  for (const StepLabel label :
       {StepLabel::kKernel, StepLabel::kCommunication, StepLabel::kMemcpy, StepLabel::kMemset}) {
    busy_inside_ns += e.label_ns[static_cast<std::size_t>(label)];
  }
  const bool device_goes_on =
      e.summary.devices.size() == 1 && 2 * (e.use.busy_ns - busy_inside_ns) > outside_ns;
  const bool is_one = e.summary.steps.size() == 1;
  const std::string covered = fmt::format("{} cover{} {} of the span", e.whole_text(),
                                          is_one ? "s" : "", share_text(1 - share));
  if (!device_goes_on) {
    return Finding{"time_outside_steps", FindingWeight::kNote, share,
                   covered + ": the rest is outside all steps",
                   "mark every step, or treat the times per step as a sample"};
  }
  const std::string span_per_step = mean_duration_text(static_cast<double>(span_ns) /
                                                       static_cast<double>(e.summary.steps.size()));
  return Finding{
      "device_outlasts_steps", FindingWeight::kNote, share,
      is_one ? fmt::format("{}: the host ends the step long before the {} finishes, so the step "
                           "time is host time",
                           covered, e.device)
             : fmt::format("{}: the host ends the steps long before the {} finishes, so step times "
                           "are host times; the span divided by the steps is {} each",
                           covered, e.device, span_per_step),
      "synchronise at the end of each step while profiling, so that its device work falls into it"};
}

Found memory_near_capacity(const Evidence& e) {
  for (const MemoryPlace& place : e.summary.memory) {
    const std::optional<std::int32_t> device = parts_of_place(place.place).device;
    for (const DeviceProperties& properties : e.trace.metadata().devices) {
      if (!device || properties.id != *device || properties.memory_bytes <= 0) continue;
      const std::int64_t peak = std::max(place.peak_reserved_bytes, place.peak_allocated_bytes);
      const double share =
          ratio(static_cast<double>(peak), static_cast<double>(properties.memory_bytes));
      if (share < 0.9) continue;
      return Finding{"memory_near_capacity", FindingWeight::kWorthALook, 0,
                     fmt::format("{} uses up to {} of its {} of memory ({})",
                                 fmt::format("{} {}", e.device, properties.id), bytes_text(peak),
                                 bytes_text(properties.memory_bytes), share_text(share)),
                     "a larger batch or a longer sequence will not fit; look at the memory table"};
    }
  }
  return {};
}

Found memory_reserved_unused(const Evidence& e) {
  constexpr std::int64_t kWorthMentioning = 1'000'000'000;
  for (const MemoryPlace& place : e.summary.memory) {
    const std::int64_t unused = place.peak_reserved_bytes - place.peak_allocated_bytes;
    if (place.peak_allocated_bytes <= 0 || unused < kWorthMentioning ||
        unused < place.peak_allocated_bytes / 2) {
      continue;
    }
    return Finding{
        "memory_reserved_unused", FindingWeight::kNote, 0,
        fmt::format("the allocator reserves {} on {} but uses at most {}",
                    bytes_text(place.peak_reserved_bytes), place_text(place.place),
                    bytes_text(place.peak_allocated_bytes)),
        "to reduce fragmentation, allocate large buffers first and keep shapes constant"};
  }
  return {};
}

Found orphans(const Evidence& e) {
  const std::uint64_t count = e.summary.orphan_device_slices;
  if (count == 0) return {};
  const double share = ratio(static_cast<double>(count), static_cast<double>(e.device_slices));
  return Finding{
      "orphan_device_work", share >= 0.1 ? FindingWeight::kWorthALook : FindingWeight::kNote, 0,
      fmt::format("{} of {} ({}) {} no recorded launch: {} for kernels and devices, "
                  "but not for operators",
                  count_text(count), counted(e.device_slices, "device slice"), share_text(share),
                  count == 1 ? "has" : "have", count == 1 ? "it counts" : "they count"),
      "start the capture one step earlier, or record runtime calls too"};
}

Found host_only(const Evidence& e) {
  // Only a framework's trace is expected to contain device work.
  if (e.device_slices > 0 || !e.has_operators) return {};
  return Finding{"host_only_trace", FindingWeight::kNote, 0,
                 "no device work was recorded: these tables show the host only",
                 "record device activities too, if there were any"};
}

Found unfinished(const Evidence& e) {
  if (e.unfinished_slices == 0) return {};
  const bool is_one = e.unfinished_slices == 1;
  return Finding{"unfinished_slices", FindingWeight::kNote, 0,
                 fmt::format("{} never {}: {} counted to the end of the trace",
                             counted(e.unfinished_slices, "slice"), is_one ? "ends" : "end",
                             is_one ? "it is" : "they are"),
                 "stop the profiler before the program exits"};
}

constexpr std::array<FindingRule, 15> kFindingRules = {
    host_bound,
    device_saturated,
    waits_for_data,
    exposed_communication,
    copies_dominate,
    one_kernel_dominates,
    tiny_kernels,
    host_waits,
    uneven_steps,
    steps_leave_time_out,
    memory_near_capacity,
    memory_reserved_unused,
    orphans,
    host_only,
    unfinished,
};

}  // namespace

std::span<const FindingRule> finding_rules() { return kFindingRules; }

}  // namespace strobe::analysis

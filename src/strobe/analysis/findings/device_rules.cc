#include "strobe/analysis/findings/device_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/findings/idle_words.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

// What the device is busy with, by its time in steps.
struct MainUse {
  std::string_view text;
  std::string_view advice;
};

MainUse main_use(const Evidence& e) {
  const std::int64_t kernels_ns = e.label_sum_ns(StepLabel::kKernel);
  const std::int64_t communication_ns = e.label_sum_ns(StepLabel::kCommunication);
  const std::int64_t copies_ns = e.label_sum_ns(StepLabel::kMemcpy);
  const std::int64_t others_ns = e.label_sum_ns(StepLabel::kMemset);
  const std::int64_t busy_ns = kernels_ns + communication_ns + copies_ns + others_ns;
  if (2 * communication_ns > busy_ns) {
    return {", mostly with communication alone: it may be waiting for other ranks",
            "compare the ranks, and overlap communication with kernels"};
  }
  if (2 * copies_ns > busy_ns) {
    return {", mostly with copies alone: moving data is the bottleneck, not computing",
            "copy less, or while kernels run"};
  }
  return {": the device is the bottleneck, not the host", "look at the longest kernels"};
}

// The table covers the summary's span; the steps may be a part of it.
std::string exposed_in_span(const Evidence& e, std::int64_t in_steps_ns) {
  const CommunicationTotals& all = e.summary.communication;
  const std::int64_t exposed_ns = all.communication_ns - all.overlap_ns;
  if (!e.summary.has_steps || e.summary.span_ns <= e.labelled_ns || exposed_ns <= in_steps_ns) {
    return "";
  }
  return fmt::format("; {} in the whole trace", duration_text(exposed_ns));
}

// A few collectives wait for ranks that come late; their bytes do not take that long.
bool waits_for_ranks(const Evidence& e) {
  return e.long_collectives.calls > 0 &&
         2 * e.long_collectives.total_ns >= e.long_collectives.all_ns;
}

std::string long_collectives_text(const LongCollectives& found) {
  const bool is_one = found.calls == 1;
  return fmt::format(
      "; {} of {} {} {} of the {} of all collectives, up to {} where the median is {}: {} for "
      "other "
      "ranks",
      count_text(found.calls), counted(found.of_calls, "call"), is_one ? "takes" : "take",
      duration_text(found.total_ns), duration_text(found.all_ns), duration_text(found.longest_ns),
      duration_text(found.median_ns), is_one ? "it waits" : "they wait");
}

// The two kernels that take most time of those that compute.
struct TopKernels {
  const KernelRow* first = nullptr;
  const KernelRow* second = nullptr;
  std::int64_t all_ns = 0;  // of all that compute
  bool leaves_some_out = false;
};

TopKernels find_top_kernels(const std::vector<KernelRow>& kernels) {
  TopKernels top;
  const auto is_longer = [](const KernelRow& kernel, const KernelRow* other) {
    return other == nullptr || kernel.device.total_ns > other->device.total_ns;
  };
  for (const KernelRow& kernel : kernels) {
    if (kernel.communicates) {
      top.leaves_some_out = true;
      continue;
    }
    top.all_ns += kernel.device.total_ns;
    if (is_longer(kernel, top.first)) {
      top.second = top.first;
      top.first = &kernel;
    } else if (is_longer(kernel, top.second)) {
      top.second = &kernel;
    }
  }
  return top;
}

std::string kernel_advice(const TopKernels& top) {
  const bool is_alone = 10 * top.second->device.total_ns < 9 * top.first->device.total_ns;
  if (is_alone) return "optimise this kernel first: no other kernel can save as much time";
  return fmt::format("optimise this kernel and {} first, which takes {} in all",
                     short_name(top.second->name), duration_text(top.second->device.total_ns));
}

std::string launcher_text(const Evidence& e, const KernelRow& kernel) {
  const std::string launcher = kernel.top_operator();
  if (!launcher.empty()) return ", launched by " + short_name(launcher);
  // A launch that was not recorded has no operator either.
  const bool knows_launches = e.has_operators && e.summary.orphan_device_slices == 0;
  return knows_launches && !kernel.launchers.empty() ? ", launched outside operators" : "";
}

}  // namespace

std::optional<Finding> device_saturated(const Evidence& e) {
  if (e.device_slices == 0 || e.use.share() < 0.9) return {};
  const MainUse use = main_use(e);
  Finding finding{"device_saturated", FindingWeight::kNote, e.use.share(),
                  fmt::format("{} busy {} of {}{}", e.device, share_text(e.use.share()),
                              e.span_text(), use.text),
                  std::string(use.advice)};
  const double communicating = e.share_of(StepLabel::kCommunication);
  if (communicating >= 0.05 && communicating <= 0.5 * e.use.share()) {
    finding.against.push_back(
        fmt::format("{} of {} is communication alone, which may be waiting for other ranks",
                    share_text(communicating), e.whole_text()));
  }
  return finding;
}

std::optional<Finding> devices_take_turns(const Evidence& e) {
  const DeviceTurns& turns = e.device_time.turns;
  const double together = ratio_ns(turns.several_ns, turns.any_ns);
  const double share = e.share_of_ns(turns.any_ns);
  if (turns.devices < 2 || together > 0.1 || share < 0.3) return {};
  return Finding{
      "devices_take_turns", FindingWeight::kMatters, share,
      fmt::format("the {} {}s take turns: one of them works {}, but more than one only {} of that "
                  "time",
                  turns.devices, e.device, part_text(e, turns.any_ns), share_text(together)),
      "let them work at the same time: split the batch into parts that follow each other through "
      "the devices, or give each device a part of every layer or of the batch"};
}

std::optional<Finding> exposed_communication(const Evidence& e) {
  const double share = e.share_of(StepLabel::kCommunication);
  if (share < 0.05) return {};
  const std::int64_t exposed_ns = e.label_sum_ns(StepLabel::kCommunication);
  const bool is_late = waits_for_ranks(e);
  return Finding{
      "exposed_communication", weight_of(share, 0.15), share,
      fmt::format("communication that does not overlap with kernels takes {}{}{}",
                  part_text(e, exposed_ns), exposed_in_span(e, exposed_ns),
                  is_late ? long_collectives_text(e.long_collectives) : ""),
      is_late ? "find out why the other ranks come late to these collectives: compare their traces"
              : "start collectives earlier, overlap them with backward, or send fewer bytes"};
}

std::optional<Finding> copies_dominate(const Evidence& e) {
  const double share = e.share_of(StepLabel::kMemcpy);
  if (share < 0.1) return {};
  const device::CopyDirection direction = direction_of_copies(e);
  const std::string words = copy_direction_text(direction);
  const bool between_devices = direction == device::CopyDirection::kBetweenDevices;
  const bool is_pinned = is_mostly_pinned(e.copies[static_cast<std::size_t>(direction)]);
  std::string advice = "keep data on the device, ";
  if (between_devices) {
    advice = "avoid copies of whole tensors: work in place, or keep one layout";
  } else {
    advice += is_pinned ? "and copy on a separate stream while kernels run (the host memory is "
                          "pinned already)"
                        : "pin host memory, and copy on a separate stream";
  }
  return Finding{
      "copies_dominate", weight_of(share, 0.2), share,
      fmt::format("copies that do not overlap with kernels take {} of {}{}", share_text(share),
                  e.whole_text(), words.empty() ? "" : ", mostly " + words),
      std::move(advice)};
}

std::optional<Finding> one_kernel_dominates(const Evidence& e) {
  const TopKernels top = find_top_kernels(e.summary.kernels);
  if (top.second == nullptr) return {};
  const TimeStat& device = top.first->device;
  const double of_kernels = ratio_ns(device.total_ns, top.all_ns);
  if (of_kernels < 0.4 || e.share_of(StepLabel::kKernel) < 0.3) return {};
  std::string headline =
      fmt::format("one kernel takes {} of the {}: {}, {} of {}", share_text(of_kernels),
                  top.leaves_some_out ? "time of kernels that compute" : "kernel time",
                  short_name(top.first->name), counted(device.calls, "call"),
                  mean_duration_text(device.average_ns()));
  headline += launcher_text(e, *top.first);
  return Finding{"one_kernel_dominates", FindingWeight::kWorthALook,
                 of_kernels * e.share_of(StepLabel::kKernel), std::move(headline),
                 kernel_advice(top)};
}

std::optional<Finding> tiny_kernels(const Evidence& e) {
  constexpr std::uint64_t kMany = 500;
  if (e.kernels.calls < kMany || e.median_kernel_ns >= kTinyKernelNs) return {};
  const double of_calls =
      ratio(static_cast<double>(e.tiny_kernels.calls), static_cast<double>(e.kernels.calls));
  const double of_time =
      ratio(static_cast<double>(e.tiny_kernels.total_ns), static_cast<double>(e.kernels.total_ns));
  if (of_time < 0.1 && !is_launch_bound(e)) return {};
  return Finding{
      "many_tiny_kernels", FindingWeight::kWorthALook, of_time * e.share_of(StepLabel::kKernel),
      fmt::format("{} of {} computing kernels take less than {} us (median {}) and make up {} of "
                  "their time",
                  share_text(of_calls), count_text(e.kernels.calls), kTinyKernelNs / 1000,
                  mean_duration_text(static_cast<double>(e.median_kernel_ns)), share_text(of_time)),
      "fuse them: every launch costs microseconds, even if the kernel does little"};
}

}  // namespace strobe::analysis

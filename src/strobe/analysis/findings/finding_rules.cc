#include "strobe/analysis/findings/finding_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/findings/device_rules.h"
#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/findings/host_rules.h"
#include "strobe/analysis/findings/idle_words.h"
#include "strobe/analysis/findings/machine_rules.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

using Found = std::optional<Finding>;

// Waiting does no harm where the device is busy all the time, or once at the end of a step.
bool is_harmless(const Evidence& e) {
  const std::uint64_t steps = e.summary.has_steps ? e.summary.steps.size() : 1;
  return e.share_of_ns(e.idle_ns) < 0.1 || e.waiting.calls <= steps + 1;
}

// The place is that of the longest call only.
std::string longest_wait_text(const HostWaiting& waiting) {
  const std::string where = where_text(waiting.longest_inside, waiting.longest_source);
  if (where.empty() || waiting.calls <= 1) return where;
  return ", the longest" + where.substr(1);
}

// A host that waits for a busy device is as it should be; a host that waits for an idle one loses
// time.
Found host_waits(const Evidence& e) {
  const HostWaiting& waiting = e.waiting;
  const double share = e.share_of_ns(waiting.inside_ns);
  if (share < 0.1 || e.device_slices == 0) return {};
  const double idle = ratio_ns(waiting.device_idle_ns, waiting.inside_ns);
  const bool is_normal = idle < 0.25;
  std::string headline =
      fmt::format("the host waits {} for the {}, most of it in {}{}; the {} works {} of that time",
                  part_text(e, waiting.inside_ns), e.device, short_name(waiting.longest),
                  longest_wait_text(waiting), e.device, share_text(1 - idle));
  if (waiting.outside_ns > 0 && e.summary.has_steps) {
    headline +=
        fmt::format("; another {} outside {}", duration_text(waiting.outside_ns), e.steps_text());
  }
  return Finding{"host_waits_for_device", is_normal ? FindingWeight::kNote : weight_of(share, 0.25),
                 share, std::move(headline),
                 is_normal && is_harmless(e) ? ""
                                             : "read results back later or less often, so that the "
                                               "host can launch ahead of the device"};
}

// What the longest step has more of than a median step.
struct StepExcess {
  std::int64_t ns = 0;
  std::string text;
  FindingWeight most_weight = FindingWeight::kMatters;  // where another finding tells the cause
};

std::string_view label_text(StepLabel label) {
  switch (label) {
    case StepLabel::kKernel:
      return "computing";
    case StepLabel::kCommunication:
      return "communication";
    case StepLabel::kMemcpy:
    case StepLabel::kMemset:
      return "copies and memsets";
    case StepLabel::kRuntime:
      return "idle time while the host is in runtime calls";
    case StepLabel::kDataLoader:
      return "idle time while data is loaded";
    case StepLabel::kHost:
      return "idle time while the host is in other code";
    case StepLabel::kIdle:
      break;
  }
  return "idle time with nothing recorded";
}

StepExcess largest_label_excess(const Evidence& e, const StepRow& longest) {
  StepExcess most;
  for (std::size_t label = 0; label < kStepLabels; ++label) {
    std::vector<std::int64_t> of_steps_ns;
    for (const StepRow& step : e.summary.steps) of_steps_ns.push_back(step.label_ns[label]);
    std::sort(of_steps_ns.begin(), of_steps_ns.end());
    const std::int64_t excess_ns = longest.label_ns[label] - of_steps_ns[of_steps_ns.size() / 2];
    if (excess_ns <= most.ns) continue;
    most.ns = excess_ns;
    most.text = label_text(static_cast<StepLabel>(label));
    const bool has_own_rule = label >= static_cast<std::size_t>(StepLabel::kRuntime) ||
                              label == static_cast<std::size_t>(StepLabel::kCommunication);
    most.most_weight = has_own_rule ? FindingWeight::kWorthALook : FindingWeight::kMatters;
  }
  return most;
}

// How much more idle time the step has than a median step.
std::int64_t idle_excess_ns(const Evidence& e, const StepRow& longest) {
  std::vector<std::int64_t> of_steps_ns;
  for (const StepRow& step : e.summary.steps) of_steps_ns.push_back(idle_ns_of(step));
  std::sort(of_steps_ns.begin(), of_steps_ns.end());
  return idle_ns_of(longest) - of_steps_ns[of_steps_ns.size() / 2];
}

// A stretch that every step has explains nothing: what the other steps have of its cause, on
// average, is taken off.
std::int64_t stretch_excess_ns(const Evidence& e, const IdleCause& cause) {
  const std::int64_t stretch_ns = cause.longest.length_ns();
  const auto others = static_cast<std::int64_t>(e.summary.steps.size()) - 1;
  return stretch_ns - std::max<std::int64_t>(0, cause.inside_ns - stretch_ns) / others;
}

StepExcess excess_of(const Evidence& e, const StepRow& longest, std::int64_t above_ns) {
  const std::int64_t idle_ns = idle_excess_ns(e, longest);
  for (const IdleCause& cause : e.idle_causes) {
    const bool lies_there = cause.longest.start_ns >= longest.interval.start_ns &&
                            cause.longest.end_ns <= longest.interval.end_ns;
    const std::int64_t more_ns = std::min(idle_ns, stretch_excess_ns(e, cause));
    if (!lies_there || 2 * more_ns < above_ns) continue;
    return {more_ns, "one stretch of idle time " + moment_text(cause), FindingWeight::kNote};
  }
  return largest_label_excess(e, longest);
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
  const double factor = ratio_ns(lengths_ns.back(), median_ns);
  std::int64_t above_ns = 0;
  for (const std::int64_t length_ns : lengths_ns)
    above_ns += std::max<std::int64_t>(0, length_ns - median_ns);
  const auto longest =
      std::max_element(steps.begin(), steps.end(), [](const StepRow& a, const StepRow& b) {
        return a.interval.length_ns() < b.interval.length_ns();
      });
  const double share = ratio_ns(above_ns, e.labelled_ns);
  if (factor < 1.5 || share < 0.03) return {};
  const StepExcess excess = excess_of(e, *longest, lengths_ns.back() - median_ns);
  std::string headline = fmt::format("{} takes {}, {:.1f} times the median {} of {}", longest->name,
                                     duration_text(lengths_ns.back()), factor, e.step_word(),
                                     duration_text(median_ns));
  if (excess.ns > 0) {
    headline +=
        fmt::format("; {} of the difference is {}",
                    duration_text(std::min(excess.ns, lengths_ns.back() - median_ns)), excess.text);
  }
  return Finding{
      "uneven_steps", std::min(excess.most_weight, weight_of(share, 0.2)), share,
      std::move(headline),
      fmt::format("compare that {} with a normal one before trusting any average", e.step_word())};
}

// Either the host finishes a step long before the device, or some time has no step marker.
Found steps_leave_time_out(const Evidence& e) {
  const std::int64_t span_ns = e.summary.extent.length_ns();
  const std::int64_t outside_ns = span_ns - e.summary.total_ns;
  const double share = ratio(static_cast<double>(outside_ns), static_cast<double>(span_ns));
  if (!e.summary.has_steps || e.context.is_cut_off || share < 0.3) return {};
  std::int64_t busy_inside_ns = 0;
  for (const StepLabel label :
       {StepLabel::kKernel, StepLabel::kCommunication, StepLabel::kMemcpy, StepLabel::kMemset}) {
    busy_inside_ns += e.label_sum_ns(label);
  }
  const bool device_goes_on =
      (e.summary.devices.size() == 1 && 2 * (e.use.busy_ns - busy_inside_ns) > outside_ns) ||
      2 * e.outlasting_ns > outside_ns;
  const bool is_one = e.summary.steps.size() == 1;
  const std::string covered = fmt::format("{} cover{} {} of {}", e.whole_text(), is_one ? "s" : "",
                                          share_text(1 - share), e.span_text());
  const std::string_view step = e.step_word();
  if (!device_goes_on) {
    return Finding{"time_outside_steps", FindingWeight::kNote, share,
                   fmt::format("{}: the rest is outside {}", covered, is_one ? "of it" : "of them"),
                   fmt::format("mark every step, or treat the times per {} as a sample", step)};
  }
  const std::string span_per_step = mean_duration_text(static_cast<double>(span_ns) /
                                                       static_cast<double>(e.summary.steps.size()));
  return Finding{
      "device_outlasts_steps", FindingWeight::kNote, share,
      is_one ? fmt::format("{}: the host ends the {} long before the {} finishes, so the {} "
                           "time is host time",
                           covered, step, e.device, step)
             : fmt::format("{}: the host ends the {}s long before the {} finishes, so {} times "
                           "are host times; the span divided by the number of {}s is {}",
                           covered, step, e.device, step, step, span_per_step),
      fmt::format("synchronise at the end of {} {} while profiling, so that the {} contains its "
                  "device work",
                  is_one ? "the" : "each", step, step)};
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
      return Finding{
          "memory_near_capacity", FindingWeight::kWorthALook, 0,
          fmt::format("{} {} uses up to {} of its {} of memory ({})", e.device, properties.id,
                      bytes_text(peak), bytes_text(properties.memory_bytes), share_text(share)),
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

constexpr std::array<FindingRule, 18> kFindingRules = {
    device_saturated,
    devices_take_turns,
    exposed_communication,
    copies_dominate,
    one_kernel_dominates,
    tiny_kernels,
    host_waits,
    uneven_steps,
    steps_leave_time_out,
    memory_near_capacity,
    memory_reserved_unused,
    host_only,
    host_gap,
    host_self_time,
    cores_are_taken,
    quota_stops,
    clock_is_limited,
    device_is_shared,
};

}  // namespace

std::span<const FindingRule> finding_rules() { return kFindingRules; }

}  // namespace strobe::analysis

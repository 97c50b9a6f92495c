#include "strobe/analysis/findings/idle_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "strobe/analysis/findings/idle_words.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

using IdleFound = std::optional<Finding>;

constexpr std::int64_t kLatencyNs = 10'000;  // the device's own time to start the next work

std::string_view latency_advice(const Evidence& e) {
  return e.launches.use_graphs
             ? "gaps this short are the device's own time to start a kernel: fuse kernels"
             : "gaps this short are the device's own time to start a kernel: fuse kernels, or "
               "capture them in a graph";
}

IdleFound launched_work_waits(const Evidence& e) {
  const auto launched =
      std::find_if(e.idle_causes.begin(), e.idle_causes.end(),
                   [](const IdleCause& cause) { return cause.kind == IdleKind::kLaunched; });
  if (launched == e.idle_causes.end() || 2 * launched->inside_ns < e.idle_ns) return {};
  const double share = e.share_of_ns(launched->inside_ns);
  if (share < kWorthTelling) return {};
  const bool is_latency = launched->gaps.average_ns() < static_cast<double>(kLatencyNs);
  Finding finding{
      "launched_work_waits", weight_of(share, kIdleMatters), share,
      fmt::format("{} idle {} although its next work was launched already: {}, {} on average, {} "
                  "at most",
                  e.device, part_text(e, launched->inside_ns), counted(launched->gaps.calls, "gap"),
                  mean_duration_text(launched->gaps.average_ns()),
                  duration_text(launched->gaps.max_ns)),
      std::string(is_latency ? latency_advice(e)
                             : "look for work that waits for another stream, an event, a host "
                               "function or another process on the same device")};
  if (is_latency && launched->gaps.max_ns >= 10 * kLatencyNs) {
    finding.against.push_back(
        "the longest gap is too long for launch latency: something delays that work");
  }
  add_other_causes(e, launched->inside_ns, finding);
  return finding;
}

std::int64_t loading_by_launcher_ns(const Evidence& e) {
  std::int64_t sum_ns = 0;
  for (const IdleCause& cause : e.idle_causes) {
    if (cause.kind == IdleKind::kDataLoading) sum_ns += cause.inside_ns;
  }
  return sum_ns;
}

IdleFound waits_for_data(const Evidence& e) {
  const std::int64_t by_launcher_ns = loading_by_launcher_ns(e);
  std::int64_t loading_ns = e.label_sum_ns(StepLabel::kDataLoader);
  if (e.context.is_cut_off) loading_ns = std::min(loading_ns, by_launcher_ns);
  const double share = e.share_of_ns(loading_ns);
  if (share < kWorthTelling) return {};
  // Without a device nothing waits, but the host still spends the time.
  const std::string who = e.device_slices > 0 ? e.device + " idle" : "the host spends";
  Finding finding{"device_waits_for_data", weight_of(share, kIdleMatters), share,
                  fmt::format("{} {} {}", who, part_text(e, loading_ns),
                              e.device_slices > 0 ? "while data is loaded" : "loading data"),
                  "use more loader processes, prefetch, or move preprocessing out of the step"};
  if (!e.idle_causes.empty() && 2 * by_launcher_ns < loading_ns) {
    finding.against.push_back(
        fmt::format("the launching thread itself loads data for only {}: another thread loads "
                    "meanwhile",
                    duration_text(by_launcher_ns)));
  }
  return finding;
}

// Most of the time outside comes after the steps, while their device work still runs.
bool steps_end_early(const Evidence& e, std::int64_t outside_ns) {
  return 2 * e.outlasting_ns > outside_ns;
}

std::string outside_advice(const Evidence& e, std::int64_t outside_ns) {
  const std::string_view step = e.step_word();
  if (steps_end_early(e, outside_ns)) {
    const bool is_one = e.summary.steps.size() == 1;
    return fmt::format(
        "{} {} before the {} has done what {} launched: synchronise at the end of {} {} while "
        "profiling, and look for work that waits for another stream, an event or a host function",
        e.steps_text(), is_one ? "ends" : "end", e.device, is_one ? "it" : "they",
        is_one ? "the" : "each", step);
  }
  return fmt::format(
      "no {} contains this time: it is initialisation, loading or saving; start the recording "
      "later, or judge it on its own",
      step);
}

// The end of a file that is cut off is outside of all steps too, and says nothing.
IdleFound idle_outside_steps(const Evidence& e) {
  const Waits& waits = e.summary.waits;
  const std::int64_t outside_ns = waits.idle_ns - waits.idle_in_steps_ns;
  const double share = std::min(1.0, ratio_ns(outside_ns, e.summary.span_ns));
  if (!e.summary.has_steps || e.idle_causes.empty() || e.context.is_cut_off) return {};
  if (2 * outside_ns <= waits.idle_ns || share < 0.1) return {};
  const IdleCause largest = list_idle_causes(e.summary, IdlePart::kOutsideSteps).front();
  Finding finding{
      "idle_outside_steps", share >= 0.3 ? FindingWeight::kWorthALook : FindingWeight::kNote, share,
      fmt::format("{} idle {} ({} of {}) outside {}, {} of it {}{}", e.device,
                  duration_text(outside_ns), share_text(share), e.span_text(), e.whole_text(),
                  duration_text(largest.inside_ns), moment_text(largest), where_text(largest)),
      outside_advice(e, outside_ns)};
  if (e.summary.cycles) {
    finding.against.push_back(
        "the cycles were found, not marked: time outside may belong to some of them");
  }
  return finding;
}

constexpr std::array<FindingRule, 10> kCausesInsideSteps = {
    profiler_overhead,   blocking_launches, launch_pace, queue_drained,
    blocking_call,       idle_in_host_code, host_stalls, work_without_launches,
    launched_work_waits, waits_for_data,
};

bool has_main_cause(const Evidence& e) {
  return std::any_of(kCausesInsideSteps.begin(), kCausesInsideSteps.end(), [&](FindingRule rule) {
    const IdleFound found = rule(e);
    return found && 3 * found->share >= e.share_of_ns(e.idle_ns);
  });
}

// The interpreter's frame around half of the idle time or more, in whatever range it runs.
IdleCause find_main_source(const Evidence& e) {
  std::map<std::string, IdleCause> by_source;
  for (const IdleRow& row : e.summary.waits.idle) {
    if (row.source.empty() || !is_host_code(row.kind)) continue;
    IdleCause& sum = by_source[row.source];
    sum.inside_ns += e.summary.has_steps ? row.in_steps_ns : row.idle.total_ns;
    if (row.longest.length_ns() > sum.longest.length_ns()) sum.longest = row.longest;
  }
  for (auto& [source, sum] : by_source) {
    if (2 * sum.inside_ns < e.idle_ns) continue;
    sum.kind = IdleKind::kScript;
    sum.name = source;
    return sum;
  }
  return {};
}

// One cause holds half of the idle time or more, if only in short stretches.
IdleFound mostly_one_cause(const Evidence& e) {
  if (e.idle_causes.empty() || is_mostly_busy(e)) return {};
  if (e.share_of_ns(e.idle_ns) < kPaceWorthTelling) return {};
  IdleCause cause = e.idle_causes.front();
  if (2 * cause.inside_ns < e.idle_ns && !e.context.is_cut_off) cause = find_main_source(e);
  if (2 * cause.inside_ns < e.idle_ns || has_main_cause(e)) return {};
  const double share = e.share_of_ns(cause.inside_ns);
  Finding finding{
      "idle_mostly_one_cause", weight_of(share, 0.3), share,
      fmt::format("{} idle {}, mostly ({}) {}: up to {} at once{}", e.device,
                  part_text(e, e.idle_ns), share_text(ratio_ns(cause.inside_ns, e.idle_ns)),
                  moment_text(cause), duration_text(cause.longest.length_ns()), where_text(cause)),
      cause.kind == IdleKind::kRuntimeCall ? blocking_advice(e, {&cause, cause.inside_ns, false})
                                           : host_code_advice(cause.kind)};
  add_warm_up(e, cause, finding);
  return finding;
}

IdleFound scattered_idle(const Evidence& e) {
  const double share = e.share_of_ns(e.idle_ns);
  if (e.idle_causes.empty() || is_mostly_busy(e) || share < kPaceWorthTelling) return {};
  if (has_main_cause(e) || mostly_one_cause(e)) return {};
  return Finding{"scattered_idle", weight_of(share, 0.3), share,
                 fmt::format("{} idle {} for several reasons: {}", e.device,
                             part_text(e, e.idle_ns), largest_causes_text(e)),
                 "no single change removes it: look at the idle causes one by one, longest first"};
}

constexpr std::array<FindingRule, 13> kIdleRules = {
    profiler_overhead,   blocking_launches, launch_pace,      queue_drained,
    blocking_call,       idle_in_host_code, host_stalls,      work_without_launches,
    launched_work_waits, waits_for_data,    mostly_one_cause, scattered_idle,
    idle_outside_steps,
};

}  // namespace

std::span<const FindingRule> idle_rules() { return kIdleRules; }

}  // namespace strobe::analysis

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "strobe/analysis/findings/idle_rules.h"
#include "strobe/analysis/findings/idle_words.h"
#include "strobe/base/text.h"

// The host launches too late: because launching takes it too long, or because it waited for the
// device before.
namespace strobe::analysis {
namespace {

constexpr std::int64_t kPromptStartNs = 20'000;  // from launch to start: nothing waited
constexpr std::uint64_t kEnoughGaps = 10;

// Idle time between launches without the stretches in which the host was stuck.
std::int64_t unstuck_ns(const Evidence& e) {
  std::int64_t sum_ns = 0;
  for (const IdleCause& cause : e.idle_causes) {
    const bool is_no_code =
        cause.kind == IdleKind::kDataLoading || cause.kind == IdleKind::kOverhead;
    if (!is_no_code) sum_ns += cause.inside_ns - stall_of(cause).ns;
  }
  return sum_ns;
}

std::int64_t paced_ns(const Evidence& e) {
  return std::min(e.summary.waits.paced_idle_ns, unstuck_ns(e));
}

std::int64_t drained_ns(const Evidence& e) { return std::min(e.drains.idle_ns, unstuck_ns(e)); }

// A host that launches faster than the device computes could stay ahead of it.
bool launches_outrun_kernels(const Evidence& e) {
  return e.launches.apart_ns > 0 &&
         (e.launches.use_graphs || e.launches.apart_ns < e.median_kernel_ns);
}

// Without the draining calls the host would gain the time it waits there; where that is little,
// something else keeps the device idle.
bool is_drained(const Evidence& e) {
  const std::int64_t idle_ns = drained_ns(e);
  return e.drains.gaps > 1 && launches_outrun_kernels(e) && 2 * idle_ns >= e.idle_ns &&
         3 * e.drains.waited_ns >= idle_ns && e.share_of_ns(idle_ns) >= kWorthTelling;
}

// Launches come fast, but between some of them the host does something else for far longer:
// launching less often would not help.
bool has_long_breaks(const Evidence& e) {
  constexpr std::int64_t kLongBreak = 10;
  const auto gaps = static_cast<std::int64_t>(e.summary.waits.paced_gaps);
  return launches_outrun_kernels(e) &&
         e.summary.waits.paced_idle_ns >= kLongBreak * e.launches.apart_ns * gaps;
}

std::vector<std::string> against_pace(const Evidence& e) {
  std::vector<std::string> against;
  if (e.launches.late_ns >= kPromptStartNs) {
    against.push_back(fmt::format(
        "a tenth of the work on stream {} starts {} or more after its launch: there the host is "
        "ahead of the {}",
        e.launches.stream, duration_text(e.launches.late_ns), e.device));
  }
  const double waits = e.share_of_ns(e.waiting.inside_ns);
  if (waits >= 0.1) {
    against.push_back(fmt::format(
        "the host waits for the {} {} of {}, mostly in {}: with fewer such calls it could launch "
        "ahead",
        e.device, share_text(waits), e.whole_text(), short_name(e.waiting.longest)));
  }
  if (e.has_frames) {
    against.push_back("interpreter frames were recorded, which slows the host down");
  }
  return against;
}

std::string paced_range_text(const Evidence& e) {
  if (e.paced_range.name.empty()) return "";
  const bool is_all = 100 * e.paced_range.weight_ns >= 99 * e.paced_range.of_ns;
  return fmt::format(", {} of it before launches in {}", is_all ? "all" : "most",
                     short_name(e.paced_range.name));
}

// The end of such a gap: the launch is made, and the work has yet to start.
std::string launched_part_text(const Evidence& e) {
  const auto launched = std::ranges::find(e.idle_causes, IdleKind::kLaunched, &IdleCause::kind);
  if (launched == e.idle_causes.end()) return "";
  const std::int64_t most_ns = std::min(launched->inside_ns, paced_ns(e));
  if (20 * most_ns < paced_ns(e)) return "";
  return fmt::format(", and up to {} of it for launched work to start", duration_text(most_ns));
}

std::string pace_headline(const Evidence& e) {
  std::string text = fmt::format(
      "the host launches too slowly: {} idle {} waiting for the next launch{}{} (a "
      "computing kernel takes {} on average, median {}",
      e.device, part_text(e, paced_ns(e)), paced_range_text(e), launched_part_text(e),
      mean_duration_text(e.kernels.average_ns()), duration_text(e.median_kernel_ns));
  if (e.launches.apart_ns > 0) {
    text += fmt::format("; launches are {} apart, median", duration_text(e.launches.apart_ns));
  }
  if (e.launches.time.calls > 0) {
    text += fmt::format("; a launch call takes {}, median", duration_text(e.launches.median_ns));
  }
  return text + ")";
}

std::string_view pace_advice(const Evidence& e) {
  if (e.launches.use_graphs) {
    return "launch less often: graphs are used already, so put more of the step into them, or "
           "raise the batch size";
  }
  if (e.is_compiled) {
    return "launch less often: the model is compiled already, so capture the step in a graph, or "
           "raise the batch size";
  }
  if (e.paced_range.name.find("ptimizer") != std::string::npos) {
    return "launch less often: use the fused or grouped (foreach) form of the optimizer, or "
           "capture "
           "the step in a graph";
  }
  return "launch less often: capture the step in a graph, compile the model, or raise the batch "
         "size";
}

// "20 times per step", or "3 times" where that is less than once per step. No launch may come after
// the last time, so one is missing then.
std::string drains_text(const Evidence& e) {
  const std::uint64_t steps = e.summary.steps.size();
  const std::uint64_t gaps = e.drains.gaps;
  if (!e.summary.has_steps || gaps + 1 < steps) return counted(gaps, "time");
  const bool is_exact = gaps % steps == 0 || (gaps + 1) % steps == 0;
  const std::uint64_t each = (gaps + steps / 2) / steps;
  return fmt::format("{}{} per {}", is_exact ? "" : "about ",
                     each <= 1 ? "once" : counted(each, "time"), e.step_word());
}

}  // namespace

bool is_launch_bound(const Evidence& e) {
  const std::int64_t pace_ns = paced_ns(e);
  return e.kernels.calls > 0 && e.summary.waits.paced_gaps >= kEnoughGaps && !is_mostly_busy(e) &&
         2 * pace_ns >= e.idle_ns && e.share_of_ns(pace_ns) >= kPaceWorthTelling &&
         !is_drained(e) && !has_long_breaks(e) && !launches_block(e);
}

std::optional<Finding> launch_pace(const Evidence& e) {
  if (!is_launch_bound(e)) return {};
  const double share = e.share_of_ns(paced_ns(e));
  Finding finding{"device_idle_host_bound", weight_of(share, 0.3),       share,
                  pace_headline(e),         std::string(pace_advice(e)), against_pace(e)};
  add_other_causes(e, paced_ns(e), finding);
  return finding;
}

std::optional<Finding> queue_drained(const Evidence& e) {
  if (!is_drained(e)) return {};
  const std::int64_t idle_ns = drained_ns(e);
  const double share = e.share_of_ns(idle_ns);
  const IdleCause& largest = e.idle_causes.front();
  const bool has_main_part = 2 * largest.inside_ns >= e.idle_ns;
  Finding finding{
      "queue_drained", weight_of(share, kIdleMatters), share,
      fmt::format("the {} runs out of work {} because the host waits in {}{}: {} idle {} until the "
                  "host launches again{}",
                  e.device, drains_text(e), short_name(e.drains.call),
                  where_text(e.drains.inside, e.drains.source), e.device, part_text(e, idle_ns),
                  has_main_part ? ", mostly " + moment_text(largest) : ""),
      "read results back later, less often or without waiting: .item(), .cpu(), nonzero and shapes "
      "that depend on data all wait for the device"};
  if (e.drains.waited_ns < idle_ns) {
    finding.against.push_back(
        fmt::format("the host waits only {} in these calls: without them it would save no more "
                    "than that",
                    duration_text(e.drains.waited_ns)));
  }
  add_other_causes(e, idle_ns, finding);
  return finding;
}

}  // namespace strobe::analysis

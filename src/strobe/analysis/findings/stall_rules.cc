#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "strobe/analysis/findings/idle_rules.h"
#include "strobe/analysis/findings/idle_words.h"
#include "strobe/base/text.h"

// The host does not launch for a long time: it is stuck in one place, it stands still at changing
// places, or it works and launches nothing.
namespace strobe::analysis {
namespace {

using device::RuntimeCall;

// Of these causes, by time; only those worth telling.
template <class IsWanted>
std::vector<Stall> stalls_of(const Evidence& e, IsWanted is_wanted) {
  std::vector<Stall> stalls;
  for (const IdleCause& cause : e.idle_causes) {
    const Stall stall = stall_of(cause);
    if (is_wanted(cause) && e.share_of_ns(stall.ns) >= kWorthTelling) stalls.push_back(stall);
  }
  std::stable_sort(stalls.begin(), stalls.end(),
                   [](const Stall& a, const Stall& b) { return a.ns > b.ns; });
  return stalls;
}

std::string stall_headline(const Evidence& e, const Stall& stall) {
  return fmt::format("{} idle {} {}: {}{}", e.device, part_text(e, stall.ns),
                     moment_text(*stall.cause), times_text(stall), where_text(stall));
}

std::string copied_text(const Evidence& e, const Stall& stall) {
  const std::string direction = copy_direction_text(direction_of_calls(e));
  if (stall.cause->purpose != RuntimeCall::kCopy || direction.empty()) return "";
  return ", mostly " + direction;
}

// The device had run dry before: the host had waited for it.
std::string drained_before_text(const Evidence& e, const Stall& stall) {
  const bool is_most = 2 * std::min(e.drains.idle_ns, stall.ns) >= stall.ns &&
                       2 * e.drains.idle_ns >= e.idle_ns && 3 * e.drains.waited_ns >= stall.ns;
  if (!is_most || e.drains.call.empty()) return "";
  return fmt::format("; the {} had run out of work before, because the host waited in {}{}",
                     e.device, short_name(e.drains.call),
                     where_text(e.drains.inside, e.drains.source));
}

void add_against(const Evidence& e, const Stall& stall, Finding& finding) {
  const IdleCause& cause = *stall.cause;
  add_warm_up(e, cause, finding);
  if (cause.purpose == RuntimeCall::kSynchronize) {
    finding.against.push_back(fmt::format(
        "the host waits for the {}, but no work of this trace runs on it: another process may use "
        "it",
        e.device));
  }
  if (!stall.is_once && cause.outside_ns() > cause.gaps.total_ns / 10) {
    finding.against.push_back(
        fmt::format("another {} of it is outside {}: the times given here include it",
                    duration_text(cause.outside_ns()), e.steps_text()));
  }
}

// Many long gaps hold most of the idle time, at many places that normally take microseconds.
bool stands_still(const Evidence& e) {
  constexpr std::uint64_t kManyGaps = 10;
  constexpr std::uint64_t kManyPlaces = 4;
  const LongGaps& gaps = e.device_time.long_gaps;
  const StalledPlaces& stalled = e.stalled;
  return gaps.gaps >= kManyGaps && 2 * gaps.inside_ns >= e.idle_ns &&
         e.share_of_ns(gaps.inside_ns) >= kWorthTelling && stalled.short_places >= kManyPlaces &&
         2 * stalled.short_inside_ns >= stalled.inside_ns &&
         2 * stalled.largest_ns <= stalled.inside_ns;
}

// Time of causes that other rules explain.
std::int64_t explained_ns(const Evidence& e) {
  std::int64_t sum_ns = 0;
  for (const IdleCause& cause : e.idle_causes) {
    const bool has_own_rule = cause.kind == IdleKind::kDataLoading ||
                              cause.kind == IdleKind::kLaunched ||
                              cause.kind == IdleKind::kOverhead;
    sum_ns += has_own_rule ? cause.inside_ns : stall_of(cause).ns;
  }
  return sum_ns;
}

}  // namespace

std::optional<Finding> blocking_call(const Evidence& e) {
  const bool no_launch_blocks = stands_still(e);  // a launch is as good a place as any then
  const auto stalls = stalls_of(e, [&](const IdleCause& cause) {
    const bool is_launch = cause.purpose == RuntimeCall::kLaunch;
    return cause.kind == IdleKind::kRuntimeCall && !(is_launch && no_launch_blocks);
  });
  if (stalls.empty()) return {};
  const Stall& worst = stalls.front();
  const double share = e.share_of_ns(worst.ns);
  Finding finding{"blocking_call", weight_of(share, kIdleMatters), share,
                  stall_headline(e, worst) + copied_text(e, worst), blocking_advice(e, worst)};
  add_against(e, worst, finding);
  std::int64_t named_ns = worst.ns;
  if (stalls.size() > 1) {
    named_ns += stalls[1].ns;
    finding.headline += fmt::format("; another {} {}", share_text(e.share_of_ns(stalls[1].ns)),
                                    cause_text(*stalls[1].cause));
  }
  add_other_causes(e, named_ns, finding);
  return finding;
}

std::optional<Finding> idle_in_host_code(const Evidence& e) {
  if (stands_still(e)) return {};
  const auto stalls = stalls_of(e, [](const IdleCause& cause) { return is_host_code(cause.kind); });
  if (stalls.empty()) return {};
  const Stall& worst = stalls.front();
  const double share = e.share_of_ns(worst.ns);
  const bool is_unknown = worst.cause->kind == IdleKind::kNothing;
  Finding finding{"idle_in_host_code",
                  is_unknown ? FindingWeight::kWorthALook : weight_of(share, kIdleMatters), share,
                  stall_headline(e, worst) + drained_before_text(e, worst),
                  host_code_advice(worst.cause->kind)};
  add_against(e, worst, finding);
  add_other_causes(e, worst.ns, finding);
  return finding;
}

std::optional<Finding> host_stalls(const Evidence& e) {
  if (!stands_still(e)) return {};
  const LongGaps& gaps = e.device_time.long_gaps;
  const double share = e.share_of_ns(gaps.inside_ns);
  Finding finding{
      "host_stalls", weight_of(share, kIdleMatters), share,
      fmt::format("the host stands still: {} idle {} in {} gaps of typically {}, {} of the idle "
                  "time, at {} different places that mostly take microseconds otherwise",
                  e.device, part_text(e, gaps.inside_ns), count_text(gaps.gaps),
                  duration_text(gaps.median_ns), share_text(ratio_ns(gaps.inside_ns, e.idle_ns)),
                  count_text(e.stalled.places)),
      "no code of the step explains it: look for other processes on the cores, limits of the "
      "container, the interpreter's lock and garbage collection"};
  if (2 * gaps.in_first_step_ns >= gaps.inside_ns) {
    finding.against.push_back(
        fmt::format("most of it lies in the first {}: it may be warm-up", e.step_word()));
  }
  return finding;
}

std::optional<Finding> work_without_launches(const Evidence& e) {
  const LongGaps& gaps = e.device_time.long_gaps;
  const std::int64_t idle_ns = std::max<std::int64_t>(0, gaps.inside_ns - explained_ns(e));
  const double share = e.share_of_ns(idle_ns);
  if (gaps.gaps == 0 || stands_still(e) || 2 * idle_ns < e.idle_ns || share < kWorthTelling) {
    return {};
  }
  return Finding{
      "work_without_launches", weight_of(share, kIdleMatters), share,
      fmt::format("{} idle {} in {} of typically {}, in which the host works at many places and "
                  "launches nothing: {}",
                  e.device, part_text(e, idle_ns), counted(gaps.gaps, "gap"),
                  duration_text(gaps.median_ns), largest_causes_text(e)),
      "this looks like work of the processor, such as preparing data: move it to other threads or "
      "processes, or onto the device, or do it while the device works"};
}

}  // namespace strobe::analysis

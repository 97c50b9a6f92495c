#include "strobe/analysis/findings/idle_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

using device::CopyDirection;
using device::RuntimeCall;

constexpr std::int64_t kLongCallNs = 50'000;  // a call that does not block is much shorter

bool is_call_that_may_block(const IdleCause& cause) {
  return cause.kind == IdleKind::kRuntimeCall && cause.purpose != RuntimeCall::kLaunch;
}

// Whether the stretches of a cause are about equally long: then their number and average say
// something.
bool are_alike(const IdleCause& cause) {
  const TimeStat& gaps = cause.gaps;
  const bool is_one_stretch_each = 10 * gaps.max_ns <= 11 * cause.longest.length_ns();
  return gaps.calls > 1 && is_one_stretch_each && 4 * gaps.min_ns >= gaps.max_ns;
}

// A single long stretch outside of all steps says nothing about those inside.
double average_inside_ns(const IdleCause& cause) {
  const TimeStat& gaps = cause.gaps;
  if (cause.longest_inside_ns > 0 || gaps.calls < 2) return gaps.average_ns();
  return static_cast<double>(gaps.total_ns - cause.longest.length_ns()) /
         static_cast<double>(gaps.calls - 1);
}

std::string copy_advice(const Evidence& e) {
  const CopyDirection direction = direction_of_calls(e);
  const bool is_pinned = is_mostly_pinned(e.copies[static_cast<std::size_t>(direction)]);
  const std::string_view read_less = "keep the data on the device and read results back less often";
  if (direction == CopyDirection::kDeviceToHost) {
    return std::string(is_pinned ? "the host memory is pinned already: copy without blocking and "
                                   "wait where the result is needed, or "
                                 : "read results back into pinned memory without blocking, or ") +
           std::string(read_less);
  }
  if (is_pinned) {
    return "the host memory is pinned already: copy without blocking (non_blocking=True), on a "
           "stream of its own, before the data is needed";
  }
  std::string advice =
      "pin the host memory and copy without blocking (pin_memory, non_blocking=True)";
  if (direction == CopyDirection::kUnknown) advice += ", or " + std::string(read_less);
  return advice;
}

// A line of the script is not at itself.
std::string idle_place_text(const IdleCause& cause, const IdlePlace& place) {
  return where_text(place.inside, place.source == cause.name ? "" : place.source);
}

template <class Time>
CopyDirection direction_with_most(const Evidence& e, Time time_of) {
  const auto most = std::max_element(
      std::begin(e.copies), std::end(e.copies),
      [&](const CopyTimes& a, const CopyTimes& b) { return time_of(a) < time_of(b); });
  if (time_of(*most) == 0) return CopyDirection::kUnknown;
  return static_cast<CopyDirection>(most - std::begin(e.copies));
}

}  // namespace

Stall stall_of(const IdleCause& cause) {
  const std::int64_t long_from_ns = is_call_that_may_block(cause) ? kLongCallNs : kStallNs;
  if (cause.longest.length_ns() < long_from_ns) return {&cause, 0, false};
  const std::int64_t longest_ns = std::min(cause.longest_inside_ns, cause.inside_ns);
  const bool is_one = 20 * longest_ns >= 19 * cause.inside_ns;
  if (longest_ns >= long_from_ns && is_one) return {&cause, longest_ns, true};
  if (average_inside_ns(cause) >= static_cast<double>(long_from_ns)) {
    return {&cause, cause.inside_ns, false};
  }
  return longest_ns >= kStallNs ? Stall{&cause, longest_ns, true} : Stall{&cause, 0, false};
}

std::int64_t idle_ns_of(const StepRow& step) {
  std::int64_t idle_ns = 0;
  for (const StepLabel label :
       {StepLabel::kRuntime, StepLabel::kDataLoader, StepLabel::kHost, StepLabel::kIdle}) {
    idle_ns += step.label_ns[static_cast<std::size_t>(label)];
  }
  return idle_ns;
}

bool is_host_code(IdleKind kind) {
  return kind == IdleKind::kOperator || kind == IdleKind::kRange || kind == IdleKind::kScript ||
         kind == IdleKind::kNothing;
}

bool is_mostly_busy(const Evidence& e) { return e.use.share() > 0.8; }

std::string cause_text(const IdleCause& cause) {
  switch (cause.kind) {
    case IdleKind::kOverhead:
      return "held up by the profiler itself (" + short_name(cause.name) + ")";
    case IdleKind::kRuntimeCall:
      return "in " + short_name(cause.name);
    case IdleKind::kDataLoading:
      return "in data loading";
    case IdleKind::kOperator:
      return "in the operator " + short_name(cause.name);
    case IdleKind::kRange:
      return "in the range " + short_name(cause.name);
    case IdleKind::kScript:
      return "in " + short_source(cause.name);
    case IdleKind::kNothing:
      return "in code that was not recorded";
    case IdleKind::kLaunched:
      break;
  }
  return "after the next work was launched";
}

std::string moment_text(const IdleCause& cause) {
  return cause.kind == IdleKind::kLaunched ? cause_text(cause)
                                           : "while the host is " + cause_text(cause);
}

std::string where_text(const std::string& inside, const std::string& source) {
  std::string text;
  if (!inside.empty()) text += " in " + short_name(inside);
  if (!source.empty()) text += " at " + short_source(source);
  return text.empty() ? text : "," + text;
}

std::string where_text(const IdleCause& cause) {
  const std::string place = idle_place_text(cause, cause.main_place);
  if (place.empty() || 100 * cause.at_main_ns >= 99 * cause.inside_ns) return place;
  const bool is_most = 2 * cause.at_main_ns > cause.inside_ns;
  return (is_most ? ", mostly" : ", partly") + place.substr(1);
}

std::string where_text(const Stall& stall) {
  return stall.is_once ? idle_place_text(*stall.cause, stall.cause->longest_place)
                       : where_text(*stall.cause);
}

std::string times_text(const Stall& stall) {
  const TimeStat& gaps = stall.cause->gaps;
  const std::string longest = duration_text(stall.cause->longest.length_ns());
  if (stall.is_once) return "once for " + longest;
  if (!are_alike(*stall.cause)) return fmt::format("up to {} at once", longest);
  return fmt::format("{} times, {} on average, {} at most", count_text(gaps.calls),
                     mean_duration_text(gaps.average_ns()), longest);
}

std::string largest_causes_text(const Evidence& e) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  std::int64_t others_ns = e.idle_ns;
  bool names_the_host = false;
  for (std::size_t i = 0; i < std::min(kNamed, e.idle_causes.size()); ++i) {
    const IdleCause& cause = e.idle_causes[i];
    text += fmt::format(
        "{}{} {}{}", i == 0 ? "" : ", ", share_text(ratio_ns(cause.inside_ns, e.idle_ns)),
        i == 0 ? "of the idle time " : "", names_the_host ? cause_text(cause) : moment_text(cause));
    names_the_host = names_the_host || cause.kind != IdleKind::kLaunched;
    others_ns -= cause.inside_ns;
  }
  if (e.idle_causes.size() > kNamed && others_ns > 0) {
    text += fmt::format(", {} for other reasons", share_text(ratio_ns(others_ns, e.idle_ns)));
  }
  return text;
}

void add_other_causes(const Evidence& e, std::int64_t explained_ns, Finding& finding) {
  const double other = ratio_ns(e.idle_ns - explained_ns, e.idle_ns);
  if (other < 0.2) return;
  finding.against.push_back(share_text(other) + " of the idle time has other causes");
}

void add_warm_up(const Evidence& e, const IdleCause& cause, Finding& finding) {
  if (!e.summary.has_steps || e.summary.steps.size() < 2) return;
  const StepRow& first = e.summary.steps.front();
  const bool starts_there = cause.longest.start_ns >= first.interval.start_ns &&
                            cause.longest.end_ns <= first.interval.end_ns;
  if (!starts_there) return;
  const bool is_most_of_cause = 2 * cause.longest.length_ns() >= cause.inside_ns;
  const std::int64_t first_idle_ns = idle_ns_of(first);
  const bool is_most_idle = 2 * first_idle_ns >= e.idle_ns && 2 * first_idle_ns >= cause.inside_ns;
  if (!is_most_of_cause && !is_most_idle) return;
  finding.against.push_back(
      fmt::format("most of it lies in the first {}: it may be warm-up", e.step_word()));
}

std::string blocking_advice(const Evidence& e, const Stall& stall) {
  switch (stall.cause->purpose) {
    case RuntimeCall::kCopy:
      return copy_advice(e);
    case RuntimeCall::kSynchronize:
      return "remove the synchronisation or move it to where its result is needed: .item(), "
             "printing a tensor and shapes that depend on data all wait for the device";
    case RuntimeCall::kAllocate:
    case RuntimeCall::kFree:
      return "allocate once and use the memory again: a caching allocator, or buffers of the "
             "largest size from the start";
    case RuntimeCall::kLaunch:
    case RuntimeCall::kLoadCode:
      return "the first use of a kernel loads its code: run a few steps before the recording "
             "starts, or load all code at the start";
    case RuntimeCall::kOther:
      break;
  }
  return stall.is_once || stall.cause->gaps.calls <= 2
             ? "this looks like initialisation: run a few steps before the recording starts"
             : "find out who calls it in the step, and call it once, before the steps";
}

std::string host_code_advice(IdleKind kind) {
  return kind == IdleKind::kNothing
             ? "record interpreter frames, or mark ranges in the script, to see what ran there"
             : "make this code shorter, move it to another thread, or launch the next work before "
               "it";
}

std::string copy_direction_text(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kHostToDevice:
      return "host to device";
    case CopyDirection::kDeviceToHost:
      return "device to host";
    case CopyDirection::kBetweenDevices:
      return "device to device";
    case CopyDirection::kUnknown:
      break;
  }
  return "";
}

CopyDirection direction_of_calls(const Evidence& e) {
  return direction_with_most(e, [](const CopyTimes& copies) { return copies.call_ns; });
}

CopyDirection direction_of_copies(const Evidence& e) {
  return direction_with_most(e, [](const CopyTimes& copies) { return copies.device_ns; });
}

bool is_mostly_pinned(const CopyTimes& copies) { return 2 * copies.pinned_ns > copies.device_ns; }

}  // namespace strobe::analysis

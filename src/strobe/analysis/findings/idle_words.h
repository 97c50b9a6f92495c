#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/analysis/findings/finding_rules.h"

// Stalls of the host, and the words for causes of idle time.
namespace strobe::analysis {

inline constexpr double kWorthTelling = 0.05;  // share of the steps, or of the trace without them
inline constexpr double kIdleMatters = 0.15;
inline constexpr double kPaceWorthTelling = 0.2;

// The part of an idle cause in which the host was stuck, not merely busy between launches.
struct Stall {
  const IdleCause* cause = nullptr;
  std::int64_t ns = 0;  // inside steps, or the trace without them
  bool is_once = false;
};
Stall stall_of(const IdleCause& cause);

bool is_host_code(IdleKind kind);

// The device works for most of the span. Idle time in the steps is little then: the host has left
// them long before the device is done.
bool is_mostly_busy(const Evidence& evidence);

// Idle time of all causes in a step.
std::int64_t idle_ns_of(const StepRow& step);

// "in the operator aten::sort", "in xMalloc"
std::string cause_text(const IdleCause& cause);
// "while the host is in xMalloc"
std::string moment_text(const IdleCause& cause);
// ", in aten::copy_ at train.py(31): step", as far as both are known.
std::string where_text(const std::string& inside, const std::string& source);
// The same for the place with most of the time: ", mostly in aten::copy_" if there are others.
std::string where_text(const IdleCause& cause);
std::string where_text(const Stall& stall);
// "5 times, 143 ms on average, 147 ms at most" if all of them are alike, else "up to 147 ms at
// once".
std::string times_text(const Stall& stall);
// "30.3 % of the idle time while the host is in the operator aten::add, 24.2 % in xLaunchKernel,
// 45.5 % for other reasons"
std::string largest_causes_text(const Evidence& evidence);

// Tells if a large part of the idle time is not explained by what the finding names.
void add_other_causes(const Evidence& evidence, std::int64_t explained_ns, Finding& finding);
// Tells if most of a cause lies in the first of several steps.
void add_warm_up(const Evidence& evidence, const IdleCause& cause, Finding& finding);

// What to do about a call that blocks.
std::string blocking_advice(const Evidence& evidence, const Stall& stall);
std::string host_code_advice(IdleKind kind);

// "host to device" for the copies that the host spent most time on, "" if unknown.
std::string copy_direction_text(device::CopyDirection direction);
device::CopyDirection direction_of_calls(const Evidence& evidence);
device::CopyDirection direction_of_copies(const Evidence& evidence);
bool is_mostly_pinned(const CopyTimes& copies);

}  // namespace strobe::analysis

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/base/result.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// A range of step numbers. Both ends are included; a missing end is unbounded.
struct NumberRange {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  bool operator==(const NumberRange&) const = default;
};

// A:B, A:, :B, or A alone; `where` names the flag or parameter in errors.
Result<NumberRange> number_range(std::string_view where, std::string_view typed);

// One training or inference step of one process, or a cycle that was found in its place.
struct Step {
  StringId name;                       // invalid for a cycle without a range of its own
  std::optional<std::int64_t> number;  // n of "...#n" and of "cycle n"
  StringId process;                    // invalid: every process takes part
  Interval interval;
  std::vector<SliceId> slices = {};  // several when threads repeat the same step
};

// "ProfilerStep#7", or "cycle 7" for a cycle without a range; "" for neither.
std::string name_of(const Trace& trace, const Step& step);

// The marked steps, by start. Slices of one process and name that overlap are one step.
std::vector<Step> list_steps(const Trace& trace);

struct StepSelection {  // positions in the list of steps, both inclusive, from 0
  std::size_t first = 0;
  std::size_t last = static_cast<std::size_t>(-1);
};

// The steps with these numbers, as in the steps' names when all are numbered, else positions from
// 0; `where` names the flag or parameter in errors.
Result<StepSelection> choose_steps(const std::vector<Step>& steps, NumberRange range,
                                   std::string_view where = "--steps");

// Every nanosecond of a step has exactly one label: what the device did, or why it was idle.
enum class StepLabel : std::uint8_t {
  kKernel,
  kCommunication,
  kMemcpy,
  kMemset,  // device busy
  kRuntime,
  kDataLoader,
  kHost,  // device idle while the host was in a runtime call, loading data, in other work
  kIdle,  // neither side recorded anything
};
inline constexpr int kStepLabels = static_cast<int>(StepLabel::kIdle) + 1;
std::string_view word_of(StepLabel label);

struct StepRow {
  std::string name;
  Interval interval;
  std::int64_t label_ns[kStepLabels] = {};  // sums to interval.length_ns()
  std::int64_t kernel_ns = 0;               // launched in the step, streams added up
  std::int64_t device_ns = 0;
};

// Finds the step at a time.
class StepFinder {
 public:
  // `steps` by start, as list_steps gives them; they must outlive the finder.
  explicit StepFinder(const std::vector<Step>& steps);

  // The latest-starting step that is open at the time and that this process takes part in (any
  // process if invalid); null if there is none.
  const Step* at(std::int64_t time_ns, StringId process = {}) const;

 private:
  const std::vector<Step>* steps_;
  std::vector<std::int64_t> latest_ends_ns_;  // latest end of this step and all before
};

}  // namespace strobe::analysis

#include "strobe/analysis/steps/steps.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include "strobe/analysis/timeline/row_index.h"

namespace strobe::analysis {
namespace {

std::optional<std::int64_t> number_of(std::string_view name) {
  const std::size_t mark = name.rfind('#');
  if (mark == std::string_view::npos) return std::nullopt;
  const char* begin = name.data() + mark + 1;
  const char* end = name.data() + name.size();
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::vector<SliceId> step_slices(const Trace& trace) {
  const auto& kinds = trace.slices().kinds;
  std::vector<SliceId> found;
  for (auto at = kinds.begin(); (at = std::find(at, kinds.end(), SliceKind::kStep)) != kinds.end();
       ++at) {
    found.push_back(SliceId(static_cast<std::size_t>(at - kinds.begin())));
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](SliceId a, SliceId b) { return trace.start_ns(a) < trace.start_ns(b); });
  return found;
}

constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();

std::string range_text(std::int64_t first, std::int64_t last) {
  if (first == last) return "step " + std::to_string(first);
  if (last == kNoEnd) return "step " + std::to_string(first) + " or later";
  return "steps " + std::to_string(first) + " to " + std::to_string(last);
}

Error no_such_steps(std::string what, std::string_view where, std::int64_t first_known,
                    std::int64_t last_known) {
  return Error{ErrorCode::kInvalidArgument, std::move(what), std::string(where),
               "the trace has " + range_text(first_known, last_known)};
}

}  // namespace

std::vector<Step> list_steps(const Trace& trace) {
  constexpr std::size_t kNoStep = static_cast<std::size_t>(-1);
  std::vector<Step> steps;
  PairRows rows;
  std::vector<std::size_t> latest;  // per row: its last step
  for (const SliceId slice : step_slices(trace)) {
    const StringId name = trace.slices().names[slice.index()];
    const StringId process = trace.track(slice).process;
    const Interval interval = trace.interval(slice);
    // Slices come by start, so only the latest step of this name can still be open.
    const std::size_t row = rows.row_of(name.value, process.value);
    if (row == latest.size()) latest.push_back(kNoStep);
    if (latest[row] != kNoStep && interval.start_ns < steps[latest[row]].interval.end_ns) {
      Step& same = steps[latest[row]];
      same.interval.end_ns = std::max(same.interval.end_ns, interval.end_ns);
      same.slices.push_back(slice);
      continue;
    }
    latest[row] = steps.size();
    steps.push_back({name, number_of(trace.strings()[name]), process, interval, {slice}});
  }
  return steps;
}

Result<StepSelection> find_steps(const Trace& trace, NumberRange range, std::string_view where) {
  const auto [first, last] = range;
  const std::vector<Step> steps = list_steps(trace);
  if (steps.empty()) {
    return Error{ErrorCode::kInvalidArgument, "the trace has no steps to choose from",
                 std::string(where), "leave " + std::string(where) + " out to see the whole trace"};
  }
  const bool are_numbered =
      std::all_of(steps.begin(), steps.end(), [](const Step& step) { return step.number; });
  const auto number_at = [&](std::size_t position) {
    return are_numbered ? *steps[position].number : static_cast<std::int64_t>(position);
  };
  std::int64_t lowest = number_at(0);
  std::int64_t highest = lowest;
  std::optional<StepSelection> found;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t number = number_at(i);
    lowest = std::min(lowest, number);
    highest = std::max(highest, number);
    if (number < first || number > last) continue;
    if (!found) found = StepSelection{i, i};
    found->last = i;
  }
  if (first > last) {
    return no_such_steps(std::to_string(first) + " to " + std::to_string(last) +
                             " is no range of steps: its first number is above its last",
                         where, lowest, highest);
  }
  if (!found)
    return no_such_steps("the trace has no " + range_text(first, last), where, lowest, highest);
  return *found;
}

}  // namespace strobe::analysis

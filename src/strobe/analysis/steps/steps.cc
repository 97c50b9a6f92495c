#include "strobe/analysis/steps/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "strobe/base/row_index.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

Error bad_value(std::string_view where, std::string what, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::string(where),
          .hint = std::move(hint)};
}

}  // namespace

Result<NumberRange> number_range(std::string_view where, std::string_view typed) {
  const std::string hint = "write A:B, A:, :B or A, such as 10:20";
  const std::size_t colon = typed.find(':');
  const std::string_view first = typed.substr(0, colon);
  const std::string_view last = colon == std::string_view::npos ? first : typed.substr(colon + 1);
  NumberRange range;
  if (!first.empty()) {
    const auto number = parse_whole_number(first);
    if (!number || *number < 0) {
      return bad_value(where, fmt::format("'{}' is not a step number", first), hint);
    }
    range.first = *number;
  }
  if (!last.empty()) {
    const auto number = parse_whole_number(last);
    if (!number || *number < 0) {
      return bad_value(where, fmt::format("'{}' is not a step number", last), hint);
    }
    range.last = *number;
  }
  if (first.empty() && last.empty()) {
    return bad_value(where, fmt::format("'{}' names no step", typed), hint);
  }
  if (range.first > range.last) {
    return bad_value(
        where, fmt::format("'{}' is empty: {} comes after {}", typed, range.first, range.last),
        fmt::format("did you mean {}:{}?", range.last, range.first));
  }
  return range;
}

namespace {

// "ProfilerStep#12", or "step 12" of a recording.
std::optional<std::int64_t> number_of(std::string_view name) {
  const std::size_t mark = name.rfind('#');
  const std::size_t last_sign =
      mark != std::string_view::npos ? mark : name.find_last_not_of("0123456789");
  return parse_whole_number(name.substr(last_sign + 1));
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

std::string name_of(const Trace& trace, const Step& step) {
  if (step.name.valid()) return std::string(trace.strings()[step.name]);
  return step.number ? fmt::format("cycle {}", *step.number) : "";
}

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

Result<StepSelection> choose_steps(const std::vector<Step>& steps, NumberRange range,
                                   std::string_view where) {
  const auto [first, last] = range;
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
  if (!found)
    return no_such_steps("the trace has no " + range_text(first, last), where, lowest, highest);
  return *found;
}

StepFinder::StepFinder(const std::vector<Step>& steps) : steps_(&steps) {
  std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();
  for (const Step& step : steps) {
    latest_ns = std::max(latest_ns, step.interval.end_ns);
    latest_ends_ns_.push_back(latest_ns);
  }
}

const Step* StepFinder::at(std::int64_t time_ns, StringId process) const {
  const auto after = std::upper_bound(
      steps_->begin(), steps_->end(), time_ns,
      [](std::int64_t time, const Step& step) { return time < step.interval.start_ns; });
  for (auto i = static_cast<std::size_t>(after - steps_->begin()); i-- > 0;) {
    if (latest_ends_ns_[i] <= time_ns) break;
    const Step& step = (*steps_)[i];
    const bool takes_part = !process.valid() || !step.process.valid() || step.process == process;
    if (takes_part && time_ns < step.interval.end_ns) return &step;
  }
  return nullptr;
}

}  // namespace strobe::analysis

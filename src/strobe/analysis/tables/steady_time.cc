#include "strobe/analysis/tables/steady_time.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "strobe/analysis/tables/tables.h"
#include "strobe/base/row_index.h"
#include "strobe/device/vendor_names.h"

namespace strobe::analysis {
namespace {

constexpr std::size_t kLeastSteadySteps = 4;
constexpr double kLongStartUp = 0.1;    // of the span
constexpr double kShortStartUp = 0.02;  // changes no verdict

double share_of_time(std::int64_t part_ns, std::int64_t whole_ns) {
  return whole_ns == 0 ? 0.0 : static_cast<double>(part_ns) / static_cast<double>(whole_ns);
}

bool is_one_off(device::RuntimeCall purpose) {
  using device::RuntimeCall;
  return purpose == RuntimeCall::kLoadCode || purpose == RuntimeCall::kAllocate ||
         purpose == RuntimeCall::kFree || purpose == RuntimeCall::kOther;
}

// From where on a trace without steps runs steadily.
std::optional<std::int64_t> steady_start_ns(const Trace& trace, const Summary& summary) {
  const auto& slices = trace.slices();
  OncePerName purpose_of(trace.strings(), device::runtime_call);
  std::vector<Interval> calls;
  std::vector<Interval> works;
  for (std::uint32_t row = 0; row < slices.size(); ++row) {
    const SliceKind kind = slices.kinds[row];
    if (is_device_work(kind)) works.push_back(trace.interval(SliceId(row)));
    if (kind == SliceKind::kRuntimeCall && is_one_off(purpose_of(slices.names[row]))) {
      calls.push_back(trace.interval(SliceId(row)));
    }
  }
  return find_steady_start_ns(summary.extent, union_of(std::move(calls)),
                              union_of(std::move(works)));
}

// Where a start-up that matters ends.
std::optional<std::int64_t> start_up_end_ns(const Trace& trace, const Summary& summary) {
  const bool has_device = !summary.devices.empty();
  if (!summary.has_steps) return has_device ? steady_start_ns(trace, summary) : std::nullopt;
  const std::int64_t end_ns = summary.warm_up.end_ns;
  const double share = share_of_time(end_ns - summary.extent.start_ns, summary.extent.length_ns());
  const bool is_warm_up = summary.warm_up.cycles > 0 && share >= kShortStartUp;
  if (!is_warm_up && (share < kLongStartUp || !has_device)) return {};
  return end_ns;
}

// The summary's span from the end of the start-up on.
IntervalSet span_after(const Summary& summary, std::int64_t start_up_end_ns) {
  const bool has_holes = summary.span_ns < summary.extent.length_ns();
  const IntervalSet span =
      has_holes ? union_of(summary.selected_steps) : IntervalSet{summary.extent};
  return intersection_of(span, {{start_up_end_ns, summary.extent.end_ns}});
}

bool has_too_few_steps(const Summary& summary, std::int64_t start_up_end_ns) {
  const auto is_steady = [&](Interval step) {
    return step.start_ns >= start_up_end_ns && step.end_ns <= summary.extent.end_ns;
  };
  const auto steps = std::ranges::count_if(summary.selected_steps, is_steady);
  return summary.has_steps && steps < static_cast<std::ptrdiff_t>(kLeastSteadySteps);
}

std::int64_t kernel_busy_ns(const std::vector<DeviceRow>& devices) {
  std::int64_t sum_ns = 0;
  for (const DeviceRow& device : devices) sum_ns += device.kernel_busy_ns;
  return sum_ns;
}

// Before the first step a program may compute something else, as long as it likes. Copies are part
// of a start: they bring the weights.
bool computes_before(const IntervalSet& steady, const AttributedTrace& whole,
                     const Summary& summary) {
  const std::int64_t steady_ns = total_ns(steady);
  const std::int64_t works_ns = kernel_busy_ns(list_devices(whole, steady));
  const std::int64_t before_ns = kernel_busy_ns(summary.devices) - works_ns;
  return 2 * share_of_time(before_ns, summary.span_ns - steady_ns) >
         share_of_time(works_ns, steady_ns);
}

}  // namespace

std::optional<IntervalSet> find_steady_time(const AttributedTrace& whole, const Summary& summary) {
  const std::optional<std::int64_t> end_ns = start_up_end_ns(whole.trace, summary);
  if (!end_ns || has_too_few_steps(summary, *end_ns)) return {};
  IntervalSet steady = span_after(summary, *end_ns);
  if (summary.warm_up.cycles == 0 && computes_before(steady, whole, summary)) return {};
  return steady;
}

}  // namespace strobe::analysis

#include "strobe/analysis/findings/finding_evidence.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/analysis/findings/finding_text.h"

namespace strobe::analysis {
namespace {

enum class CallSort : std::uint8_t { kUnknown, kOther, kLaunch, kWait };

CallSort sort_of(std::string_view name) {
  if (name.find("Synchronize") != std::string_view::npos) return CallSort::kWait;
  if (name.find("Launch") != std::string_view::npos) return CallSort::kLaunch;
  return CallSort::kOther;
}

bool lies_in(const Interval& interval, std::int64_t time_ns) {
  return time_ns >= interval.start_ns && time_ns < interval.end_ns;
}

void gather_slices(Evidence& evidence) {
  const Trace& trace = evidence.trace;
  const auto& slices = trace.slices();
  std::vector<CallSort> sorts(trace.strings().size());
  std::vector<std::int64_t> call_ns(trace.strings().size());
  std::vector<std::int64_t> kernel_durations_ns;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if ((slices.flags[row] & kUnfinished) != 0) ++evidence.unfinished_slices;
    const SliceKind kind = slices.kinds[row];
    evidence.has_operators = evidence.has_operators || kind == SliceKind::kOperator;
    if (kind != SliceKind::kRuntimeCall && !is_device_work(kind)) continue;
    if (!lies_in(evidence.summary.extent, slices.starts_ns[row])) continue;
    const std::int64_t duration_ns = slices.durations_ns[row];
    if (is_device_work(kind)) {
      ++evidence.device_slices;
      if (kind == SliceKind::kKernel) kernel_durations_ns.push_back(duration_ns);
      continue;
    }
    CallSort& sort = sorts[slices.names[row].index()];
    if (sort == CallSort::kUnknown) sort = sort_of(trace.strings()[slices.names[row]]);
    if (sort == CallSort::kLaunch) evidence.launches.time.add(duration_ns);
    if (sort == CallSort::kWait) evidence.waits.time.add(duration_ns);
    call_ns[slices.names[row].index()] += duration_ns;
  }
  std::int64_t longest_launch_ns = -1;
  std::int64_t longest_wait_ns = -1;
  for (std::size_t name = 0; name < sorts.size(); ++name) {
    CallTotals* totals = nullptr;
    std::int64_t* longest_ns = nullptr;
    if (sorts[name] == CallSort::kLaunch) {
      totals = &evidence.launches;
      longest_ns = &longest_launch_ns;
    } else if (sorts[name] == CallSort::kWait) {
      totals = &evidence.waits;
      longest_ns = &longest_wait_ns;
    }
    if (totals == nullptr || call_ns[name] <= *longest_ns) continue;
    *longest_ns = call_ns[name];
    totals->longest = std::string(trace.strings()[StringId(name)]);
  }
  for (const std::int64_t duration_ns : kernel_durations_ns) {
    evidence.kernels.add(duration_ns);
    if (duration_ns < kTinyKernelNs) evidence.tiny_kernels.add(duration_ns);
  }
  if (!kernel_durations_ns.empty()) {
    const auto middle =
        kernel_durations_ns.begin() + static_cast<std::ptrdiff_t>(kernel_durations_ns.size() / 2);
    std::nth_element(kernel_durations_ns.begin(), middle, kernel_durations_ns.end());
    evidence.median_kernel_ns = *middle;
  }
}

}  // namespace

double Evidence::share_of(StepLabel label) const {
  return labelled_ns == 0 ? 0.0
                          : static_cast<double>(label_ns[static_cast<std::size_t>(label)]) /
                                static_cast<double>(labelled_ns);
}

double Evidence::launching_share() const {
  return share_of(StepLabel::kRuntime) + share_of(StepLabel::kHost);
}

std::string Evidence::whole_text() const {
  if (!summary.has_steps) return "the trace";
  return summary.steps.size() == 1 ? "the step"
                                   : "the " + count_text(summary.steps.size()) + " steps";
}

Evidence gather_evidence(const Trace& trace, const Summary& summary) {
  Evidence evidence(trace, summary);
  for (const StepRow& step : summary.steps) {
    evidence.labelled_ns += step.interval.length_ns();
    for (std::size_t i = 0; i < kStepLabels; ++i) evidence.label_ns[i] += step.label_ns[i];
  }
  evidence.use = device_use(summary);
  gather_slices(evidence);
  return evidence;
}

}  // namespace strobe::analysis

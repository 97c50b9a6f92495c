#include "strobe/analysis/timeline/slice_details.h"

#include <algorithm>

#include "strobe/analysis/timeline/selection.h"

namespace strobe::analysis {
namespace {

std::vector<SliceId> ancestors_of(const Timeline& timeline, SliceId slice, std::uint32_t own_row) {
  const Trace& trace = timeline.trace();
  const Interval own = trace.interval(slice);
  std::vector<SliceId> ancestors;
  for (const TimelineRow& row : timeline.rows_of(trace.slices().tracks[slice.index()])) {
    if (row.row == own_row) break;
    // The last slice of the row to start by then: an earlier one has ended.
    const std::uint32_t after = timeline.first_from(row, own.start_ns + 1);
    if (after > row.begin && timeline.end_ns(after - 1) >= own.end_ns &&
        timeline.end_ns(after - 1) > own.start_ns) {
      ancestors.push_back(timeline.slice(after - 1));
    }
  }
  return ancestors;
}

const Step* step_of(const Trace& trace, const SliceLinks& links, const StepFinder& steps,
                    SliceId slice) {
  const SliceId call = links.call_of(slice);
  const SliceId judged = call.valid() ? call : slice;
  const bool is_on_host = !is_on_device(trace.kind(judged));
  return steps.at(trace.start_ns(judged), is_on_host ? trace.track(judged).process : StringId());
}

// Work may start before its call returns; then it did not wait.
std::optional<std::int64_t> launch_delay_ns(const Trace& trace, SliceId call, SliceId work) {
  if (!call.valid()) return std::nullopt;
  return std::max<std::int64_t>(0, trace.start_ns(work) - trace.end_ns(call));
}

}  // namespace

SliceDetails describe_slice(const Timeline& timeline, const SliceLinks& links,
                            const StepFinder& steps, SliceId slice) {
  const Trace& trace = timeline.trace();
  SliceDetails details;
  details.row = timeline.row_of(slice).row;
  details.self_ns = self_ns(timeline, slice);
  details.step = step_of(trace, links, steps, slice);
  details.launch_delay_ns = launch_delay_ns(trace, links.call_of(slice), slice);
  if (!is_on_device(trace.kind(slice))) {
    SliceDetails::DeviceWork started;
    for (const SliceId work : links.works_below(slice)) {
      started.device_ns += trace.duration_ns(work);
      started.kernels += trace.kind(work) == SliceKind::kKernel ? 1 : 0;
    }
    details.started = started;
  }
  details.ancestors = ancestors_of(timeline, slice, details.row);
  details.links = links.of(slice);
  if (details.links.size() > kMostLinks) {
    details.links_left_out = details.links.size() - kMostLinks;
    details.links.resize(kMostLinks);
  }
  return details;
}

}  // namespace strobe::analysis

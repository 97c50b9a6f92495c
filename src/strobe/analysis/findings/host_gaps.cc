#include "strobe/analysis/findings/host_gaps.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "strobe/base/natural_sort.h"

namespace strobe::analysis {
namespace {

// Asynchronous ranges may only be waiting.
bool shows_work(const Trace& trace, SliceId slice) {
  const SliceKind kind = trace.kind(slice);
  const bool is_range = is_tree_kind(kind) && kind != SliceKind::kStep;
  return (is_range || kind == SliceKind::kRuntimeCall || kind == SliceKind::kPythonCall ||
          kind == SliceKind::kOther) &&
         trace.track(slice).kind != TrackKind::kAsync;
}

// By start, outer ones first.
std::vector<SliceId> list_work(const Trace& trace, Interval extent) {
  std::vector<SliceId> work;
  for (std::uint32_t row = 0; row < trace.slice_count(); ++row) {
    const SliceId slice(row);
    const Interval interval = trace.interval(slice);
    const bool meets = interval.start_ns < extent.end_ns && interval.end_ns >= extent.start_ns;
    if (meets && shows_work(trace, slice)) work.push_back(slice);
  }
  natural_sort(work, [&](SliceId a, SliceId b) {
    return trace.start_ns(a) != trace.start_ns(b) ? trace.start_ns(a) < trace.start_ns(b)
                                                  : trace.end_ns(a) > trace.end_ns(b);
  });
  return work;
}

}  // namespace

HostGap find_longest_host_gap(const Trace& trace, Interval extent) {
  HostGap longest;
  SliceId last;
  std::int64_t shown_until_ns = extent.start_ns;
  const auto offer = [&](std::int64_t end_ns, SliceId next) {
    if (end_ns - shown_until_ns <= longest.interval.length_ns()) return;
    longest = {{shown_until_ns, end_ns}, last, next};
  };
  for (const SliceId slice : list_work(trace, extent)) {
    offer(trace.start_ns(slice), slice);
    if (last.valid() && trace.end_ns(slice) <= shown_until_ns) continue;
    last = slice;
    shown_until_ns = std::max(shown_until_ns, trace.end_ns(slice));
  }
  offer(extent.end_ns, {});
  return longest;
}

}  // namespace strobe::analysis

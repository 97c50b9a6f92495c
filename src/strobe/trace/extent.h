#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "strobe/base/interval.h"
#include "strobe/trace/slice_kind.h"
#include "strobe/trace/trace.h"

namespace strobe {

// From the first start to the last end of the slices whose kind counts; {0, 0} if there are none.
template <class Slices, class Counts>
Interval extent_of_kinds(const Slices& slices, Counts counts) {
  Interval extent{std::numeric_limits<std::int64_t>::max(),
                  std::numeric_limits<std::int64_t>::min()};
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (!counts(slices.kinds[row])) continue;
    extent.start_ns = std::min(extent.start_ns, slices.starts_ns[row]);
    extent.end_ns = std::max(extent.end_ns, slices.starts_ns[row] + slices.durations_ns[row]);
  }
  return extent.start_ns > extent.end_ns ? Interval{} : extent;
}

// The part of Trace::extent() outside of which there are only interpreter frames and waits: from
// the first to the last range, runtime call, device work or slice of unknown kind.
inline Interval extent_without_frames(const Trace& trace) {
  return extent_of_kinds(trace.slices(), [](SliceKind kind) {
    return is_tree_kind(kind) || is_device_work(kind) || kind == SliceKind::kRuntimeCall ||
           kind == SliceKind::kOther;
  });
}

}  // namespace strobe

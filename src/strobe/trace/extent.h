#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "strobe/base/interval.h"
#include "strobe/trace/slice_kind.h"
#include "strobe/trace/trace.h"

namespace strobe {

// From the first start to the last end of the slices whose kind counts; {0, 0} if there are none.
template <class Counts>
Interval extent_of_kinds(const SliceColumns& slices, Counts counts) {
  std::array<bool, kSliceKinds> do_count = {};
  for (std::size_t kind = 0; kind < do_count.size(); ++kind) {
    do_count[kind] = counts(static_cast<SliceKind>(kind));
  }
  Interval extent{std::numeric_limits<std::int64_t>::max(),
                  std::numeric_limits<std::int64_t>::min()};
  for_each_page(
      [&](std::size_t, auto kinds, auto starts_ns, auto durations_ns) {
        for (std::size_t i = 0; i < kinds.size(); ++i) {
          if (!do_count[static_cast<std::size_t>(kinds[i])]) continue;
          extent.start_ns = std::min(extent.start_ns, starts_ns[i]);
          extent.end_ns = std::max(extent.end_ns, starts_ns[i] + durations_ns[i]);
        }
      },
      slices.kinds, slices.starts_ns, slices.durations_ns);
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

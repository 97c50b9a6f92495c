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
  const auto is_inside = [&](std::size_t first) {
    const auto starts_ns = slices.starts_ns.page_range(first);
    const auto durations_ns = slices.durations_ns.page_range(first);
    std::int64_t end_ns = 0;
    return starts_ns && durations_ns && starts_ns->first >= extent.start_ns &&
           !__builtin_add_overflow(starts_ns->second, durations_ns->second, &end_ns) &&
           end_ns <= extent.end_ns;
  };
  const auto stretch = [&](std::size_t, auto kinds, auto starts_ns, auto durations_ns) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (!do_count[static_cast<std::size_t>(kinds[i])]) continue;
      extent.start_ns = std::min(extent.start_ns, starts_ns[i]);
      extent.end_ns = std::max(extent.end_ns, starts_ns[i] + durations_ns[i]);
    }
  };
  // PERF: time mostly goes forward, so that after the last page most others change nothing.
  const std::size_t last_page = (std::max(slices.size(), std::size_t{1}) - 1) / kPackedPageRows;
  const auto is_not_last = [&](std::size_t first) { return first / kPackedPageRows != last_page; };
  for_each_page_unless(is_not_last, stretch, slices.kinds, slices.starts_ns, slices.durations_ns);
  for_each_page_unless(is_inside, stretch, slices.kinds, slices.starts_ns, slices.durations_ns);
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

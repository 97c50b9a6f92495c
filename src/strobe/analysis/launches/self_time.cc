#include "strobe/analysis/launches/self_time.h"

namespace strobe::analysis {

std::int64_t self_ns(const Timeline& timeline, SliceId slice) {
  const TrackId track = timeline.trace().slices().tracks[slice.index()];
  const TimelineRow& own = timeline.row_of(slice);
  SelfTime self(timeline, track, timeline.trace().interval(slice));
  std::int64_t found_ns = 0;
  const auto rows = timeline.rows_of(track);
  for (std::size_t i = rows.size(); i-- > own.row;) {
    self.add_row(rows[i], [&](std::uint32_t slot, Interval, std::int64_t self_part_ns) {
      if (timeline.slice(slot) == slice) found_ns = self_part_ns;
    });
  }
  return found_ns;
}

}  // namespace strobe::analysis

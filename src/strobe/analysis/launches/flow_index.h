#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/timeline/timeline.h"

namespace strobe::analysis {

// The arrows of the trace, from slice to slice. An end of an arrow belongs to the innermost slice
// of its track at its time.
class FlowIndex {
 public:
  explicit FlowIndex(const Timeline& timeline);

  struct Ends {
    std::vector<SliceId> to;    // where arrows go that leave from the slice, by time
    std::vector<SliceId> from;  // where arrows come from that end in it
  };
  Ends arrows_of(SliceId slice) const;

 private:
  SliceId slice_of(std::uint32_t flow) const;
  bool is_one_arrow(std::uint32_t a, std::uint32_t b) const;

  const Timeline* timeline_;
  std::vector<std::uint32_t> by_place_;   // flows by track, then time
  std::vector<std::uint32_t> by_id_;      // by category, id, time, then start before end
  std::vector<std::uint32_t> positions_;  // per flow: in by_id_
};

}  // namespace strobe::analysis

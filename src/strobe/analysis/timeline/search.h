#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/analysis/tables/name_filter.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

struct SearchPage {
  std::size_t offset = 0;
  std::size_t limit = 1000;
};

struct SearchAnswer {
  std::uint64_t total = 0;  // of all matches, on the page or not
  std::int64_t total_ns = 0;
  std::vector<SliceId> slices;  // of the page, by start, then in file order
};

// Slices by name. Each distinct name is asked about once.
SearchAnswer search_slices(const Trace& trace, const NameFilter& matches, SearchPage page = {});

}  // namespace strobe::analysis

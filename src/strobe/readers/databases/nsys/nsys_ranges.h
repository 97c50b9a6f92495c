#pragma once

#include <cstdint>
#include <vector>

#include "strobe/readers/databases/nsys/nsys_file.h"

namespace strobe::readers {

// Links of operators with their backward, by the rows of the slices before they are ordered.
struct RangeSequence {
  std::size_t row = 0;
  std::int64_t number = 0;
  bool is_backward = false;
};

// The ranges and marks that the program and its libraries open with NVTX. Nothing if reading must
// end.
bool add_nsys_ranges(NsysFile& file, std::vector<RangeSequence>& sequences);

}  // namespace strobe::readers

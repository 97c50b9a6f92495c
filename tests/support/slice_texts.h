#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strobe/trace/trace.h"

namespace strobe::testing {

// "start+duration name" of each slice of a kind.
inline std::vector<std::string> slices_of(const Trace& trace, SliceKind kind) {
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const SliceId slice(row);
    if (trace.kind(slice) != kind) continue;
    texts.push_back(std::to_string(trace.start_ns(slice)) + "+" +
                    std::to_string(trace.duration_ns(slice)) + " " +
                    std::string(trace.name(slice)));
  }
  return texts;
}

}  // namespace strobe::testing

#pragma once

#include <vector>

#include "strobe/tensorboard/number.h"

// Half-open ranges of time and the plugin's operations on sorted lists of them.
namespace strobe::tensorboard {

struct Range {
  Number start;
  Number end;

  bool operator==(const Range&) const = default;
};
using Ranges = std::vector<Range>;

// Sorted by start (stable), overlapping and touching ones joined.
Ranges merge(Ranges ranges);
// The parts of `a` in no range of `b`; a zero-length range of `a` stays unless it is inside a `b`.
Ranges subtract(const Ranges& a, const Ranges& b);
// Common pieces. Touching ranges do not overlap; a zero-length range inside one of the other list
// (for those of `b`: strictly inside) gives a zero-length piece.
Ranges intersect(const Ranges& a, const Ranges& b);
Number total(const Ranges& ranges);  // summed in order

}  // namespace strobe::tensorboard

#pragma once

#include <cstddef>
#include <vector>

namespace strobe::tensorboard {

struct CurvePoint {
  double time = 0;
  double allocated = 0;
  double reserved = 0;

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

// A curve of at most `most` points (at least 3): the first, the last, and of every bin in between
// the point that spans the largest triangle with the one taken before and the mean of the next bin.
std::vector<CurvePoint> thin_curve(std::vector<CurvePoint> points, std::size_t most);

}  // namespace strobe::tensorboard

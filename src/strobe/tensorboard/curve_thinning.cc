#include "strobe/tensorboard/curve_thinning.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace strobe::tensorboard {
namespace {

struct Corner {
  double time = 0;
  double allocated = 0;
};

Corner mean(std::span<const CurvePoint> points) {
  Corner sum;
  for (const CurvePoint& point : points) {
    sum.time += point.time;
    sum.allocated += point.allocated;
  }
  const double count = static_cast<double>(points.size());
  return {sum.time / count, sum.allocated / count};
}

double triangle(const CurvePoint& a, const CurvePoint& b, const Corner& c) {
  return 0.5 * std::abs((a.time - c.time) * (b.allocated - a.allocated) -
                        (a.time - b.time) * (c.allocated - a.allocated));
}

const CurvePoint& first_of_largest(std::span<const CurvePoint> bin, const CurvePoint& before,
                                   const Corner& after) {
  const CurvePoint* best = &bin.front();
  double best_area = triangle(before, *best, after);
  for (const CurvePoint& point : bin.subspan(1)) {
    const double area = triangle(before, point, after);
    if (area > best_area) {
      best = &point;
      best_area = area;
    }
  }
  return *best;
}

}  // namespace

std::vector<CurvePoint> thin_curve(std::vector<CurvePoint> points, std::size_t most) {
  if (points.size() <= most) return points;
  const std::size_t bins = most - 2;
  const std::span<const CurvePoint> inner(points.data() + 1, points.size() - 2);
  const std::size_t length = inner.size() / bins;
  const std::size_t longer = inner.size() % bins;  // that many bins, the first, hold one more
  const auto bin = [&](std::size_t i) {
    const std::size_t begin = i * length + std::min(i, longer);
    return inner.subspan(begin, length + (i < longer ? 1 : 0));
  };

  std::vector<CurvePoint> thinned;
  thinned.reserve(most);
  thinned.push_back(points.front());
  for (std::size_t i = 0; i < bins; ++i) {
    const Corner after = i + 1 < bins ? mean(bin(i + 1)) : mean({&points.back(), 1});
    thinned.push_back(first_of_largest(bin(i), thinned.back(), after));
  }
  thinned.push_back(points.back());
  return thinned;
}

}  // namespace strobe::tensorboard

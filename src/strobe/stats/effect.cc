#include "strobe/stats/effect.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "strobe/stats/p_values.h"
#include "strobe/stats/rank_test.h"

namespace strobe::stats {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoDeviation = 1e-9;
constexpr double kFloorShare = 0.01;
constexpr std::size_t kMostCountedPairs = 2500;

std::vector<double> sorted(std::span<const double> sample) {
  std::vector<double> values(sample.begin(), sample.end());
  std::sort(values.begin(), values.end());
  return values;
}

// All differences second - first in sorted order, without computing them all if they are many: with
// both samples sorted, each value of the first gives a row of growing differences, and every row is
// below the previous one. Rounding keeps both orders.
class Differences {
 public:
  Differences(std::span<const double> first, std::span<const double> second)
      : first_(sorted(first)), second_(sorted(second)) {
    if (size() <= kFewEnough) few_ = all_of(std::vector<Row>(first_.size(), {0, second_.size()}));
  }

  std::size_t size() const { return first_.size() * second_.size(); }

  double nth(std::size_t n) { return few_.empty() ? nth_of_many(n) : nth_of_few(n); }

 private:
  static constexpr std::size_t kFewEnough = 1024;

  struct Row {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
  };

  double difference(std::size_t i, std::size_t j) const { return second_[j] - first_[i]; }

  std::vector<double> all_of(const std::vector<Row>& rows) const {
    std::vector<double> all;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = rows[i].begin; j < rows[i].end; ++j) all.push_back(difference(i, j));
    }
    return all;
  }

  // Elements requested before are already in place: only those between two of them are searched.
  double nth_of_few(std::size_t n) {
    const auto above = std::lower_bound(placed_.begin(), placed_.end(), n);
    const std::size_t end = above == placed_.end() ? few_.size() : *above + 1;
    const std::size_t begin = above == placed_.begin() ? 0 : *(above - 1);
    placed_.insert(above, n);
    const auto at = [&](std::size_t i) { return few_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(n), at(end));
    return few_[n];
  }

  // Discards values on the wrong side of a randomly chosen difference, until few are left.
  double nth_of_many(std::size_t n) const {
    std::vector<Row> rows(first_.size(), {0, second_.size()});
    std::size_t thrown_below = 0;
    std::size_t left = size();
    std::minstd_rand random;
    while (left > kFewEnough) {
      const double pivot = pick(rows, random() % left);
      const std::vector<Row> around = rows_around(pivot);
      std::size_t below = 0;
      std::size_t not_above = 0;
      for (const Row& row : around) {
        below += row.begin;
        not_above += row.end;
      }
      if (n >= below && n < not_above) return pivot;
      left = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (n < below) rows[i].end = around[i].begin;
        if (n >= below) rows[i].begin = around[i].end;
        left += rows[i].size();
      }
      if (n >= below) thrown_below = not_above;
    }
    std::vector<double> few = all_of(rows);
    const auto position = few.begin() + static_cast<std::ptrdiff_t>(n - thrown_below);
    std::nth_element(few.begin(), position, few.end());
    return *position;
  }

  double pick(const std::vector<Row>& rows, std::size_t n) const {
    std::size_t i = 0;
    for (; n >= rows[i].size(); ++i) n -= rows[i].size();
    return difference(i, rows[i].begin + n);
  }

  // The part of each row that equals the pivot.
  std::vector<Row> rows_around(double pivot) const {
    std::vector<Row> around(first_.size());
    Row row;
    for (std::size_t i = 0; i < first_.size(); ++i) {
      while (row.begin < second_.size() && difference(i, row.begin) < pivot) ++row.begin;
      while (row.end < second_.size() && difference(i, row.end) <= pivot) ++row.end;
      around[i] = row;
    }
    return around;
  }

  std::vector<double> first_;
  std::vector<double> second_;
  std::vector<double> few_;
  std::vector<std::size_t> placed_;
};

// The number of differences outside of the interval on each side.
std::size_t cut_off(std::size_t n1, std::size_t n2, double tails, RankCounts& counts) {
  if (n1 * n2 <= kMostCountedPairs) {
    const std::vector<double>& shares = counts.shares(n1, n2);
    const double rounded_up = tails / 2 * (1 + 1e-12);  // 1 - 0.8 is a little less than 0.2
    const auto kept = std::upper_bound(shares.begin(), shares.end(), rounded_up);
    return static_cast<std::size_t>(kept - shares.begin());
  }
  const auto pairs = static_cast<double>(n1 * n2);
  const double deviation = std::sqrt(pairs * static_cast<double>(n1 + n2 + 1) / 12);
  return static_cast<std::size_t>(
      std::max(0.0, std::floor(pairs / 2 - normal_z(tails) * deviation + 0.5)));
}

// With fewer independent values, the same quantile is farther from the middle.
std::size_t moved_out(std::size_t cut, std::size_t size, double independent) {
  if (independent >= 1 || cut == 0) return cut;
  const double middle = static_cast<double>(size) / 2;
  const double distance = (middle - static_cast<double>(cut)) / std::sqrt(independent);
  return static_cast<std::size_t>(std::max(0.0, std::floor(middle - distance)));
}

}  // namespace

Shift shift_between(std::span<const double> first, std::span<const double> second,
                    double confidence, RankCounts* counts, double independent) {
  if (first.empty() || second.empty()) return {kNan, kNan, kNan};
  Differences differences(first, second);
  const std::size_t size = differences.size();
  Shift shift{differences.nth(size / 2), -kInfinity, kInfinity};
  if (size % 2 == 0) shift.shift = (differences.nth(size / 2 - 1) + shift.shift) / 2;
  RankCounts own_counts;
  const std::size_t cut =
      moved_out(cut_off(first.size(), second.size(), 1 - confidence, counts ? *counts : own_counts),
                size, independent);
  if (cut > 0) {
    shift.low = differences.nth(cut - 1);
    shift.high = differences.nth(size - cut);
  }
  return shift;
}

double z_score(const Moments& first, const Moments& second) {
  if (first.deviation <= kNoDeviation) return 0;
  return (second.mean - first.mean) / first.deviation;
}

double z_floored(const Moments& first, const Moments& second, double resolution) {
  const double floor = kFloorShare * first.mean;
  const double deviation =
      std::sqrt(first.deviation * first.deviation + floor * floor + resolution * resolution / 12);
  return deviation > 0 ? (second.mean - first.mean) / deviation : 0;
}

}  // namespace strobe::stats

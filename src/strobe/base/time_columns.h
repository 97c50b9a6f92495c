#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "strobe/base/interval.h"

namespace strobe {

// A window of time cut into columns of whole nanoseconds, as equal as possible. If there are more
// columns than nanoseconds, some are empty.
class TimeColumns {
 public:
  TimeColumns(Interval window, std::uint32_t count) : bounds_ns_(count + 1) {
    const std::int64_t span_ns = window.length_ns();
    const std::int64_t whole_ns = span_ns / count;
    const std::int64_t rest_ns = span_ns % count;
    for (std::uint32_t i = 0; i <= count; ++i) {
      bounds_ns_[i] = window.start_ns + whole_ns * i + rest_ns * i / count;
    }
    wide_ns_ = whole_ns + (rest_ns > 0 ? 1 : 0);
    per_ns_ = static_cast<double>(count) / static_cast<double>(span_ns);
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(bounds_ns_.size() - 1); }
  std::int64_t begin_ns(std::uint32_t column) const { return bounds_ns_[column]; }
  std::int64_t end_ns(std::uint32_t column) const { return bounds_ns_[column + 1]; }
  // From this length on, a slice is a column wide. A shorter one touches two columns at most.
  std::int64_t wide_ns() const { return wide_ns_; }
  Interval window() const { return {bounds_ns_.front(), bounds_ns_.back()}; }

  // The column of a time; times before the window give the first column.
  std::uint32_t at(std::int64_t time_ns) const {
    const double guess = static_cast<double>(time_ns - bounds_ns_.front()) * per_ns_;
    auto column = static_cast<std::uint32_t>(std::clamp(guess, 0.0, double{count() - 1.0}));
    while (column > 0 && bounds_ns_[column] > time_ns) --column;
    while (column + 1 < count() && bounds_ns_[column + 1] <= time_ns) ++column;
    return column;
  }

 private:
  std::vector<std::int64_t> bounds_ns_;
  std::int64_t wide_ns_ = 0;
  double per_ns_ = 0;
};

}  // namespace strobe

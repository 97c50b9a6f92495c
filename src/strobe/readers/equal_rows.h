#pragma once

#include <algorithm>
#include <span>

namespace strobe::readers {

// The rows of a sorted vector whose projection equals a value. std::ranges::equal_range answers
// with a subrange, which Clang 14 cannot compile.
template <class Rows, class Value, class Projection>
auto equal_rows(Rows& rows, const Value& value, Projection projection) {
  const auto first = std::ranges::lower_bound(rows, value, {}, projection);
  const auto last = std::ranges::upper_bound(first, rows.end(), value, {}, projection);
  return std::span(first, last);
}

}  // namespace strobe::readers

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "strobe/base/id.h"
#include "strobe/trace/column.h"

namespace strobe::trace_file {

// What columns from a file must hold so that nobody who trusts them reads out of bounds. Each check
// is one pass without branches, which compilers turn into vector instructions.

template <class Tag, class Rep>
bool ids_are_below(std::size_t rows, const Column<Id<Tag, Rep>>& ids) {
  Rep highest = 0;
  for (const auto id : ids) highest = std::max(highest, id.value);
  return ids.empty() || highest < rows;
}

// The invalid id is allowed: one more than it is 0.
template <class Tag, class Rep>
bool ids_are_below_or_invalid(std::size_t rows, const Column<Id<Tag, Rep>>& ids) {
  Rep highest = 0;
  for (const auto id : ids) highest = std::max(highest, static_cast<Rep>(id.value + 1));
  return highest <= rows;
}

template <class Enum>
bool values_are_at_most(Enum last, const Column<Enum>& values) {
  std::uint8_t highest = 0;
  for (const Enum value : values) highest = std::max(highest, static_cast<std::uint8_t>(value));
  return highest <= static_cast<std::uint8_t>(last);
}

// No time is so far away that adding two of them overflows.
inline bool times_are_sane(const Column<std::int64_t>& times_ns) {
  constexpr auto kFarthest = std::uint64_t{1} << 62;
  std::uint64_t farthest = 0;
  for (const std::int64_t time_ns : times_ns) {
    farthest |= static_cast<std::uint64_t>(time_ns ^ (time_ns >> 63));
  }
  return farthest < kFarthest;
}

inline bool durations_are_sane(const Column<std::int64_t>& durations_ns) {
  std::uint64_t bits = 0;
  for (const std::int64_t duration_ns : durations_ns)
    bits |= static_cast<std::uint64_t>(duration_ns);
  return bits < std::uint64_t{1} << 62;
}

template <class T>
bool is_ascending(const Column<T>& values) {
  return std::is_sorted(values.begin(), values.end());
}

}  // namespace strobe::trace_file

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>  // std::hash, at a lower price than <functional>

namespace strobe {

// A row number of one table. Two ids of different tables never convert into each other.
template <class Tag, class Rep = std::uint32_t>
struct Id {
  static constexpr Rep kNone = std::numeric_limits<Rep>::max();

  Rep value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t row) : value(static_cast<Rep>(row)) {}

  constexpr bool valid() const { return value != kNone; }
  constexpr std::size_t index() const { return value; }
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace strobe

template <class Tag, class Rep>
struct std::hash<strobe::Id<Tag, Rep>> {
  std::size_t operator()(strobe::Id<Tag, Rep> id) const noexcept { return id.value; }
};

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace strobe {

// How PackedColumn sees a value: as a number without a sign and of its size. Neighbours have
// neighbouring numbers; the largest id, which means that there is none, comes before the first.
template <class T>
constexpr auto packed_code(T value) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<std::make_unsigned_t<std::underlying_type_t<T>>>(value);
  } else if constexpr (std::is_signed_v<T>) {  // real numbers as well
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return std::bit_cast<Bits>(value) ^ Bits { 1 } << (8 * sizeof(T) - 1);
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(value + 1);
  } else {
    return packed_code(value.value);
  }
}

template <class T>
constexpr T value_of_packed_code(std::uint64_t code) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(code);
  } else if constexpr (std::is_signed_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return std::bit_cast<T>(static_cast<Bits>(code) ^ Bits{1} << (8 * sizeof(T) - 1));
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(code - 1);
  } else {
    T id;
    id.value = value_of_packed_code<decltype(id.value)>(code);
    return id;
  }
}

inline constexpr std::size_t kPackedPageRows = 1024;

// The values of many rows in little memory, each still found at once. A page has its least value
// and what the others add to it, in as many bytes as the largest of these needs; none if all are
// equal.
//
//   least  | 2 bytes | 2 bytes | 2 bytes | ...        kPackedPageRows differences
template <class T>
class PackedColumn {
 public:
  PackedColumn() = default;
  PackedColumn(PackedColumn&& other) noexcept
      : pages_(std::move(other.pages_)), size_(std::exchange(other.size_, 0)) {}
  PackedColumn& operator=(PackedColumn&& other) noexcept {
    pages_ = std::move(other.pages_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~PackedColumn() = default;

  // Each page but the last is full.
  void add_page(std::span<const T> values) {
    pages_.push_back(packed(values));
    size_ += values.size();
  }
  void replace_page(std::size_t page, std::span<const T> values) { pages_[page] = packed(values); }
  void drop_pages(std::size_t first_page) {
    pages_.resize(std::min(pages_.size(), first_page));
    size_ = std::min(size_, first_page * kPackedPageRows);
  }

  T operator[](std::size_t row) const {
    const Page& page = pages_[row / kPackedPageRows];
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, page.differences.get() + row % kPackedPageRows * page.width, sizeof bytes);
    return value_of_packed_code<T>(page.least + (bytes & page.mask));
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const {
    std::size_t bytes = pages_.size() * sizeof(Page);
    for (const Page& page : pages_) bytes += kSlack + kPackedPageRows * page.width;
    return bytes;
  }

 private:
  static_assert(std::endian::native == std::endian::little,
                "differences begin with their low byte");
  static constexpr std::size_t kSlack = sizeof(std::uint64_t);  // differences are read as 8 bytes

  struct Page {
    std::unique_ptr<char[]> differences;
    std::uint64_t least = 0;
    std::uint64_t mask = 0;
    std::uint64_t width = 0;
  };

  static Page packed(std::span<const T> values) {
    auto least = packed_code(values.front());
    auto most = least;
    for (const T value : values) {
      least = std::min(least, packed_code(value));
      most = std::max(most, packed_code(value));
    }
    Page page;
    page.least = least;
    const auto largest = static_cast<std::uint64_t>(most) - least;
    page.width = (static_cast<std::uint64_t>(std::bit_width(largest)) + 7) / 8;
    page.differences = std::make_unique_for_overwrite<char[]>(values.size() * page.width + kSlack);
    if (page.width == 0) return page;
    page.mask = ~std::uint64_t{0} >> (64 - 8 * page.width);
    char* to = page.differences.get();
    for (const T value : values) {  // each overwrites the high bytes of the one before
      const std::uint64_t difference = static_cast<std::uint64_t>(packed_code(value)) - least;
      std::memcpy(to, &difference, sizeof difference);
      to += page.width;
    }
    return page;
  }

  std::vector<Page> pages_;
  std::size_t size_ = 0;
};

}  // namespace strobe

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
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
// and what the others add to it, in as many bits as the largest of these needs; none if all are
// equal.
//
//   least  | 11 bits | 11 bits | 11 bits | ...        kPackedPageRows differences
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

  // Calls change(row, value) for the values of the rows [first, end).
  template <class Change>
  void change(std::size_t first, std::size_t end, Change change) {
    while (first < end) {
      const std::size_t page_row = first / kPackedPageRows * kPackedPageRows;
      std::vector<T> page = values(page_row, std::min(page_row + kPackedPageRows, size_));
      const std::size_t page_end = page_row + page.size();
      for (; first < std::min(end, page_end); ++first) change(first, page[first - page_row]);
      replace_page(page_row / kPackedPageRows, page);
    }
  }
  // The value of row order[i] becomes that of row i.
  void reorder(std::span<const std::uint32_t> order) {
    if (all_are_equal()) return;
    PackedColumn reordered;
    std::vector<T> page(kPackedPageRows);
    for (; !order.empty(); order = order.subspan(page.size())) {
      page.resize(std::min(kPackedPageRows, order.size()));
      for (std::size_t i = 0; i < page.size(); ++i) page[i] = (*this)[order[i]];
      reordered.add_page(page);
    }
    *this = std::move(reordered);
  }

  T operator[](std::size_t row) const {
    const Page& page = pages_[row / kPackedPageRows];
    const std::uint64_t bit = row % kPackedPageRows * page.width;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, page.differences.get() + bit / 8, sizeof bytes);
    return value_of_packed_code<T>(page.least + (bytes >> bit % 8 & page.mask));
  }
  // The values of the rows [first, end). PERF: several times as fast as one by one.
  void copy(std::size_t first, std::size_t end, T* to) const {
    while (first < end) {
      const Page& page = pages_[first / kPackedPageRows];
      const std::size_t page_end = std::min(end, (first / kPackedPageRows + 1) * kPackedPageRows);
      const std::size_t rows = page_end - first;
      if (page.width == 0) {
        std::fill_n(to, rows, value_of_packed_code<T>(page.least));
      } else {
        copy(page, first % kPackedPageRows, rows, to);
      }
      to += rows;
      first = page_end;
    }
  }
  std::vector<T> values(std::size_t first, std::size_t end) const {
    std::vector<T> values(end - first);
    copy(first, end, values.data());
    return values;
  }
  // Whether all values of the page with this row are equal to `value`.
  bool page_is(std::size_t row, T value) const {
    const Page& page = pages_[row / kPackedPageRows];
    return page.width == 0 && page.least == packed_code(value);
  }
  // Between which the values of the page with this row are. The first one is one of them.
  std::pair<T, T> page_range(std::size_t row) const {
    const Page& page = pages_[row / kPackedPageRows];
    constexpr std::uint64_t kMost = std::numeric_limits<Code>::max();
    const std::uint64_t least = page.least;
    const std::uint64_t most = page.mask > kMost - least ? kMost : least + page.mask;
    return {value_of_packed_code<T>(page.least), value_of_packed_code<T>(most)};
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const {
    std::size_t bytes = pages_.size() * sizeof(Page);
    for (const Page& page : pages_) bytes += bytes_of(kPackedPageRows, page.width);
    return bytes;
  }

 private:
  static_assert(std::endian::native == std::endian::little,
                "differences begin with their low byte");
  using Code = decltype(packed_code(T{}));

  // A difference is read with the seven bits before it, at most, in one word.
  static constexpr std::uint64_t kWidestInWord = 64 - 7;
  static std::size_t bytes_of(std::size_t rows, std::uint64_t width) {
    if (width == 0) return 0;
    return (rows * width + 7) / 8 + sizeof(std::uint64_t);
  }

  // Equal values share one place that is read instead of differences.
  static inline char no_differences_[sizeof(std::uint64_t)] = {};
  struct Free {
    void operator()(char* differences) const {
      if (differences != no_differences_) delete[] differences;
    }
  };
  struct Page {
    std::unique_ptr<char[], Free> differences;
    Code least = 0;
    Code mask = 0;
    std::uint8_t width = 0;  // bits of each difference
  };

  bool all_are_equal() const {
    return std::ranges::all_of(pages_, [&](const Page& page) {
      return page.width == 0 && page.least == pages_.front().least;
    });
  }

  static void copy(const Page& page, std::size_t first, std::size_t rows, T* to) {
    const char* const differences = page.differences.get();
    const std::uint64_t least = page.least;
    const std::uint64_t mask = page.mask;
    const std::uint64_t width = page.width;
    std::uint64_t bit = first * width;
    for (T* const end = to + rows; to != end; ++to, bit += width) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, differences + bit / 8, sizeof bytes);
      *to = value_of_packed_code<T>(least + (bytes >> bit % 8 & mask));
    }
  }

  // The least and the largest code.
  static std::pair<Code, Code> range_of(std::span<const T> values) {
    const Code first = packed_code(values.front());
    if constexpr (sizeof(T) == 8) {  // PERF: few are new ones, and no vector compares these
      Code least = first;
      Code most = first;
      for (const T& value : values) {
        const Code code = packed_code(value);
        if (code < least) [[unlikely]]
          least = code;
        if (code > most) [[unlikely]]
          most = code;
      }
      return {least, most};
    } else {
      // PERF: vectors. The oldest compare bytes without a sign and larger numbers with one, and GCC
      // 12 makes none of a loop over copies of ids.
      Code differences = 0;
      for (const T& value : values) {
        differences = static_cast<Code>(differences | (packed_code(value) ^ first));
      }
      if (differences == 0) return {first, first};
      using Compared = std::conditional_t<sizeof(T) == 1, Code, std::make_signed_t<Code>>;
      constexpr auto kSign =
          static_cast<Code>(sizeof(T) == 1 ? 0 : Code{1} << (8 * sizeof(Code) - 1));
      auto least = static_cast<Compared>(first ^ kSign);
      Compared most = least;
      for (const T& value : values) {
        const auto code = static_cast<Compared>(packed_code(value) ^ kSign);
        least = std::min(least, code);
        most = std::max(most, code);
      }
      return {static_cast<Code>(static_cast<Code>(least) ^ kSign),
              static_cast<Code>(static_cast<Code>(most) ^ kSign)};
    }
  }

  static Page packed(std::span<const T> values) {
    const auto [least, most] = range_of(values);
    Page page;
    page.least = least;
    const std::uint64_t largest = std::uint64_t{most} - least;
    if (largest == 0) {
      page.differences.reset(no_differences_);
      return page;
    }
    auto width = static_cast<std::uint64_t>(std::bit_width(largest));
    if (width > kWidestInWord) width = 64;
    page.width = static_cast<std::uint8_t>(width);
    page.mask = static_cast<Code>(~std::uint64_t{0} >> (64 - width));
    page.differences.reset(new char[bytes_of(values.size(), width)]);
    write(values, least, width, page.differences.get());
    return page;
  }

  static void write(std::span<const T> values, Code least, std::uint64_t width, char* to) {
    switch (width) {
      case 8:
        return write_whole<std::uint8_t>(values, least, to);
      case 16:
        return write_whole<std::uint16_t>(values, least, to);
      case 32:
        return write_whole<std::uint32_t>(values, least, to);
      case 64:
        return write_whole<std::uint64_t>(values, least, to);
      default:
        return write_bits(values, least, width, to);
    }
  }

  // PERF: a compiler writes several at once.
  template <class Difference>
  static void write_whole(std::span<const T> values, Code least, char* to) {
    for (const T value : values) {
      const auto difference = static_cast<Difference>(packed_code(value) - least);
      std::memcpy(to, &difference, sizeof difference);
      to += sizeof difference;
    }
  }

  // In words of 64 bits; the last one may go on behind the differences.
  static void write_bits(std::span<const T> values, Code least, std::uint64_t width, char* to) {
    std::uint64_t word = 0;
    std::uint64_t bits = 0;  // of the word that are taken
    const auto add = [&](std::uint64_t difference, std::uint64_t its_bits) {
      word |= difference << bits;
      bits += its_bits;
      if (bits < 64) return;
      std::memcpy(to, &word, sizeof word);
      to += sizeof word;
      bits -= 64;
      word = difference >> (its_bits - bits);
    };
    const auto difference = [&](std::size_t i) {
      return static_cast<std::uint64_t>(packed_code(values[i])) - least;
    };
    std::size_t i = 0;
    if (width < 16) {  // PERF: four at once, in fewer steps that wait for each other
      for (; i + 4 <= values.size(); i += 4) {
        const std::uint64_t low = difference(i) | difference(i + 1) << width;
        const std::uint64_t high = difference(i + 2) | difference(i + 3) << width;
        add(low | high << 2 * width, 4 * width);
      }
    }
    for (; i < values.size(); ++i) add(difference(i), width);
    std::memcpy(to, &word, sizeof word);
  }

  std::vector<Page> pages_;
  std::size_t size_ = 0;
};

}  // namespace strobe

#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "strobe/trace/packed_column.h"

namespace strobe {

// One column of a finished table, read only. Its values are its own, or in memory that the Trace
// keeps (a mapped file), or packed.
template <class T>
class Column {
 public:
  using value_type = T;
  class Iterator;
  using const_iterator = Iterator;

  Column() = default;
  explicit Column(std::vector<T>&& values)
      : own_(std::move(values)), values_(own_.data()), size_(own_.size()) {}
  explicit Column(PackedColumn<T>&& values) : packed_(std::move(values)), size_(packed_.size()) {}
  static Column borrow(std::span<const T> values) {
    Column column;
    column.values_ = values.data();
    column.size_ = values.size();
    return column;
  }

  Column(Column&& other) noexcept
      : own_(std::move(other.own_)),
        packed_(std::move(other.packed_)),
        values_(std::exchange(other.values_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Column& operator=(Column&& other) noexcept {
    own_ = std::move(other.own_);
    packed_ = std::move(other.packed_);
    values_ = std::exchange(other.values_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~Column() = default;

  T operator[](std::size_t row) const {
    if (values_ != nullptr) [[likely]]
      return values_[row];
    return packed_[row];
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }
  T front() const { return (*this)[0]; }
  T back() const { return (*this)[size_ - 1]; }

  // The values of up to kPackedPageRows rows from row `first` on, which begins a page. They are
  // in `page` if they are packed.
  std::span<const T> page(std::size_t first, std::vector<T>& page) const {
    const std::size_t end = std::min(first + kPackedPageRows, size_);
    if (values_ != nullptr) return {values_ + first, end - first};
    page.resize(end - first);
    packed_.copy(first, end, page.data());
    return page;
  }
  // What is known of the page that begins with row `first` without a look at its values, which is
  // nothing if they are not packed: that all are equal to `value`, and between which they are.
  bool page_is(std::size_t first, T value) const {
    return values_ == nullptr && packed_.page_is(first, value);
  }
  std::optional<std::pair<T, T>> page_range(std::size_t first) const {
    if (values_ != nullptr) return std::nullopt;
    return packed_.page_range(first);
  }
  // Nothing if they are packed.
  std::span<const T> unpacked() const { return {values_, values_ == nullptr ? 0 : size_}; }
  std::size_t bytes() const { return values_ != nullptr ? size_ * sizeof(T) : packed_.bytes(); }

  friend bool operator==(const Column& a, const Column& b) { return a.equals(b); }
  friend bool operator==(const Column& a, const std::vector<T>& b) { return a.equals(b); }

 private:
  template <class Values>
  bool equals(const Values& other) const {
    if (size() != other.size()) return false;
    std::size_t row = 0;
    while (row < size() && (*this)[row] == other[row]) ++row;
    return row == size();
  }

  std::vector<T> own_;
  PackedColumn<T> packed_;
  const T* values_ = nullptr;  // own or borrowed
  std::size_t size_ = 0;
};

template <class T>
class Column<T>::Iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = T;

  Iterator() = default;
  Iterator(const Column& column, std::size_t row)
      : column_(&column), row_(static_cast<difference_type>(row)) {}

  T operator*() const { return (*column_)[static_cast<std::size_t>(row_)]; }
  T operator[](difference_type rows) const { return *(*this + rows); }
  Iterator& operator++() { return *this += 1; }
  Iterator& operator--() { return *this -= 1; }
  Iterator operator++(int) { return std::exchange(*this, *this + 1); }
  Iterator operator--(int) { return std::exchange(*this, *this - 1); }
  Iterator& operator+=(difference_type rows) {
    row_ += rows;
    return *this;
  }
  Iterator& operator-=(difference_type rows) { return *this += -rows; }
  friend Iterator operator+(Iterator at, difference_type rows) { return at += rows; }
  friend Iterator operator+(difference_type rows, Iterator at) { return at += rows; }
  friend Iterator operator-(Iterator at, difference_type rows) { return at -= rows; }
  friend difference_type operator-(Iterator a, Iterator b) { return a.row_ - b.row_; }
  friend bool operator==(Iterator a, Iterator b) { return a.row_ == b.row_; }
  friend auto operator<=>(Iterator a, Iterator b) { return a.row_ <=> b.row_; }

 private:
  const Column* column_ = nullptr;
  difference_type row_ = 0;
};

// What is known without a look at each value: that all on the page which begins with row `first`
// are equal to `value`.
template <class T>
bool page_is(const Column<T>& column, std::size_t first, T value) {
  return column.page_is(first, value);
}
template <class T>
bool page_is(const std::vector<T>&, std::size_t, T) {
  return false;
}

// Calls f(first, values...) for columns of equal length, a page at a time: `values` are those of
// the rows from `first` on. Pages of which skip(first) is true are left out. PERF: packed columns
// are read several times as fast as row by row, others as plain memory.
template <class Skip, class F, class... T>
void for_each_page_unless(Skip skip, F f, const Column<T>&... columns) {
  const std::size_t rows = std::min({columns.size()...});
  std::tuple<std::vector<T>...> pages;
  for (std::size_t first = 0; first < rows; first += kPackedPageRows) {
    if (skip(first)) continue;
    std::apply([&](auto&... page) { f(first, columns.page(first, page)...); }, pages);
  }
}
template <class Skip, class F, class... T>
void for_each_page_unless(Skip skip, F f, const std::vector<T>&... columns) {
  if (!skip(std::size_t{0})) f(std::size_t{0}, std::span<const T>(columns)...);
}
template <class F, class... Columns>
void for_each_page(F f, const Columns&... columns) {
  for_each_page_unless([](std::size_t) { return false; }, f, columns...);
}

}  // namespace strobe

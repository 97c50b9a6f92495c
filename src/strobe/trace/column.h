#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace strobe {

// One column of a finished table, read only. Its values are its own or in memory that the Trace
// keeps (a mapped file).
template <class T>
class Column {
 public:
  using value_type = T;
  using const_iterator = const T*;

  Column() = default;
  explicit Column(std::vector<T>&& values) : own_(std::move(values)), values_(own_) {}
  static Column borrow(std::span<const T> values) {
    Column column;
    column.values_ = values;
    return column;
  }

  Column(Column&& other) noexcept
      : own_(std::move(other.own_)), values_(std::exchange(other.values_, {})) {}
  Column& operator=(Column&& other) noexcept {
    own_ = std::move(other.own_);
    values_ = std::exchange(other.values_, {});
    return *this;
  }
  ~Column() = default;

  const T& operator[](std::size_t row) const { return values_[row]; }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const T* data() const { return values_.data(); }
  const T* begin() const { return values_.data(); }
  const T* end() const { return values_.data() + values_.size(); }
  const T& front() const { return values_.front(); }
  const T& back() const { return values_.back(); }

  friend bool operator==(const Column& a, const Column& b) { return a.equals(b.values_); }
  friend bool operator==(const Column& a, const std::vector<T>& b) { return a.equals(b); }

 private:
  bool equals(std::span<const T> other) const {
    std::size_t row = 0;
    while (row < size() && row < other.size() && values_[row] == other[row]) ++row;
    return row == size() && row == other.size();
  }

  std::vector<T> own_;
  std::span<const T> values_;
};

}  // namespace strobe

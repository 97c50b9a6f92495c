#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace strobe::readers {

inline constexpr std::size_t kBlockRows = 16384;

// A list that grows by blocks: rows never move, growing never doubles the memory, and blocks can be
// given back one by one while a merge consumes them.
template <class T>
class BlockList {
 public:
  std::size_t size() const { return size_; }

  T& push_back(const T& row) {
    if (size_ == blocks_.size() * kBlockRows) add_block();
    ++size_;
    return *next_++ = row;
  }

  const T& operator[](std::size_t row) const { return blocks_[row / kBlockRows][row % kBlockRows]; }

  // Rows up to `row` are not needed any more.
  void release_before(std::size_t row) {
    for (; released_ < row / kBlockRows; ++released_) blocks_[released_].reset();
  }
  void clear() { *this = BlockList(); }

 private:
  void add_block() {
    blocks_.push_back(std::make_unique_for_overwrite<T[]>(kBlockRows));
    next_ = blocks_.back().get();
  }

  std::vector<std::unique_ptr<T[]>> blocks_;
  T* next_ = nullptr;
  std::size_t size_ = 0;
  std::size_t released_ = 0;
};

}  // namespace strobe::readers

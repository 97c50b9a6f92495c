#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/base/interval.h"

namespace strobe::analysis {

// Finds the row of every slice of one track, so that slices of one row never overlap and what is
// inside a slice lies in a row below it:
//
//     row 0   |------ a ------|        |-- d --|
//     row 1     |- b -|     |---- c ----|
//
// c crosses the end of a, so nothing contains it and it takes the first row that is free.
class RowLayout {
 public:
  // Slices must come by start, of equal starts the longer one first.
  std::uint32_t place(Interval slice);
  std::uint32_t rows() const { return static_cast<std::uint32_t>(rows_); }
  void clear();

 private:
  // When the rows below a node of the tree end: a track of overlapping slices may have as many rows
  // as slices, and must not cost their square.
  struct Ends {
    std::int64_t earliest_ns;
    std::int64_t latest_ns;
  };

  std::int64_t end_ns(std::size_t row) const { return tree_[leaves_ + row].latest_ns; }
  void set_end(std::size_t row, std::int64_t end_ns);
  std::size_t rows_around(std::int64_t end_ns) const;
  std::size_t first_free(std::size_t row, std::int64_t time_ns) const;
  void grow();

  std::vector<Ends> tree_;     // node 1 is the root, the children of n are 2n and 2n + 1
  std::size_t leaves_ = 0;     // a power of two; row r is node leaves_ + r
  std::size_t rows_ = 0;       // in use so far
  std::size_t free_from_ = 0;  // this row and all below it are free
};

}  // namespace strobe::analysis

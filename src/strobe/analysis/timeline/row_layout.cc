#include "strobe/analysis/timeline/row_layout.h"

#include <algorithm>
#include <limits>

namespace strobe::analysis {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t kFirstLeaves = 16;

}  // namespace

void RowLayout::clear() {
  std::ranges::fill(tree_, Ends{kNever, kNever});
  rows_ = 0;
  free_from_ = 0;
}

std::uint32_t RowLayout::place(Interval slice) {
  while (free_from_ > 0 && end_ns(free_from_ - 1) <= slice.start_ns) --free_from_;
  // A row that ends where an empty slice lies does not contain it.
  const std::int64_t inside_until_ns = std::max(slice.end_ns, slice.start_ns + 1);
  std::size_t row = free_from_;
  const bool lowest_contains = free_from_ > 0 && end_ns(free_from_ - 1) >= inside_until_ns;
  if (free_from_ > 0 && !lowest_contains) {
    row = first_free(rows_around(inside_until_ns), slice.start_ns);
  }
  if (row == leaves_) grow();
  set_end(row, slice.end_ns);
  free_from_ = std::max(free_from_, row + 1);
  rows_ = std::max(rows_, row + 1);
  return static_cast<std::uint32_t>(row);
}

void RowLayout::set_end(std::size_t row, std::int64_t end_ns) {
  std::size_t node = leaves_ + row;
  tree_[node] = {end_ns, end_ns};
  for (node /= 2; node > 0; node /= 2) {
    const Ends& left = tree_[2 * node];
    const Ends& right = tree_[2 * node + 1];
    const Ends both{std::min(left.earliest_ns, right.earliest_ns),
                    std::max(left.latest_ns, right.latest_ns)};
    if (both.earliest_ns == tree_[node].earliest_ns && both.latest_ns == tree_[node].latest_ns) {
      return;
    }
    tree_[node] = both;
  }
}

// How many rows there are down to the last one that does not end before `end_ns`.
std::size_t RowLayout::rows_around(std::int64_t end_ns) const {
  if (tree_[1].latest_ns < end_ns) return 0;
  std::size_t node = 1;
  while (node < leaves_) node = 2 * node + (tree_[2 * node + 1].latest_ns >= end_ns ? 1 : 0);
  return node - leaves_ + 1;
}

// The first row from `row` on that has ended by then; leaves_ if there is none yet.
std::size_t RowLayout::first_free(std::size_t row, std::int64_t time_ns) const {
  if (row == leaves_) return leaves_;
  std::size_t node = leaves_ + row;
  while (tree_[node].earliest_ns > time_ns) {
    while (node % 2 == 1) node /= 2;  // a right child: all of its parent has been seen
    if (node == 0) return leaves_;
    ++node;
  }
  while (node < leaves_) {
    node *= 2;
    if (tree_[node].earliest_ns > time_ns) ++node;
  }
  return node - leaves_;
}

void RowLayout::grow() {
  std::vector<Ends> old(std::max(2 * kFirstLeaves, 2 * tree_.size()), Ends{kNever, kNever});
  old.swap(tree_);
  const std::size_t old_leaves = leaves_;
  leaves_ = tree_.size() / 2;
  for (std::size_t row = 0; row < old_leaves; ++row) {
    set_end(row, old[old_leaves + row].latest_ns);
  }
}

}  // namespace strobe::analysis

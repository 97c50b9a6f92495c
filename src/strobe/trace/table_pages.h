#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "strobe/base/check.h"
#include "strobe/trace/packed_column.h"
#include "strobe/trace/tables.h"

namespace strobe {

// The front of a growing table, packed: rows that mostly stay as they are. The rows behind it are
// in vectors.
template <template <template <class> class> class Table>
class TablePages {
 public:
  std::size_t size() const { return rows_; }

  // Takes whole pages from the front of `rows`, of which the first `count` may be taken.
  void take_pages(Table<Vector>& rows, std::size_t count) {
    const std::size_t taken = count / kPackedPageRows * kPackedPageRows;
    for (std::size_t row = 0; row < taken; row += kPackedPageRows) {
      add_page(rows, row, kPackedPageRows);
    }
    std::apply(
        [&](auto&... columns) {
          (columns.erase(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(taken)),
           ...);
        },
        columns_of(rows));
  }

  // All of `rows`; nothing is taken afterwards.
  void take_all(Table<Vector>& rows) {
    take_pages(rows, rows.size());
    if (rows.size() > 0) add_page(rows, 0, rows.size());
    rows = {};
  }
  Table<PackedColumn> finish(Table<Vector>&& rows) {
    take_all(rows);
    return std::move(pages_);
  }

  // Row order[i] becomes row i. PERF: one column after the other, so that only one is there twice.
  void reorder(std::span<const std::uint32_t> order) {
    std::apply([&](auto&... columns) { (columns.reorder(order), ...); }, columns_of(pages_));
  }

  // Gives back the pages from that of row `first` on: they go before `rows`.
  void give_back(std::size_t first, Table<Vector>& rows) {
    const std::size_t page = first / kPackedPageRows;
    const std::size_t first_row = page * kPackedPageRows;
    if (first_row >= rows_) return;
    for_each_column(rows, [&](auto& from, auto& to) {
      auto given = from.values(first_row, rows_);
      to.insert(to.begin(), given.begin(), given.end());
      from.drop_pages(page);
    });
    rows_ = first_row;
  }

  // Calls `change` with some of the rows [first, end), and from where to where they are in that
  // table.
  template <class Change>
  void change(std::size_t first, std::size_t end, Change change) {
    end = std::min(end, rows_);
    while (first < end) {
      const std::size_t page = first / kPackedPageRows;
      const std::size_t page_row = page * kPackedPageRows;
      const std::size_t page_end = std::min(page_row + kPackedPageRows, rows_);
      Table<Vector> rows;
      for_each_column(rows, [&](auto& from, auto& to) { to = from.values(page_row, page_end); });
      change(rows, first - page_row, std::min(end, page_end) - page_row);
      for_each_column(rows, [&](auto& from, auto& to) { from.replace_page(page, to); });
      first = page_end;
    }
  }

  // The same for one column: change(row, value) with each of its values.
  template <class Of, class Change>
  void change_column(Of column, std::size_t first, std::size_t end, Change change) {
    column(pages_).change(first, std::min(end, rows_), change);
  }

  const Table<PackedColumn>& columns() const { return pages_; }

 private:
  template <class F>
  void for_each_column(Table<Vector>& rows, F f) {
    std::apply(
        [&](auto&... pages) {
          std::apply([&](auto&... columns) { (f(pages, columns), ...); }, columns_of(rows));
        },
        columns_of(pages_));
  }

  void add_page(Table<Vector>& rows, std::size_t first, std::size_t count) {
    STROBE_CHECK(rows_ % kPackedPageRows == 0, "each page but the last is full");
    for_each_column(rows, [&](auto& pages, auto& column) {
      pages.add_page(std::span(column).subspan(first, count));
    });
    rows_ += count;
  }

  Table<PackedColumn> pages_;
  std::size_t rows_ = 0;
};

}  // namespace strobe

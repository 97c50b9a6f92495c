#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/analysis/tables/summary.h"
#include "strobe/analysis/tables/table_options.h"

// Which rows of a summary a table shows, and in which order.
namespace strobe::analysis {

struct LeftOut {
  std::size_t rows = 0;
  std::int64_t host_ns = 0;  // calls nest, so the totals of names may hold a nanosecond twice
  std::int64_t device_ns = 0;
  std::int64_t self_host_ns = 0;  // each nanosecond once
};

// Points into the rows it was made from.
template <class Row>
struct ShownRows {
  std::vector<const Row*> rows;
  LeftOut cut;       // beyond TableOptions::top
  LeftOut filtered;  // removed by TableOptions::keeps_name
};

// Descending, the minima ascending; rows with equal keys keep their order.
ShownRows<OperatorRow> shown_rows(const std::vector<OperatorRow>& rows,
                                  const TableOptions& options);
ShownRows<UserRangeRow> shown_rows(const std::vector<UserRangeRow>& rows,
                                   const TableOptions& options);
// Kernels have no host time: every key but the three other device keys means the device total.
ShownRows<KernelRow> shown_rows(const std::vector<KernelRow>& rows, const TableOptions& options);

// Filtered and cut, but in the original order.
ShownRows<UserRangeRow> shown_rows_unsorted(const std::vector<UserRangeRow>& rows,
                                            const TableOptions& options);

// Largest first whatever the sort key, as in the memory tables.
ShownRows<MemoryRow> shown_rows_by_increase(const std::vector<MemoryRow>& rows,
                                            const TableOptions& options);

bool sorts_by_device(SortKey key);

}  // namespace strobe::analysis

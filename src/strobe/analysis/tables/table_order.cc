#include "strobe/analysis/tables/table_order.h"

#include <algorithm>

namespace strobe::analysis {
namespace {

// A TimeStat without calls has no minimum; it sorts after all others.
double ascending_key(const TimeStat& stat) { return -static_cast<double>(stat.min_ns); }

double time_key(const TimeStat& host, const TimeStat& device, SortKey key) {
  switch (key) {
    case SortKey::kHostTotal:
      return static_cast<double>(host.total_ns);
    case SortKey::kHostAverage:
      return host.average_ns();
    case SortKey::kHostMax:
      return static_cast<double>(host.max_ns);
    case SortKey::kHostMin:
      return ascending_key(host);
    case SortKey::kDeviceTotal:
      return static_cast<double>(device.total_ns);
    case SortKey::kDeviceAverage:
      return device.average_ns();
    case SortKey::kDeviceMax:
      return static_cast<double>(device.max_ns);
    case SortKey::kDeviceMin:
      return ascending_key(device);
  }
  return 0;
}

template <class Row>
double sort_key(const Row& row, SortKey key) {
  return time_key(row.host, row.device, key);
}
double sort_key(const KernelRow& row, SortKey key) {
  return time_key(row.device, row.device, sorts_by_device(key) ? key : SortKey::kDeviceTotal);
}

template <class Row>
void count(LeftOut& left_out, const Row& row) {
  ++left_out.rows;
  left_out.host_ns += row.host.total_ns;
  left_out.device_ns += row.device.total_ns;
  left_out.self_host_ns += row.self_host_ns;
}
void count(LeftOut& left_out, const KernelRow& row) {
  ++left_out.rows;
  left_out.device_ns += row.device.total_ns;
}
void count(LeftOut& left_out, const MemoryRow&) { ++left_out.rows; }

template <class Row>
ShownRows<Row> filtered(const std::vector<Row>& rows, const TableOptions& options) {
  ShownRows<Row> shown;
  shown.rows.reserve(rows.size());
  for (const Row& row : rows) {
    if (options.keeps_name && !options.keeps_name(row.name)) {
      count(shown.filtered, row);
    } else {
      shown.rows.push_back(&row);
    }
  }
  return shown;
}

template <class Row>
ShownRows<Row> cut(ShownRows<Row> shown, std::size_t top) {
  if (top == 0 || shown.rows.size() <= top) return shown;
  for (std::size_t i = top; i < shown.rows.size(); ++i) count(shown.cut, *shown.rows[i]);
  shown.rows.resize(top);
  return shown;
}

template <class Row>
ShownRows<Row> sorted(const std::vector<Row>& rows, const TableOptions& options) {
  ShownRows<Row> shown = filtered(rows, options);
  std::stable_sort(shown.rows.begin(), shown.rows.end(), [&](const Row* a, const Row* b) {
    return sort_key(*a, options.sort) > sort_key(*b, options.sort);
  });
  return cut(std::move(shown), options.top);
}

}  // namespace

bool sorts_by_device(SortKey key) { return key >= SortKey::kDeviceTotal; }

ShownRows<OperatorRow> shown_rows(const std::vector<OperatorRow>& rows,
                                  const TableOptions& options) {
  return sorted(rows, options);
}
ShownRows<UserRangeRow> shown_rows(const std::vector<UserRangeRow>& rows,
                                   const TableOptions& options) {
  return sorted(rows, options);
}
ShownRows<KernelRow> shown_rows(const std::vector<KernelRow>& rows, const TableOptions& options) {
  return sorted(rows, options);
}

ShownRows<UserRangeRow> shown_rows_unsorted(const std::vector<UserRangeRow>& rows,
                                            const TableOptions& options) {
  return cut(filtered(rows, options), options.top);
}

ShownRows<MemoryRow> shown_rows_by_increase(const std::vector<MemoryRow>& rows,
                                            const TableOptions& options) {
  ShownRows<MemoryRow> shown = filtered(rows, options);
  std::stable_sort(shown.rows.begin(), shown.rows.end(),
                   [](const MemoryRow* a, const MemoryRow* b) {
                     return a->increased_bytes() > b->increased_bytes();
                   });
  return cut(std::move(shown), options.top);
}

}  // namespace strobe::analysis

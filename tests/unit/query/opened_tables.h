#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/query/filled_tables.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace.h"
#include "tests/support/sketch.h"

namespace strobe::query {

inline Trace two_kernels() {
  using namespace literals;  // NOLINT(google-build-using-namespace): 10_us
  return Sketch()
      .thread(1)
      .slice("mm", kOp, 10_us, 20_us)
      .slice("cudaLaunchKernel", kCall, 12_us, 2_us)
      .correlation(1)
      .stream(0, 7)
      .slice("zgemm", kKernel, 40_us, 30_us)
      .correlation(1)
      .slice("add", kKernel, 70_us, 10_us)
      .trace();
}

// Traces, and the tables over them.
class Opened {
 public:
  explicit Opened(std::vector<Trace> traces)
      : traces_(std::move(traces)), reports_(traces_.size()) {
    std::vector<TraceInput> inputs;
    for (std::size_t i = 0; i < traces_.size(); ++i) {
      inputs.push_back({.run = "run",
                        .rank = static_cast<std::int32_t>(i),
                        .path = "trace.json",
                        .trace = &traces_[i],
                        .import = &reports_[i]});
    }
    tables_ = std::make_unique<FilledTables>(std::move(inputs), nullptr);
  }

  const Trace& trace() const { return traces_.front(); }
  const Table& table(std::string_view name) const {
    return *std::ranges::find(tables_->tables(), name, &Table::name);
  }
  FilledColumnPtr column(std::string_view of, std::string_view name) const {
    const Table& all = table(of);
    return tables_->column(all, *std::ranges::find(all.columns, name, &Column::name));
  }
  std::vector<NamedColumn> columns(std::string_view of) const {
    std::vector<NamedColumn> columns;
    for (const Column& one : table(of).columns) columns.push_back({one.name, column(of, one.name)});
    return columns;
  }
  const FilledTables& tables() const { return *tables_; }

 private:
  std::vector<Trace> traces_;
  std::vector<ImportReport> reports_;
  std::unique_ptr<FilledTables> tables_;
};

inline Opened opened(std::size_t traces = 1) {
  std::vector<Trace> all;
  for (std::size_t i = 0; i < traces; ++i) all.push_back(two_kernels());
  return Opened(std::move(all));
}

template <class Value>
std::vector<Value> values_of(const FilledColumn& column) {
  const auto* values = static_cast<const Value*>(column.values);
  return std::vector<Value>(values, values + column.rows);
}

}  // namespace strobe::query

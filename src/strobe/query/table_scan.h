#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "strobe/query/duckdb_api.h"
#include "strobe/query/table.h"

namespace strobe::query {

// What table functions need of their engine; it outlives them.
struct ScanContext {
  const duckdb::Library* duckdb = nullptr;
  std::deque<TraceSource> sources;
  std::vector<Table> tables;
  Lazy<Names> names_made;
  Lazy<duckdb::Type> name_type_made;
  unsigned threads = 1;

  // Of the scans of a query, for its progress.
  mutable std::atomic<std::uint64_t> rows_begun{0};
  mutable std::atomic<std::uint64_t> rows_read{0};

  ~ScanContext();
  ScanContext() = default;
  ScanContext(const ScanContext&) = delete;
  ScanContext& operator=(const ScanContext&) = delete;

  const Names& names() const;
  duckdb::Type name_type() const;  // an ENUM of all names
  int name_bytes() const;

 private:
  mutable duckdb::Type owned_type_ = nullptr;
};

// Makes `from kernels` and the like work on a connection, with slices_between(t0, t1) and
// slices_of(name).
Result<void> register_tables(ScanContext& context, duckdb::Database database,
                             duckdb::Connection connection);

// overlap(a0, a1, b0, b1), busy(start, stop), short_name(name), family(name).
Result<void> register_functions(const duckdb::Library& duckdb, duckdb::Connection connection);

}  // namespace strobe::query

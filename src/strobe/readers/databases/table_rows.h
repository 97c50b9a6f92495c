#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "strobe/base/sqlite.h"
#include "strobe/readers/trace_sink.h"

namespace strobe::readers {

// A value that cannot be negative; 0 if it is.
std::uint64_t count_in(const sqlite::Query& row, int column);
std::int32_t device_in(const sqlite::Query& row, int column);  // the same for a device's number

// The columns of one table or view as a statement, some of which may not exist in every version.
class TableRows {
 public:
  TableRows(const sqlite::Database& database, std::string_view table);

  bool exists() const { return exists_; }
  // The place of the first of these columns that exists, as it will be in each row; a column that
  // has none of the names is NULL.
  int column(std::initializer_list<std::string_view> names);
  bool has(std::string_view name) const { return database_.has_column(table_, name); }

  // f(const sqlite::Query&) for each row. A table that is damaged ends where the damage is, which
  // is reported. False: reading must end, the sink says why.
  bool for_each(TraceSink& sink, const std::function<void(const sqlite::Query&)>& f);

 private:
  const sqlite::Database& database_;
  std::string table_;
  std::string columns_;
  int count_ = 0;
  bool exists_;
};

}  // namespace strobe::readers

#pragma once

#include <initializer_list>
#include <string_view>

#include "strobe/readers/databases/database_format.h"
#include "strobe/readers/databases/table_rows.h"
#include "strobe/readers/rocm/work_rows.h"

// Databases of AMD's profilers.
namespace strobe::readers {

extern const DatabaseFormat kRocpd;      // rocprofv3, since ROCm 7
extern const DatabaseFormat kRpd;        // rocmProfileData
extern const DatabaseFormat kRocprofDb;  // rocprof, the first one

// The columns with the times of a row, under the names that they may have.
struct TimeColumns {
  using Names = std::initializer_list<std::string_view>;
  TimeColumns(TableRows& table, Names starts, Names ends)
      : start(table.column(starts)), end(table.column(ends)) {}

  WorkTimes of(const sqlite::Query& row) const { return {row.integer(start), row.integer(end)}; }

  int start;
  int end;
};

}  // namespace strobe::readers

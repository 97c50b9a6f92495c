#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/sqlite.h"
#include "strobe/readers/databases/left_out.h"
#include "strobe/readers/trace_sink.h"

namespace strobe::readers {

// The tables of a database whose rows become the events of a trace. Views, virtual tables and
// computed columns do not count: nobody knows what a stranger's file would compute.
class EventTables {
 public:
  EventTables(const sqlite::Database& database, TraceSink& sink);

  bool has(std::string_view table) const { return tables_.contains(table); }
  bool has(std::string_view table, std::string_view column) const;
  // A guess of the rows in all of `tables`, which a damaged file cannot drive up.
  std::uint64_t about_rows(std::span<const std::string_view> tables) const;

  // Shows `on_row` the rows of a table, in no order that can be relied upon, with these columns;
  // one that the table lacks is NULL. No table, no rows. Damage goes to the report. False if
  // reading must end.
  template <class OnRow>
  bool read(std::string_view table, std::span<const std::string_view> columns, OnRow on_row) {
    std::optional<sqlite::TableRows> rows = begin(table, columns);
    std::uint64_t count = 0;
    while (rows && rows->next()) {
      on_row(*rows);
      if (++count % kPulse == 0 && !sink_.pulse(kPulse)) [[unlikely]]
        return false;
    }
    return end(table, rows, count);
  }
  // Rows that are read again later: this counts nothing and reports nothing.
  template <class OnRow>
  void read_first(std::string_view table, std::span<const std::string_view> columns,
                  OnRow on_row) const {
    std::optional<sqlite::TableRows> rows = database_.rows(table, columns);
    while (rows && rows->next()) on_row(*rows);
  }

  // Rows of a table that the caller has read, but does not keep as events.
  LeftOut left_out;

 private:
  static constexpr std::uint64_t kPulse = 1 << 16;

  std::optional<sqlite::TableRows> begin(std::string_view table,
                                         std::span<const std::string_view> columns);
  bool end(std::string_view table, const std::optional<sqlite::TableRows>& rows,
           std::uint64_t count);
  void report_damage(std::string_view table, std::string_view what);

  const sqlite::Database& database_;
  TraceSink& sink_;
  std::uint64_t most_rows_;
  std::map<std::string, std::vector<std::string>, std::less<>> tables_;  // their columns
};

// The time in a row. False if there is none that a trace can hold: that is reported.
bool read_time(const sqlite::TableRows& row, std::size_t column, std::string_view table,
               ImportReport& report, std::int64_t& time_ns);

}  // namespace strobe::readers

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/sqlite.h"
#include "strobe/readers/trace_sink.h"

namespace strobe::readers {

// The tables of a database whose rows become the events of a trace. Views, virtual tables and
// computed columns do not count: nobody knows what a stranger's file would compute.
//
// It also keeps the accounts: what was not read is named in the report.
class EventTables {
 public:
  EventTables(const sqlite::Database& database, TraceSink& sink);

  bool has(std::string_view table) const { return tables_.contains(table); }
  bool has(std::string_view table, std::string_view column) const;
  // A guess of the rows in all of `tables`, which a damaged file cannot drive up.
  std::uint64_t about_rows(std::span<const std::string_view> tables) const;

  // Shows `on_row` the rows of a table in the order of the file, with these columns; one that the
  // table lacks is NULL. No table, no rows. Damage ends the rows and goes to the report.
  // False if reading must end.
  template <class OnRow>
  bool read(std::string_view table, std::span<const std::string_view> columns, OnRow on_row) {
    Rows rows(*this, table, select(table, columns));
    while (const sqlite::Query* row = rows.next()) on_row(*row);
    return rows.end();
  }
  // Only those that fulfil a condition, which names columns that are there. They are read again:
  // this counts nothing and reports nothing.
  template <class OnRow>
  void read_some(std::string_view table, std::span<const std::string_view> columns,
                 std::string_view condition, OnRow on_row) const {
    auto rows = database_.query(select(table, columns) + " WHERE " + std::string(condition));
    for (std::uint64_t row = 0; row < most_rows_ && rows && rows->next(); ++row) on_row(*rows);
  }

  // Rows of a table that the caller has read, but does not keep as events.
  void leave_out(std::string_view what, std::uint64_t rows);
  // Names what was left out, and the tables with times that were not read.
  void report_left_out();

 private:
  class Rows {
   public:
    Rows(EventTables& tables, std::string_view table, const std::string& sql);
    // Null after the last one.
    const sqlite::Query* next() {
      if (!query_ || !query_->next()) return nullptr;
      ++rows_;
      if (rows_ % kPulse == 0 && !goes_on()) [[unlikely]]
        return nullptr;
      return &*query_;
    }
    bool end();

   private:
    static constexpr std::uint64_t kPulse = 1 << 16;
    bool goes_on();
    void report_damage(std::string_view what);

    EventTables& tables_;
    std::string_view table_;
    Result<sqlite::Query> query_;
    std::uint64_t rows_ = 0;
    bool is_stopped_ = false;
  };

  std::string select(std::string_view table, std::span<const std::string_view> columns) const;

  const sqlite::Database& database_;
  TraceSink& sink_;
  std::uint64_t most_rows_;
  std::map<std::string, std::vector<std::string>, std::less<>> tables_;  // their columns
  std::set<std::string, std::less<>> read_;
  std::map<std::string, std::uint64_t, std::less<>> left_out_;
};

// The time in a row. False if there is none that a trace can hold: that is reported.
bool read_time(const sqlite::Query& row, int column, std::string_view table, ImportReport& report,
               std::int64_t& time_ns);

}  // namespace strobe::readers

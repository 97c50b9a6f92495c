#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "strobe/base/sqlite.h"
#include "strobe/trace/import_report.h"

namespace strobe::readers {

// Rows of a database that do not become events: what they are and how many, as one line of the
// report.
class LeftOut {
 public:
  void add(std::string_view what, std::uint64_t rows);
  // The tables that nobody has read. Those in `no_events` are known to describe events or the
  // recording; a name that ends in '*' stands for all that begin so, one that begins with it for
  // all that end so.
  void add_unread_tables(const sqlite::Database& database,
                         std::span<const std::string_view> no_events);
  void report_to(ImportReport& report) const;

 private:
  std::map<std::string, std::uint64_t, std::less<>> rows_;
};

}  // namespace strobe::readers

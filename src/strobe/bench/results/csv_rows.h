#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strobe::bench {

// The rows of a table that another harness left, one after the other. Columns are spoken of by
// their place in `names`; the file has them in any order, and others beside them.
class CsvRows {
 public:
  CsvRows(std::string_view csv, std::span<const std::string_view> names);

  bool has(std::size_t column) const { return columns_[column].has_value(); }
  // The next row that is not empty; false at the end.
  bool next();
  std::string_view field(std::size_t column) const;  // of this row; "" where it has none
  // "line 3, column 'dim0': 'x' is no size; the row is left out"
  void remark(std::size_t column, std::string_view trouble);
  // Twenty, and how many more there were.
  std::vector<std::string> take_remarks();

 private:
  std::span<const std::string_view> names_;
  std::string_view left_;
  std::vector<std::optional<std::size_t>> columns_;  // where each name stands in a line
  std::vector<std::string> fields_;
  std::size_t line_ = 1;
  std::vector<std::string> remarks_;
  std::size_t remark_count_ = 0;
};

}  // namespace strobe::bench

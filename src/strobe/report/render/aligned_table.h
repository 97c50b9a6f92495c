#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strobe::report {

enum class CellAlignment : std::uint8_t {
  kText,    // left
  kWhole,   // right
  kDecimal  // at the decimal point; numbers without one end before it
};

struct AlignedColumn {
  std::string header;
  CellAlignment alignment = CellAlignment::kText;
  std::vector<std::string> cells;  // as many as every other column
};

// A Markdown table that is also readable as plain text: cells are padded to the width of their
// column, counted in characters. A '|' in a text is escaped. No line end after the last row.
std::string aligned_table(std::vector<AlignedColumn> columns);

}  // namespace strobe::report

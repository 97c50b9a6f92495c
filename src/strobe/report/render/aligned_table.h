#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strobe::report {

enum class CellAlignment : std::uint8_t {
  kText,    // left
  kWhole,   // right
  kDecimal  // by the decimal point; numbers without one end before it
};

struct AlignedColumn {
  std::string header;
  CellAlignment alignment = CellAlignment::kText;
  std::vector<std::string> cells;  // as many as every other column has
};

// A Markdown table that also reads well as it stands: cells padded to the width of their column,
// counted in characters. A '|' of a text is escaped. No line end behind the last row.
std::string aligned_table(std::vector<AlignedColumn> columns);

}  // namespace strobe::report

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strobe/report/render/document.h"

namespace strobe::report {

struct LaidColumn {
  std::size_t index = 0;  // in the table's columns
  std::size_t width = 0;
};

struct TableLayout {
  std::vector<LaidColumn> columns;
  std::vector<std::string> left_out;  // headers of the dropped columns
};

inline constexpr std::size_t kColumnGap = 2;

std::vector<std::string> header_lines(const Column& column);

// Fits a table into `room` terminal columns: bars and names shrink first, then the least important
// columns are dropped. `texts` are the table's cells, printable.
TableLayout lay_out(const Table& table, const std::vector<std::vector<std::string>>& texts,
                    std::size_t room);

}  // namespace strobe::report

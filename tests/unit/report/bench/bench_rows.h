#pragma once

#include <string>
#include <vector>

#include "strobe/report/bench/bench_table.h"

namespace strobe::report {

// What a person reads in a row, its label first.
inline std::vector<std::string> row_texts(const BenchRow& row) {
  std::vector<std::string> texts = {row.label};
  for (const BenchCell& cell : row.cells) texts.push_back(cell.text);
  return texts;
}

}  // namespace strobe::report

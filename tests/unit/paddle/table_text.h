#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/tables/table_options.h"

// One table at a time, line by line.
namespace strobe::paddle {

using analysis::TableOptions;
using analysis::View;
using analysis::ViewSet;

inline TableOptions only(ViewSet views) {
  TableOptions options;
  options.views = views;
  return options;
}
inline TableOptions only(View view) { return only(ViewSet().with(view)); }

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline std::string line_with(const std::string& text, std::string_view start) {
  for (const std::string& line : lines_of(text)) {
    if (line.compare(0, start.size(), start) == 0) return line;
  }
  return "no line starts with " + std::string(start);
}

}  // namespace strobe::paddle

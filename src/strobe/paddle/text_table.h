#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// The plain layout that all tables of this style share: left-aligned cells, each followed by two
// spaces, a cell too long for its column pushing the rest of its row to the right.
namespace strobe::paddle {

std::size_t code_points(std::string_view text);

// Longer than `limit` code points: cut, with "..." as its last three.
std::string shortened(std::string_view text, std::size_t limit);

// Text centred in dashes, the odd dash to the right; the bare text when it is wider than the line.
std::string title(std::size_t line_width, std::string_view text);

class TextTable {
 public:
  explicit TextTable(std::vector<std::size_t> widths) : widths_(std::move(widths)) {}

  std::size_t line_width() const;

  // Each appends one line to `out`.
  void row(std::string& out, const std::vector<std::string>& cells) const;
  void separator(std::string& out) const;
  void title_line(std::string& out, std::string_view text) const;
  void rule(std::string& out) const;

 private:
  std::vector<std::size_t> widths_;
};

// The width a column grows to: its default, or its longest cell. The header does not count.
std::size_t grown_width(std::size_t least, const std::vector<std::vector<std::string>>& rows,
                        std::size_t column);

}  // namespace strobe::paddle

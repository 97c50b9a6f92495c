#include "strobe/report/render/aligned_table.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "strobe/base/text.h"

namespace strobe::report {
namespace {

void escape(std::string& text) {
  const auto breaks_table = [](char c) { return c == '|' || c == '\n' || c == '\r'; };
  if (std::ranges::none_of(text, breaks_table)) return;
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  text = std::move(out);
}

// Characters after the point, or after the 'e' of an exponent if there is no point; -1 if there is
// neither: then the point itself is missing too.
std::ptrdiff_t tail_of(std::string_view cell) {
  std::size_t at = cell.rfind('.');
  if (at == std::string_view::npos) at = cell.find('e');
  if (at == std::string_view::npos) return -1;
  return static_cast<std::ptrdiff_t>(cell.size() - at - 1);
}

void align_points(std::vector<std::string>& cells) {
  std::ptrdiff_t longest = -1;
  for (const std::string& cell : cells) longest = std::max(longest, tail_of(cell));
  for (std::string& cell : cells) {
    cell.append(static_cast<std::size_t>(longest - tail_of(cell)), ' ');
  }
}

class Layout {
 public:
  explicit Layout(const AlignedColumn& column)
      : is_text_(column.alignment == CellAlignment::kText),
        width_(code_points(column.header) + kHeaderMargin) {
    for (const std::string& cell : column.cells) width_ = std::max(width_, code_points(cell));
  }

  std::size_t characters() const { return width_ + 3; }  // with the blanks around it and the bar

  void append_cell(std::string& out, const std::string& cell) const {
    const std::size_t padding = width_ - code_points(cell);
    out += ' ';
    if (!is_text_) out.append(padding, ' ');
    out += cell;
    if (is_text_) out.append(padding, ' ');
    out += " |";
  }

  void append_rule(std::string& out) const {
    if (is_text_) out += ':';
    out.append(width_ + 1, '-');
    if (!is_text_) out += ':';
    out += '|';
  }

 private:
  static constexpr std::size_t kHeaderMargin = 2;

  bool is_text_;
  std::size_t width_;
};

}  // namespace

std::string aligned_table(std::vector<AlignedColumn> columns) {
  std::vector<Layout> layouts;
  for (AlignedColumn& column : columns) {
    escape(column.header);
    if (column.alignment == CellAlignment::kText) {
      for (std::string& cell : column.cells) escape(cell);
    }
    if (column.alignment == CellAlignment::kDecimal) align_points(column.cells);
    layouts.emplace_back(column);
  }
  const std::size_t rows = columns.empty() ? 0 : columns.front().cells.size();
  std::string out;
  std::size_t line = 2;
  for (const Layout& layout : layouts) line += layout.characters();
  out.reserve(line * (rows + 2));
  out += '|';
  for (std::size_t i = 0; i < columns.size(); ++i) layouts[i].append_cell(out, columns[i].header);
  out += "\n|";
  for (const Layout& layout : layouts) layout.append_rule(out);
  for (std::size_t row = 0; row < rows; ++row) {
    out += "\n|";
    for (std::size_t i = 0; i < columns.size(); ++i) {
      layouts[i].append_cell(out, columns[i].cells[row]);
    }
  }
  return out;
}

}  // namespace strobe::report

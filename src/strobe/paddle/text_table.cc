#include "strobe/paddle/text_table.h"

#include <algorithm>

namespace strobe::paddle {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

}  // namespace

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (code_points(text) <= limit) return std::string(text);
  std::size_t kept = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (!is_continuation(text[end]) && kept++ == limit - 3) break;
  }
  return std::string(text.substr(0, end)) + "...";
}

std::string title(std::size_t line_width, std::string_view text) {
  const std::size_t length = code_points(text);
  if (length >= line_width) return std::string(text);
  const std::size_t pad = line_width - length;
  return std::string(pad / 2, '-') + std::string(text) + std::string(pad - pad / 2, '-');
}

std::size_t TextTable::line_width() const {
  std::size_t width = 2 * (widths_.size() - 1);
  for (const std::size_t column : widths_) width += column;
  return width;
}

void TextTable::row(std::string& out, const std::vector<std::string>& cells) const {
  for (std::size_t i = 0; i < widths_.size(); ++i) {
    out += cells[i];
    const std::size_t length = code_points(cells[i]);
    out.append(length < widths_[i] ? widths_[i] - length + 2 : 2, ' ');
  }
  out += '\n';
}

void TextTable::separator(std::string& out) const {
  for (const std::size_t width : widths_) {
    out.append(width, '-');
    out += "  ";
  }
  out += '\n';
}

void TextTable::title_line(std::string& out, std::string_view text) const {
  out += title(line_width(), text);
  out += '\n';
}

void TextTable::rule(std::string& out) const {
  out.append(line_width(), '-');
  out += '\n';
}

std::size_t grown_width(std::size_t least, const std::vector<std::vector<std::string>>& rows,
                        std::size_t column) {
  std::size_t width = least;
  for (const auto& row : rows) {
    if (column < row.size()) width = std::max(width, code_points(row[column]));
  }
  return width;
}

}  // namespace strobe::paddle

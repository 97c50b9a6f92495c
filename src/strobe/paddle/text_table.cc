#include "strobe/paddle/text_table.h"

#include <algorithm>
#include <cstdio>

#include "strobe/base/text.h"

namespace strobe::paddle {

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

using analysis::TimeStat;
using analysis::TimeUnit;

std::string fixed(double value, int decimals) {
  char text[400];  // the largest double has 309 digits before the point
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string ratio(double part, double whole) {
  return fixed(whole == 0 ? 0.0 : part / whole * 100);
}
std::string ratio(std::int64_t part, std::int64_t whole) {
  return ratio(static_cast<double>(part), static_cast<double>(whole));
}

std::string_view TimeCells::unit_name() const {
  switch (unit_) {
    case TimeUnit::kSeconds:
      return "s";
    case TimeUnit::kMilliseconds:
      return "ms";
    case TimeUnit::kMicroseconds:
      return "us";
    case TimeUnit::kNanoseconds:
      return "ns";
  }
  return "";
}

std::string TimeCells::time(double duration_ns) const {
  switch (unit_) {
    case TimeUnit::kSeconds:
      return fixed(duration_ns / 1e9);
    case TimeUnit::kMilliseconds:
      return fixed(duration_ns / 1e6);
    case TimeUnit::kMicroseconds:
      return fixed(duration_ns / 1e3);
    case TimeUnit::kNanoseconds:
      return fixed(duration_ns);
  }
  return "";
}
std::string TimeCells::time(std::int64_t duration_ns) const {
  return time(static_cast<double>(duration_ns));
}

std::string TimeCells::times(const TimeStat& stat, std::int64_t whole_ns) const {
  return time(stat.total_ns) + " / " + time(stat.average_ns()) + " / " + time(stat.max_ns) + " / " +
         (stat.calls == 0 ? "-" : time(stat.min_ns)) + " / " + ratio(stat.total_ns, whole_ns);
}

std::string TimeCells::total_only(std::int64_t total_ns, std::int64_t whole_ns) const {
  return time(total_ns) + " / - / - / - / " + ratio(total_ns, whole_ns);
}

std::string left_out_line(const analysis::LeftOut& cut, bool by_device, TimeUnit unit) {
  if (cut.rows == 0) return "";
  const TimeCells cells(unit);
  return "... " + std::to_string(cut.rows) + " more, " +
         cells.time(by_device ? cut.device_ns : cut.host_ns) + " " +
         std::string(cells.unit_name()) + "\n";
}

}  // namespace strobe::paddle

// The plain layout of all tables of this style: left-aligned cells, each followed by two spaces; a
// cell too long for its column moves the rest of its row to the right. Its numbers have two
// decimals, no percent sign and no unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/analysis/tables/summary.h"
#include "strobe/analysis/tables/table_options.h"
#include "strobe/analysis/tables/table_order.h"

namespace strobe::paddle {

// Cuts a text longer than `limit` code points; "..." are its last three.
std::string shortened(std::string_view text, std::size_t limit);

// Text centred in dashes, the odd dash to the right; the bare text when it is wider than the line.
std::string title(std::size_t line_width, std::string_view text);

using TextRows = std::vector<std::vector<std::string>>;

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

// The width of a column: its default, or its longest cell. The header does not count.
std::size_t grown_width(std::size_t least, const TextRows& rows, std::size_t column);

inline constexpr std::string_view kNoTimes = "- / - / - / - / -";

std::string fixed(double value, int decimals = 2);

// part / whole in percent; 0.00 when there is no whole.
std::string ratio(double part, double whole);
std::string ratio(std::int64_t part, std::int64_t whole);

class TimeCells {
 public:
  explicit TimeCells(analysis::TimeUnit unit) : unit_(unit) {}

  std::string_view unit_name() const;
  std::string time(double duration_ns) const;
  std::string time(std::int64_t duration_ns) const;

  // "total / avg / max / min / ratio"; a minimum that was never set prints as "-".
  std::string times(const analysis::TimeStat& stat, std::int64_t whole_ns) const;
  // "total / - / - / - / ratio", for rows without calls of their own.
  std::string total_only(std::int64_t total_ns, std::int64_t whole_ns) const;

 private:
  analysis::TimeUnit unit_;
};

// "... 41 more, 3.20 ms", if the user limited the rows; "" otherwise.
std::string left_out_line(const analysis::LeftOut& cut, bool by_device, analysis::TimeUnit unit);

}  // namespace strobe::paddle

#include "strobe/readers/counters/text_table.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "strobe/readers/counters/decimal.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kTitles[] = {"Kernel", "Latency", "Tensor", "DRAM"};
constexpr std::size_t kNumbers = 3;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view next_word(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  std::size_t length = 0;
  while (length < text.size() && !is_blank(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

struct Cells {
  std::string_view name;
  std::array<std::string_view, kNumbers> numbers;
};

// Three words behind the separator, whatever they are.
std::optional<Cells> cells_at(std::string_view line, std::size_t separator, std::size_t width) {
  if (separator == std::string_view::npos) return std::nullopt;
  Cells cells{trimmed(line.substr(0, separator)), {}};
  std::string_view rest = line.substr(separator + width);
  for (std::string_view& number : cells.numbers) {
    number = next_word(rest);
    if (number.empty()) return std::nullopt;
  }
  if (!next_word(rest).empty()) return std::nullopt;
  return cells;
}

// Names may hold either separator: the last one counts.
std::optional<Cells> cells_of(std::string_view line) {
  if (const auto cells = cells_at(line, line.rfind('|'), 1)) return cells;
  return cells_at(line, line.rfind(": "), 2);
}

}  // namespace

bool is_text_table_header(std::string_view line) {
  for (const std::string_view title : kTitles) {
    if (next_word(line) != title) return false;
  }
  return next_word(line).empty();
}

Result<void> read_text_table(CsvRecords& lines, LaunchRows& rows) {
  const std::array<std::pair<NamedCounter, int>, kNumbers> columns = {{
      {{Counter::kDuration, Quantity::kTime, 0}, 0},
      {{counter_of(KernelMetric::kTensorPercent), Quantity::kPercent, 0}, 2},
      {{counter_of(KernelMetric::kDramPercent), Quantity::kPercent, 0}, 2},
  }};
  Place place;
  while (lines.next_line()) {
    const std::string_view line = lines.text();
    if (trimmed(line).empty() || line.starts_with("==") || is_text_table_header(line)) continue;
    ++place.row;
    place.line = lines.line();
    const std::optional<Cells> cells = cells_of(line);
    if (!cells) {
      rows.remarks().add(place, "Kernel", line,
                         lines.is_last_cut() ? "ends before its last column; left out"
                                             : "is no name with three numbers; left out");
      continue;
    }
    const std::size_t row = rows.add(static_cast<std::uint32_t>(rows.size()), cells->name, place);
    for (std::size_t i = 0; i < kNumbers; ++i) {
      Decimal decimal;
      const NumberText kind = parse_decimal(cells->numbers[i], decimal);
      const std::string_view title = kTitles[i + 1];
      if (kind == NumberText::kDecimalComma) {
        return Error{ErrorCode::kMalformed,
                     fmt::format("{}: '{}' is written with a decimal comma",
                                 place_text(place, title), quotable(cells->numbers[i])),
                     "", "write the table with LC_ALL=C, so that numbers read 0.37"};
      }
      const bool is_bad = kind == NumberText::kOther ||
                          (kind == NumberText::kNumber &&
                           rows.set(row, columns[i].first, scaled(decimal, columns[i].second)) ==
                               LaunchRows::Set::kUseless);
      if (is_bad) rows.remarks().add(place, title, cells->numbers[i], "is no number it can have");
    }
  }
  return {};
}

}  // namespace strobe::readers

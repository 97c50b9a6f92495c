#include "strobe/readers/counters/kernel_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/csv.h"
#include "strobe/base/json_text.h"
#include "strobe/base/text.h"
#include "strobe/readers/counters/decimal.h"
#include "strobe/readers/counters/launch_rows.h"
#include "strobe/readers/counters/ncu_csv.h"
#include "strobe/readers/counters/rocm_csv.h"
#include "strobe/readers/sniff.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kTitles[] = {"Kernel", "Latency", "Tensor", "DRAM"};
constexpr std::size_t kNumbers = 3;

std::string_view next_word(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  std::size_t length = 0;
  while (length < text.size() && !is_blank(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

struct Cells {
  std::string_view name;
  std::array<std::string_view, kNumbers> numbers;
};

// Exactly three words after the separator, of any kind.
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

namespace {

// The lines below the header of the text table.
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
                                             : "is not a name with three numbers; left out");
      continue;
    }
    const std::size_t row = rows.add(static_cast<std::uint32_t>(rows.size()), cells->name, place);
    for (std::size_t i = 0; i < kNumbers; ++i) {
      Decimal decimal;
      const NumberText kind = parse_decimal(cells->numbers[i], decimal);
      const std::string_view title = kTitles[i + 1];
      if (kind == NumberText::kDecimalComma) {
        return decimal_comma(place, title, cells->numbers[i]);
      }
      const bool is_bad = kind == NumberText::kOther ||
                          (kind == NumberText::kNumber &&
                           rows.set(row, columns[i].first, scaled(decimal, columns[i].second)) ==
                               LaunchRows::Set::kUseless);
      if (is_bad) rows.remarks().add(place, title, cells->numbers[i], kNotValid);
    }
  }
  return {};
}

constexpr std::size_t kMostRemembered = 64 << 10;

bool has_column(const std::vector<std::string>& header, std::string_view name) {
  return std::ranges::find(header, name) != header.end();
}

// Must be cheap, because it is called for every line that a program printed before its kernels.
bool may_be_header(std::string_view line) {
  return line.find("Kernel Name") != std::string_view::npos ||
         line.find("Metric Name") != std::string_view::npos ||
         line.find("gpu__time_duration") != std::string_view::npos;
}

std::vector<std::string> fields_of(CsvRecords& lines) {
  lines.split_line();
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    fields.push_back(sanitize_utf8(lines.field(i)));
  }
  // Some layouts end every row with a comma.
  while (!fields.empty() && fields.back().empty()) fields.pop_back();
  return fields;
}

enum class Layout : std::uint8_t { kNone, kMetricRows, kWide };

Layout layout_of(const std::vector<std::string>& header) {
  if (has_column(header, "Metric Name") && has_column(header, "Metric Value"))
    return Layout::kMetricRows;
  const bool has_duration = std::ranges::any_of(
      header, [](const std::string& name) { return name.starts_with("gpu__time_duration"); });
  if (has_duration || (has_column(header, "Kernel Name") && has_column(header, "ID")))
    return Layout::kWide;
  return Layout::kNone;
}

bool says_clocks_are_free(std::string_view line) {
  return line.starts_with("==") && (line.find("unmodified GPU clocks") != std::string_view::npos ||
                                    line.find("uncontrolled GPU clocks") != std::string_view::npos);
}

Result<KernelTable> finish_table(CsvRecords& records, LaunchRows& rows, KernelSource source) {
  if (records.damage() && records.damage()->code == ErrorCode::kInterrupted) {
    return *records.damage();
  }
  if (records.damage()) {
    rows.remarks().add_once(records.damage()->what + "; the part before it is kept");
  }
  return rows.finish(source);
}

}  // namespace

Result<KernelTable> read_kernel_text(ByteStream& stream) {
  CsvRecords lines(stream, {.log_mark = "=="});
  LaunchRows rows;
  std::string before;  // beginning of the file, to recognise it
  while (lines.next_line()) {
    const std::string_view line = lines.text();
    if (before.size() < kMostRemembered) {
      before.append(line.substr(0, kMostRemembered)).append("\n");
    }
    if (says_clocks_are_free(line)) rows.set_clock_policy(ClockPolicy::kFree);
    if (is_text_table_header(line)) {
      STROBE_TRY_VOID(read_text_table(lines, rows));
      return finish_table(lines, rows, KernelSource::kTextTable);
    }
    if (is_rocm_kernel_header(line)) {
      const bool is_wide = line.find("Counter_Name") == std::string_view::npos;
      lines.split_line();
      STROBE_TRY_VOID(read_rocm_kernels(lines, rows));
      return finish_table(lines, rows,
                          is_wide ? KernelSource::kWideCsv : KernelSource::kMetricRows);
    }
    if (!may_be_header(line) || line.starts_with("==")) continue;
    const std::vector<std::string> header = fields_of(lines);
    const Layout layout = layout_of(header);
    if (layout == Layout::kNone) continue;
    if (!has_column(header, "Kernel Name")) {
      return Error{ErrorCode::kMalformed,
                   fmt::format("line {} has no column 'Kernel Name'", lines.line()), "",
                   "write the table with `ncu --import REPORT --csv --page raw`"};
    }
    const bool is_wide = layout == Layout::kWide;
    STROBE_TRY_VOID(is_wide ? read_wide_csv(lines, header, rows)
                            : read_metric_rows(lines, header, rows));
    return finish_table(lines, rows, is_wide ? KernelSource::kWideCsv : KernelSource::kMetricRows);
  }
  if (lines.damage() && lines.damage()->code == ErrorCode::kInterrupted) return *lines.damage();
  if (before.empty() && lines.damage()) return *lines.damage();
  return explain_not_kernels(before);
}

}  // namespace strobe::readers

#include "strobe/readers/counters/kernel_text.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/csv.h"
#include "strobe/base/json_text.h"
#include "strobe/readers/counters/launch_rows.h"
#include "strobe/readers/counters/metric_rows.h"
#include "strobe/readers/counters/not_kernels.h"
#include "strobe/readers/counters/text_table.h"
#include "strobe/readers/counters/wide_csv.h"

namespace strobe::readers {
namespace {

constexpr std::size_t kMostRemembered = 64 << 10;

bool has(const std::vector<std::string>& header, std::string_view name) {
  return std::ranges::find(header, name) != header.end();
}

// Cheap: asked of every line a program printed before its kernels were listed.
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
  if (has(header, "Metric Name") && has(header, "Metric Value")) return Layout::kMetricRows;
  const bool has_duration = std::ranges::any_of(
      header, [](const std::string& name) { return name.starts_with("gpu__time_duration"); });
  if (has_duration || (has(header, "Kernel Name") && has(header, "ID"))) return Layout::kWide;
  return Layout::kNone;
}

bool tells_free_clocks(std::string_view line) {
  return line.starts_with("==") && (line.find("unmodified GPU clocks") != std::string_view::npos ||
                                    line.find("uncontrolled GPU clocks") != std::string_view::npos);
}

Result<KernelTable> finish(CsvRecords& records, LaunchRows& rows, const std::string& path,
                           KernelSource source) {
  if (records.damage() && records.damage()->code == ErrorCode::kInterrupted) {
    return *records.damage();
  }
  if (records.damage()) {
    rows.remarks().add_once(records.damage()->what + "; what stands before is kept");
  }
  return rows.finish(path, source);
}

}  // namespace

Result<KernelTable> read_kernel_text(ByteStream& stream, const std::string& path) {
  CsvRecords lines(stream, {.log_mark = "=="});
  LaunchRows rows;
  std::string before;  // what the file begins with, to tell what it is
  while (lines.next_line()) {
    const std::string_view line = lines.text();
    if (before.size() < kMostRemembered) {
      before.append(line.substr(0, kMostRemembered)).append("\n");
    }
    if (tells_free_clocks(line)) rows.set_clock_policy(ClockPolicy::kFree);
    if (is_text_table_header(line)) {
      STROBE_TRY_VOID(read_text_table(lines, rows));
      return finish(lines, rows, path, KernelSource::kTextTable);
    }
    if (!may_be_header(line) || line.starts_with("==")) continue;
    const std::vector<std::string> header = fields_of(lines);
    const Layout layout = layout_of(header);
    if (layout == Layout::kNone) continue;
    if (!has(header, "Kernel Name")) {
      return Error{ErrorCode::kMalformed,
                   fmt::format("line {} has no column 'Kernel Name'", lines.line()), "",
                   "write the table with `ncu --import REPORT --csv --page raw`"};
    }
    const bool is_wide = layout == Layout::kWide;
    STROBE_TRY_VOID(is_wide ? read_wide_csv(lines, header, rows)
                            : read_metric_rows(lines, header, rows));
    return finish(lines, rows, path, is_wide ? KernelSource::kWideCsv : KernelSource::kMetricRows);
  }
  if (lines.damage() && lines.damage()->code == ErrorCode::kInterrupted) return *lines.damage();
  if (before.empty() && lines.damage()) return *lines.damage();
  return explain_not_kernels(before);
}

}  // namespace strobe::readers

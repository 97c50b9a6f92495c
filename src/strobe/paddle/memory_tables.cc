#include "strobe/analysis/tables/table_order.h"
#include "strobe/paddle/tables.h"
#include "strobe/paddle/text_table.h"

namespace strobe::paddle {
namespace {

using analysis::MemoryPlace;
using analysis::MemoryRow;

void print_rows(std::string& out, const TextTable& table, const std::vector<MemoryRow>& rows,
                const std::string& type, const analysis::TableOptions& options) {
  const auto shown = analysis::shown_rows_by_increase(rows, options);
  for (const MemoryRow* row : shown.rows) {
    table.row(out, {row->name, type, std::to_string(row->allocations), std::to_string(row->frees),
                    std::to_string(row->allocated_bytes), std::to_string(row->freed_bytes),
                    std::to_string(row->increased_bytes())});
  }
  if (shown.cut.rows > 0) out += "... " + std::to_string(shown.cut.rows) + " more\n";
}

}  // namespace

std::string memory_tables(const TableInput& input) {
  // The third header is one character wider than its column and shifts the header line.
  const TextTable table({50, 12, 15, 15, 15, 15, 15});
  std::string out;
  for (const MemoryPlace& place : input.summary.memory) {
    if (place.allocated.empty()) continue;
    if (!out.empty()) out += "\n\n";
    table.title_line(out, "Memory Summary - " + place.place);
    out += "Peak Allocated Memory: " + std::to_string(place.peak_allocated_bytes) + "\n";
    out += "Peak Reserved Memory: " + std::to_string(place.peak_reserved_bytes) + "\n";
    table.separator(out);
    table.row(out, {"Name", "Type", "Allocation Count", "Free Count", "Allocation Size",
                    "Free Size", "Increased Size"});
    table.separator(out);
    print_rows(out, table, place.allocated, "Allocated", input.options);
    print_rows(out, table, place.reserved, "Reserved", input.options);
  }
  return out;
}

}  // namespace strobe::paddle

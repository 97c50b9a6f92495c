#include <fmt/format.h>

#include "strobe/report/bench/bench_render.h"
#include "strobe/report/render/aligned_table.h"
#include "strobe/report/render/display_text.h"

namespace strobe::report {
namespace {

std::string struck(const BenchCell& cell) {
  if (cell.mark == BenchMark::kSame) return "=" + cell.text;
  return cell.mark == BenchMark::kWrong ? fmt::format("~~{}~~", cell.text) : cell.text;
}

std::string table_text(const BenchTable& table) {
  std::vector<AlignedColumn> columns;
  columns.push_back({printable(table.corner), CellAlignment::kText, {}});
  for (const BenchRow& row : table.rows) columns[0].cells.push_back(printable(row.label));
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    AlignedColumn& column = columns.emplace_back();
    column.header = printable(table.columns[i].header);
    column.alignment = table.columns[i].is_text ? CellAlignment::kText : CellAlignment::kWhole;
    for (const BenchRow& row : table.rows) column.cells.push_back(printable(struck(row.cells[i])));
  }
  return aligned_table(std::move(columns));
}

}  // namespace

std::string bench_markdown(const BenchPage& page) {
  std::string out = fmt::format("# {}\n", printable(page.title));
  if (!page.facts.empty()) out += '\n';
  for (const auto& [label, text] : page.facts) {
    out += fmt::format("- {}: {}\n", label, printable(text));
  }
  for (const BenchTable& table : page.tables) {
    out += fmt::format("\n## {}\n", printable(table.title));
    if (!table.lead.empty()) out += fmt::format("\n{}\n", printable(table.lead));
    if (!table.rows.empty()) out += fmt::format("\n{}\n", table_text(table));
    if (!table.notes.empty() || !table.warnings.empty()) out += '\n';
    for (const std::string& note : table.notes) out += fmt::format("- {}\n", printable(note));
    for (const std::string& warning : table.warnings) {
      out += fmt::format("- **{}**\n", printable(warning));
    }
  }
  if (!page.identities.empty()) out += "\n## Do the tables fit together?\n\n";
  for (const bench::IdentityCheck& check : page.identities) {
    const std::string_view bold = check.violations.empty() ? "" : "**";
    out += fmt::format("- {0}{1}{0}\n", bold, printable(identity_text(check)));
  }
  if (!page.remarks.empty()) out += "\n## Remarks\n\n";
  for (const std::string& remark : page.remarks) out += fmt::format("- {}\n", printable(remark));
  return out;
}

}  // namespace strobe::report

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "strobe/report/bench/bench_render.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/render/display_text.h"

namespace strobe::report {
namespace {

constexpr std::size_t kGridGap = 2;
constexpr double kBand = 2;  // percent around 100 that no colour marks

struct Lines {
  std::vector<std::vector<std::string>> lines;  // the header first
  std::vector<std::size_t> widths;
  std::vector<bool> is_left;
};

bool is_number(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// A terminal without such signs has its own for "about".
std::string legible(std::string text, bool unicode) {
  constexpr std::string_view kAbout = "≈";
  for (std::size_t at = 0; !unicode && (at = text.find(kAbout, at)) != std::string::npos;) {
    text.replace(at, kAbout.size(), "~");
  }
  return printable(text, unicode);
}

Lines sheet_of(const BenchTable& table, bool unicode) {
  Lines sheet;
  std::vector<std::string> header = {printable(table.corner, unicode)};
  sheet.is_left.push_back(
      !std::ranges::all_of(table.rows, [](const BenchRow& row) { return is_number(row.label); }));
  for (const BenchColumn& column : table.columns) {
    header.push_back(printable(column.header, unicode));
    sheet.is_left.push_back(column.is_text);
  }
  sheet.widths.resize(header.size());
  sheet.lines.push_back(std::move(header));
  for (const BenchRow& row : table.rows) {
    std::vector<std::string>& line = sheet.lines.emplace_back();
    line.push_back(printable(row.label, unicode));
    for (const BenchCell& cell : row.cells) line.push_back(legible(marked_text(cell), unicode));
  }
  for (const auto& line : sheet.lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      sheet.widths[i] = std::max(sheet.widths[i], columns_of(line[i]));
    }
  }
  return sheet;
}

// Faster and slower have colours; struck-out and missing cells step back.
std::string_view colour_of(const BenchCell& cell) {
  if (cell.mark == BenchMark::kMissing || cell.mark == BenchMark::kWrong) return "\033[2m";
  if (!cell.percent || cell.mark == BenchMark::kSame) return "";
  if (*cell.percent > 100 + kBand) return "\033[36m";
  return *cell.percent < 100 - kBand ? "\033[33m" : "";
}

void append_grid(std::string& out, const BenchTable& table, const TextStyle& style) {
  if (table.rows.empty()) return;
  const Lines sheet = sheet_of(table, style.unicode);
  for (std::size_t i = 0; i < sheet.lines.size(); ++i) {
    std::string line;
    for (std::size_t j = 0; j < sheet.lines[i].size(); ++j) {
      const std::string& text = sheet.lines[i][j];
      const std::string pad(sheet.widths[j] - columns_of(text), ' ');
      const std::string_view colour =
          style.color && i > 0 && j > 0 ? colour_of(table.rows[i - 1].cells[j - 1]) : "";
      const std::string shown = colour.empty() ? text : fmt::format("{}{}\033[0m", colour, text);
      if (j > 0) line.append(kGridGap, ' ');
      line += sheet.is_left[j] ? shown + pad : pad + shown;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
}

void append_wrapped(std::string& out, std::string_view head, const std::string& text,
                    const TextStyle& style) {
  const std::size_t width = static_cast<std::size_t>(std::max(style.width, 40)) - head.size();
  bool is_first = true;
  for (const std::string& line : wrap(printable(text, style.unicode), width)) {
    out += is_first ? std::string(head) : std::string(head.size(), ' ');
    out += line + '\n';
    is_first = false;
  }
}

}  // namespace

std::string bench_text(const BenchPage& page, const TextStyle& style) {
  const auto bold = [&](const std::string& text) {
    return style.color ? fmt::format("\033[1m{}\033[0m", text) : text;
  };
  std::string out = bold(printable(page.title, style.unicode)) + '\n';
  for (const auto& [label, text] : page.facts) {
    append_wrapped(out, fmt::format("  {:<9} ", label), text, style);
  }
  for (const BenchTable& table : page.tables) {
    out += '\n' + bold(printable(table.title, style.unicode)) + '\n';
    if (!table.lead.empty()) append_wrapped(out, "", table.lead, style);
    out += '\n';
    append_grid(out, table, style);
    if (!table.rows.empty() && !table.notes.empty()) out += '\n';
    for (const std::string& note : table.notes) append_wrapped(out, "  ", note, style);
    for (const std::string& warning : table.warnings) append_wrapped(out, "! ", warning, style);
  }
  if (!page.identities.empty()) out += '\n' + bold("Do the tables fit together?") + "\n\n";
  for (const bench::IdentityCheck& check : page.identities) {
    append_wrapped(out, check.violations.empty() ? "  " : "! ", identity_text(check), style);
  }
  if (!page.remarks.empty()) out += '\n' + bold("Remarks") + "\n\n";
  for (const std::string& remark : page.remarks) append_wrapped(out, "  ", remark, style);
  return out;
}

}  // namespace strobe::report

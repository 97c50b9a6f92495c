#include "strobe/report/render/render.h"

#include <algorithm>

#include "strobe/report/render/display_text.h"

namespace strobe::report {
namespace {

using analysis::Finding;
using analysis::FindingWeight;

// A page has no width, but names of thousands of characters are useless; tools get them whole.
constexpr std::size_t kLongestName = 160;

std::string escaped_markdown(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_{}[]<>|#~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// A code span closes with as many backticks as it opened with; the bar would end the table cell.
std::string code(const std::string& text) {
  if (text.empty()) return "";
  std::size_t longest = 0;
  std::size_t run = 0;
  std::string body;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    if (c == '|') body += '\\';
    body += c;
  }
  const std::string fence(longest + 1, '`');
  const std::string pad = body.front() == '`' || body.back() == '`' ? " " : "";
  return fence + pad + body + pad + fence;
}

bool is_left_aligned(const Column& column) {
  return column.type == ColumnType::kText || column.type == ColumnType::kName;
}

std::string header_text(const Column& column) { return escaped_markdown(header_line(column)); }

void fit_column(std::size_t column, std::vector<std::vector<std::string>>& texts) {
  for (auto& row : texts) row[column] = printable(row[column]);
  std::vector<NameToFit> names;
  for (const auto& row : texts) names.push_back({row[column], kLongestName});
  const std::vector<std::string> fitted = fit_names(names);
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i][column] = fitted[i];
}

void append_markdown_table(std::string& out, const Table& table,
                           std::optional<analysis::TimeUnit> unit) {
  auto texts = table_texts(table, unit);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].type == ColumnType::kName) fit_column(i, texts);
  }
  const std::size_t names = name_column(table);
  std::string rule = "|";
  out += "|";
  for (const Column& column : table.columns) {
    if (!is_shown(column)) continue;
    out += " " + header_text(column) + " |";
    rule += is_left_aligned(column) ? " :--- |" : " ---: |";
  }
  out += "\n" + rule + "\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const bool is_total = table.rows[row].style == RowStyle::kTotal;
    out += "|";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!is_shown(table.columns[i])) continue;
      const bool is_name = table.columns[i].type == ColumnType::kName &&
                           std::holds_alternative<Text>(table.rows[row].cells[i]);
      const auto* measure = std::get_if<Measure>(&table.rows[row].cells[i]);
      const bool is_struck = measure != nullptr && measure->mark == Mark::kWrong;
      std::string text = is_struck ? "~~" + escaped_markdown(measure->text) + "~~"
                         : is_name ? code(texts[row][i])
                                   : escaped_markdown(texts[row][i]);
      if (is_total && !is_name && !text.empty()) text = "**" + text + "**";
      if (i == names) {
        for (std::size_t level = 0; level < table.rows[row].indent; ++level) text = "&emsp;" + text;
      }
      out += " " + text + " |";
    }
    out += "\n";
  }
  if (!table.left_out.empty()) out += "\n… " + escaped_markdown(table.left_out) + "\n";
}

void append_markdown_arguments(std::string& out, const std::vector<Argument>& arguments) {
  if (!arguments.empty()) out += "\n";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    out += std::to_string(i + 1) + ". **" + escaped_markdown(argument.claim) + "**\n";
    for (const std::string& seen : argument.in_favour)
      out += "   - " + escaped_markdown(seen) + "\n";
    for (const std::string& seen : argument.against) {
      out += "   - *against:* " + escaped_markdown(seen) + "\n";
    }
    if (!argument.advice.empty()) out += "   - → " + escaped_markdown(argument.advice) + "\n";
  }
}

std::string_view word_for(FindingWeight weight) {
  switch (weight) {
    case FindingWeight::kMatters:
      return "**Matters:** ";
    case FindingWeight::kWorthALook:
      return "**Worth a look:** ";
    case FindingWeight::kNote:
      return "";
  }
  return "";
}

void append_markdown_health(std::string& out, const Document& document) {
  const auto remarks = health_on_page(document);
  if (remarks.empty()) return;
  out += "\n**This recording is " + escaped_markdown(analysis::verdict_text(*document.health)) +
         "**\n\n";
  for (const analysis::HealthRemark& remark : remarks) {
    out += "- " + escaped_markdown(remark.seen) + "\n";
    out += "  - *so* " + escaped_markdown(remark.consequence) + "\n";
    if (!remark.advice.empty()) out += "  - → " + escaped_markdown(remark.advice) + "\n";
  }
}

}  // namespace

std::string markdown_section(const Section& section, std::optional<analysis::TimeUnit> unit) {
  std::string out = "\n## " + escaped_markdown(section.title) + "\n";
  if (!section.lead.empty()) out += "\n" + escaped_markdown(section.lead) + "\n";
  append_markdown_arguments(out, section.arguments);
  if (!section.points.empty()) out += "\n";
  for (const std::string& point : section.points) out += "- " + escaped_markdown(point) + "\n";
  if (!section.picture.empty()) {
    out += "\n```\n";
    for (const std::string& line : section.picture) out += line + "\n";
    out += "```\n";
  }
  if (!section.table.rows.empty()) {
    out += "\n";
    append_markdown_table(out, section.table, unit);
  }
  for (const std::string& note : section.notes) out += "\n" + escaped_markdown(note) + "\n";
  for (const std::string& warning : section.warnings) {
    out += "\n**" + escaped_markdown(warning) + "**\n";
  }
  return out;
}

std::string render_markdown(const Document& document) {
  std::string out = "# " + escaped_markdown(document.title) + "\n";
  if (!document.verdict.empty()) out += "\n## Verdict\n";
  for (const std::string& sentence : document.verdict)
    out += "\n" + escaped_markdown(sentence) + "\n";
  append_markdown_health(out, document);
  if (!document.facts.empty()) out += "\n";
  for (const Fact& fact : document.facts) {
    out += "- " + escaped_markdown(fact.label) + ": " +
           escaped_markdown(cell_text(fact.value, document.unit));
    if (!fact.remark.empty()) out += " (" + escaped_markdown(fact.remark) + ")";
    out += "\n";
  }
  if (!document.findings.empty()) out += "\n## Findings\n\n";
  const std::size_t shown = std::min(document.findings.size(), document.findings_on_page);
  for (std::size_t i = 0; i < shown; ++i) {
    const Finding& finding = document.findings[i];
    out += std::to_string(i + 1) + ". " + std::string(word_for(finding.weight)) +
           escaped_markdown(finding.headline) + "\n";
    for (const std::string& seen : finding.against) {
      out += "   - *against:* " + escaped_markdown(seen) + "\n";
    }
    if (!finding.advice.empty()) out += "   → " + escaped_markdown(finding.advice) + "\n";
  }
  for (const Section& section : document.sections) {
    if (is_on_page(section)) out += markdown_section(section, document.unit);
  }
  return out;
}

}  // namespace strobe::report

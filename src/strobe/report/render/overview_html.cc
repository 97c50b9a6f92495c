#include "strobe/report/render/overview_html.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "strobe/report/render/html_page.h"
#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

constexpr std::string_view kOverviewStyle =
    "<style>.strobe-overview{max-width:60em;line-height:1.45}"
    ".strobe-overview dl{display:grid;grid-template-columns:max-content 1fr;gap:0 "
    "1.2em;margin:.4em 0}"
    ".strobe-overview dt{opacity:.7}.strobe-overview dd{margin:0}"
    ".strobe-overview td,.strobe-overview th{padding:.15em 1em .15em 0;text-align:left}"
    ".strobe-overview .r{text-align:right;font-variant-numeric:tabular-nums}"
    ".strobe-overview .advice::before{content:\"\\2192  \"}</style>\n";

void append_fact_list(std::string& out, const std::vector<Fact>& facts) {
  out += "<dl>\n";
  for (const Fact& fact : facts) {
    const std::string value = cell_text(fact.value);
    out += fmt::format("<dt>{}</dt><dd>{}{}{}</dd>\n", html_text(fact.label), html_text(value),
                       value.empty() || fact.remark.empty() ? "" : " ", html_text(fact.remark));
  }
  out += "</dl>\n";
}

void append_finding_list(std::string& out, const Document& document) {
  if (document.findings.empty()) return;
  const std::size_t shown = std::min(document.findings.size(), document.findings_on_page);
  out += "<ul>\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const analysis::Finding& finding = document.findings[i];
    out += fmt::format("<li class=\"{}\">{}", weight_word(finding.weight),
                       html_text(finding.headline));
    if (!finding.advice.empty()) {
      out += fmt::format("<div class=\"advice\">{}</div>", html_text(finding.advice));
    }
    out += "</li>\n";
  }
  out += "</ul>\n";
}

void append_plain_table(std::string& out, const Section& section,
                        std::optional<analysis::TimeUnit> unit) {
  const Table& table = section.table;
  const auto is_left = [](const Column& column) {
    return column.type == ColumnType::kText || column.type == ColumnType::kName;
  };
  const auto append_row = [&](const char* tag, const auto& text_of) {
    out += "<tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!is_shown(table.columns[i])) continue;
      out += fmt::format("<{}{}>{}</{}>", tag, is_left(table.columns[i]) ? "" : " class=\"r\"",
                         html_text(text_of(i)), tag);
    }
    out += "</tr>\n";
  };
  out += fmt::format("<table>\n<caption>{}</caption>\n", html_text(section.title));
  append_row("th", [&](std::size_t i) { return header_line(table.columns[i]); });
  for (const auto& texts : table_texts(table, unit)) {
    append_row("td", [&](std::size_t i) { return texts[i]; });
  }
  out += "</table>\n";
}

}  // namespace

std::string overview_html(const Document& document) {
  std::string out = "<div class=\"strobe-overview\">\n";
  out += kOverviewStyle;
  out += fmt::format("<b>{}</b>\n", html_text(document.title));
  append_fact_list(out, document.facts);
  append_finding_list(out, document);
  const auto first = std::ranges::find_if(document.sections, [](const Section& section) {
    return is_on_page(section) && !section.table.rows.empty();
  });
  if (first != document.sections.end()) append_plain_table(out, *first, document.unit);
  return out + "</div>\n";
}

}  // namespace strobe::report

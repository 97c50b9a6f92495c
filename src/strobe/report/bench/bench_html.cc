#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "strobe/report/bench/bench_render.h"
#include "strobe/report/compare/compare_html_page.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/html_text.h"

namespace strobe::report {
namespace {

// Beside the page's own: cells of a heat map. Faster is cold, slower is warm, 100 % has no colour.
constexpr std::string_view kHeatStyle = R"css(<style>
table.heatmap{width:auto}
table.heatmap td,table.heatmap th{padding:3px 8px;text-align:right;border:1px solid var(--grid)}
td.warm1{background:rgba(var(--warm),.12)}td.warm2{background:rgba(var(--warm),.26)}
td.warm3{background:rgba(var(--warm),.42)}td.warm4{background:rgba(var(--warm),.6)}
td.cold1{background:rgba(var(--cold),.12)}td.cold2{background:rgba(var(--cold),.26)}
td.cold3{background:rgba(var(--cold),.42)}td.cold4{background:rgba(var(--cold),.6)}
td.gone{color:var(--soft)}td s{color:var(--soft)}
.scale{display:flex;flex-wrap:wrap;gap:0;margin:10px 0 0;font-size:12px;color:var(--soft)}
.scale span{padding:2px 10px;border:1px solid var(--grid)}
.warning{margin:10px 0 0;padding:8px 12px;border-left:4px double var(--a)}
.warning b{color:var(--a)}
.heat-w1{background:rgba(var(--warm),.12)}.heat-w2{background:rgba(var(--warm),.26)}
.heat-w3{background:rgba(var(--warm),.42)}.heat-w4{background:rgba(var(--warm),.6)}
.heat-c1{background:rgba(var(--cold),.12)}.heat-c2{background:rgba(var(--cold),.26)}
.heat-c3{background:rgba(var(--cold),.42)}.heat-c4{background:rgba(var(--cold),.6)}
</style>
)css";

constexpr std::string_view kScale =
    "<p class=\"scale\"><span class=\"heat-w4\">slower: under 25 %</span>"
    "<span class=\"heat-w3\">50 %</span><span class=\"heat-w2\">80 %</span>"
    "<span class=\"heat-w1\">98 %</span><span>100 %</span><span class=\"heat-c1\">102 %</span>"
    "<span class=\"heat-c2\">125 %</span><span class=\"heat-c3\">200 %</span>"
    "<span class=\"heat-c4\">faster: over 400 %</span></p>\n";

// Steps that are alike both ways: 80 % is to 100 % what 100 % is to 125 %.
int heat_step(double percent) {
  const double factor = percent >= 100 ? percent / 100 : 100 / percent;
  if (factor < 1.02) return 0;
  if (factor < 1.25) return 1;
  if (factor < 2) return 2;
  return factor < 4 ? 3 : 4;
}

std::string css_of(const BenchCell& cell, bool is_text) {
  if (cell.mark == BenchMark::kMissing) return is_text ? "gone" : "r gone";
  if (!cell.percent || cell.mark != BenchMark::kPlain || !(*cell.percent > 0)) {
    return is_text ? "" : "r";
  }
  const int step = heat_step(*cell.percent);
  return step == 0 ? "r" : fmt::format("r {}{}", *cell.percent > 100 ? "cold" : "warm", step);
}

std::string inside_of(const BenchCell& cell) {
  if (cell.mark == BenchMark::kWrong) return fmt::format("<s>{}</s>", html_text(cell.text));
  return html_text(cell.mark == BenchMark::kSame ? "=" + cell.text : cell.text);
}

bool is_heat_map(const BenchTable& table) {
  return std::ranges::any_of(table.rows, [](const BenchRow& row) {
    return std::ranges::any_of(row.cells,
                               [](const BenchCell& cell) { return cell.percent.has_value(); });
  });
}

void append_heat_table(std::string& out, const BenchTable& table) {
  const bool is_map = is_heat_map(table);
  out +=
      fmt::format("<div class=\"wide\"><table class=\"{}\">\n<thead><tr><th scope=\"col\">{}</th>",
                  is_map ? "heatmap" : "sortable", html_text(table.corner));
  for (const BenchColumn& column : table.columns) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", column.is_text ? "" : " class=\"r\"",
                       html_text(column.header));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const BenchRow& row : table.rows) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", html_text(row.label));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const BenchCell& cell = row.cells[i];
      out += fmt::format("<td class=\"{}\"", css_of(cell, table.columns[i].is_text));
      if (cell.value) out += fmt::format(" data-v=\"{}\"", *cell.value);
      if (!cell.title.empty()) out += fmt::format(" title=\"{}\"", html_text(cell.title));
      out += fmt::format(">{}</td>", inside_of(cell));
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (is_map) out += kScale;
}

void append_note(std::string& out, const std::string& text) {
  out += fmt::format("<p class=\"note\">{}</p>\n", html_text(text));
}

void append_warning(std::string& out, const std::string& text) {
  out += fmt::format("<p class=\"warning\"><b>!</b> {}</p>\n", html_text(text));
}

}  // namespace

std::string bench_html(const BenchPage& page) {
  std::string out = html_page_begin(page.title);
  out += kHeatStyle;
  const std::size_t colon = page.title.find(": ");
  const bool has_tool = colon != std::string::npos;
  out += fmt::format("<header>\n<p class=\"tool\">{}</p>\n<h1>{}</h1>\n",
                     html_text(page.title.substr(0, has_tool ? colon : 0)),
                     html_text(page.title.substr(has_tool ? colon + 2 : 0)));
  if (!page.facts.empty()) out += "<dl class=\"runs\">\n";
  for (const auto& [label, text] : page.facts) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_text(label), html_text(text));
  }
  out += page.facts.empty() ? "</header>\n" : "</dl>\n</header>\n";
  for (const BenchTable& table : page.tables) {
    out += fmt::format("<section>\n<h2>{}</h2>\n", html_text(table.title));
    if (!table.lead.empty()) {
      out += fmt::format("<p class=\"lead\">{}</p>\n", html_text(table.lead));
    }
    if (!table.rows.empty()) append_heat_table(out, table);
    for (const std::string& note : table.notes) append_note(out, note);
    for (const std::string& warning : table.warnings) append_warning(out, warning);
    out += "</section>\n";
  }
  for (const BenchFigure& figure : page.figures) {
    append_figure(out, figure.title, figure.caption, figure.svg);
  }
  if (!page.identities.empty()) {
    out += "<section>\n<h2>Do the tables fit together?</h2>\n";
    for (const bench::IdentityCheck& check : page.identities) {
      (check.violations.empty() ? append_note : append_warning)(out, identity_text(check));
    }
    out += "</section>\n";
  }
  if (!page.remarks.empty()) {
    out += "<section>\n<h2>Remarks</h2>\n";
    for (const std::string& remark : page.remarks) append_note(out, remark);
    out += "</section>\n";
  }
  out += html_page_end();
  return out;
}

}  // namespace strobe::report

#include "strobe/report/render/document_html.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/report/render/display_text.h"
#include "strobe/report/render/html_page.h"

namespace strobe::report {
namespace {

void append_html_arguments(std::string& out, const std::vector<Argument>& arguments) {
  if (arguments.empty()) return;
  out += "<ol class=\"arguments\">\n";
  for (const Argument& argument : arguments) {
    out += fmt::format("<li><h3>{}</h3>\n<ul>\n", html_text(argument.claim));
    for (const std::string& seen : argument.in_favour) {
      out += fmt::format("<li class=\"for\">{}</li>\n", html_text(seen));
    }
    for (const std::string& seen : argument.against) {
      out += fmt::format("<li class=\"against\">{}</li>\n", html_text(seen));
    }
    out += "</ul>\n";
    if (!argument.advice.empty()) {
      out += fmt::format("<p class=\"advice\">{}</p>\n", html_text(argument.advice));
    }
    out += "</li>\n";
  }
  out += "</ol>\n";
}

bool is_left(ColumnType type) { return type == ColumnType::kText || type == ColumnType::kName; }

// The scales of heat maps: faster is cold, slower is warm, 100 % has no colour.
constexpr std::string_view kLossScale =
    "<p class=\"scale\"><span>lost: under 2 %</span><span class=\"heat-w1\">2 %</span>"
    "<span class=\"heat-w2\">20 %</span><span class=\"heat-w3\">50 %</span>"
    "<span class=\"heat-w4\">over 75 %</span></p>\n";
constexpr std::string_view kSpeedScale =
    "<p class=\"scale\"><span class=\"heat-w4\">slower: under 25 %</span>"
    "<span class=\"heat-w3\">50 %</span><span class=\"heat-w2\">80 %</span>"
    "<span class=\"heat-w1\">98 %</span><span>100 %</span><span class=\"heat-c1\">102 %</span>"
    "<span class=\"heat-c2\">125 %</span><span class=\"heat-c3\">200 %</span>"
    "<span class=\"heat-c4\">faster: over 400 %</span></p>\n";

// Steps are symmetric: 80 % to 100 % is the same step as 100 % to 125 %.
int heat_step(double percent) {
  const double factor = percent >= 100 ? percent / 100 : 100 / percent;
  if (factor < 1.02) return 0;
  if (factor < 1.25) return 1;
  if (factor < 2) return 2;
  return factor < 4 ? 3 : 4;
}

std::string css_of(const Measure& measure, bool is_words) {
  if (measure.mark == Mark::kMissing) return is_words ? "gone" : "r gone";
  if (!measure.percent || measure.mark != Mark::kPlain || !(*measure.percent > 0)) {
    return is_words ? "" : "r";
  }
  const int step = heat_step(*measure.percent);
  return step == 0 ? "r" : fmt::format("r {}{}", *measure.percent > 100 ? "cold" : "warm", step);
}

void append_measure(std::string& out, const Measure& measure, bool is_words) {
  out += fmt::format("<td class=\"{}\"", css_of(measure, is_words));
  if (measure.value) out += fmt::format(" data-v=\"{}\"", *measure.value);
  if (!measure.title.empty()) out += fmt::format(" title=\"{}\"", html_text(measure.title));
  out += measure.mark == Mark::kWrong ? fmt::format("><s>{}</s></td>", html_text(measure.text))
                                      : fmt::format(">{}</td>", html_text(cell_text(measure)));
}

template <class Claim>
bool has_measure(const Table& table, const Claim& claim) {
  return std::ranges::any_of(table.rows, [&](const Row& row) {
    return std::ranges::any_of(row.cells, [&](const Cell& cell) {
      const auto* measure = std::get_if<Measure>(&cell);
      return measure != nullptr && claim(*measure);
    });
  });
}

// Names of code can be a page long. They are cut to one or two lines of their column; a click opens
// the whole name, without a script.
std::size_t name_width(const Table& table) {
  constexpr std::ptrdiff_t kManyColumns = 8;
  return std::ranges::count_if(table.columns, is_shown) > kManyColumns ? 44 : 80;
}

// The texts of a table, with its names cut.
std::vector<std::vector<std::string>> with_short_names(
    const Table& table, std::vector<std::vector<std::string>> texts) {
  const std::size_t width = name_width(table);
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (table.columns[column].type != ColumnType::kName) continue;
    for (auto& row : texts) row[column] = printable(row[column]);
    std::vector<NameToFit> names;
    for (const auto& row : texts) names.push_back({row[column], width});
    std::vector<std::string> fitted = fit_names(names);
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i][column] = std::move(fitted[i]);
  }
  return texts;
}

void append_name(std::string& out, const std::string& name, const std::string& short_name) {
  out += printable(name) == short_name
             ? fmt::format("<td class=\"name\">{}</td>", html_text(name))
             : fmt::format("<td class=\"name\"><details><summary>{}</summary>{}</details></td>",
                           html_text(short_name), html_text(name));
}

void append_html_row(std::string& out, const Table& table, const Row& row,
                     const std::vector<std::string>& texts,
                     const std::vector<std::string>& short_texts) {
  out += row.style == RowStyle::kChanged ? "<tr class=\"changed\">" : "<tr>";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Column& column = table.columns[i];
    if (!is_shown(column)) continue;
    const auto* measure = std::get_if<Measure>(&row.cells[i]);
    if (table.is_grid && i == 0) {
      out += fmt::format("<th scope=\"row\">{}</th>", html_text(texts[i]));
    } else if (measure != nullptr) {
      append_measure(out, *measure, is_left(column.type));
    } else if (table.is_grid && std::holds_alternative<Absent>(row.cells[i])) {
      append_measure(out, {.text = texts[i], .mark = Mark::kMissing}, is_left(column.type));
    } else if (column.type == ColumnType::kName) {
      append_name(out, texts[i], short_texts[i]);
    } else {
      out += fmt::format("<td class=\"{}\">{}</td>", is_left(column.type) ? "" : "r",
                         html_text(texts[i]));
    }
  }
  out += "</tr>\n";
}

void append_html_table(std::string& out, const Table& table) {
  const bool is_map =
      has_measure(table, [](const Measure& one) { return one.percent.has_value(); });
  const bool is_sortable =
      table.is_grid || has_measure(table, [](const Measure& one) { return one.value.has_value(); });
  out += fmt::format("<div class=\"wide\"><table{}>\n<thead><tr>", is_map ? " class=\"heatmap\""
                                                                   : is_sortable
                                                                       ? " class=\"sortable\""
                                                                       : "");
  for (const Column& column : table.columns) {
    if (!is_shown(column)) continue;
    const bool is_corner = table.is_grid && &column == &table.columns.front();
    out += fmt::format("<th{}{}>{}</th>", is_map || is_sortable ? " scope=\"col\"" : "",
                       is_left(column.type) || is_corner ? "" : " class=\"r\"",
                       html_text(header_line(column)));
  }
  out += "</tr></thead>\n<tbody>\n";
  const auto texts = table_texts(table);
  const auto short_texts = with_short_names(table, texts);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    append_html_row(out, table, table.rows[i], texts[i], short_texts[i]);
  }
  out += "</tbody></table></div>\n";
  if (is_map) out += table.shows_losses ? kLossScale : kSpeedScale;
  if (!table.left_out.empty()) {
    out += fmt::format("<p class=\"note\">{}</p>\n", html_text(table.left_out));
  }
}

void append_header(std::string& out, const Document& document) {
  const std::size_t colon = document.title.find(": ");
  const bool has_tool = colon != std::string::npos;
  out += fmt::format("<header>\n<p class=\"tool\">{}</p>\n<h1>{}</h1>\n",
                     html_text(document.title.substr(0, has_tool ? colon : 0)),
                     html_text(document.title.substr(has_tool ? colon + 2 : 0)));
  if (!document.facts.empty()) out += "<dl class=\"runs\">\n";
  for (const Fact& fact : document.facts) {
    out += fmt::format("<div class=\"{}\"><dt>{}</dt><dd>{}<span>{}</span></dd></div>\n", fact.key,
                       html_text(fact.label), html_text(cell_text(fact.value)),
                       html_text(fact.remark));
  }
  out += document.facts.empty() ? "</header>\n" : "</dl>\n</header>\n";
  if (document.headline.empty()) return;
  out += fmt::format("<section class=\"verdict {}\">\n<h2>{}</h2>\n", document.answer,
                     html_text(document.headline));
  for (const std::string& sentence : document.verdict) {
    out += fmt::format("<p>{}</p>\n", html_text(sentence));
  }
  out += "</section>\n";
}

void append_html_figure(std::string& out, const Section& figure) {
  out += fmt::format("<figure>\n<h2>{}</h2>\n{}<figcaption>{}</figcaption>\n</figure>\n",
                     html_text(figure.title), figure.svg, html_text(figure.lead));
}

void append_html_section(std::string& out, const Section& section) {
  if (is_empty(section)) return;
  out += fmt::format("<section>\n<h2>{}</h2>\n", html_text(section.title));
  if (!section.lead.empty())
    out += fmt::format("<p class=\"lead\">{}</p>\n", html_text(section.lead));
  append_html_arguments(out, section.arguments);
  if (!section.points.empty()) out += "<ul class=\"points\">\n";
  for (const std::string& point : section.points) {
    out += fmt::format("<li>{}</li>\n", html_text(point));
  }
  if (!section.points.empty()) out += "</ul>\n";
  if (!section.table.rows.empty()) append_html_table(out, section.table);
  for (const std::string& note : section.notes) {
    out += fmt::format("<p class=\"note\">{}</p>\n", html_text(note));
  }
  for (const std::string& warning : section.warnings) {
    out += fmt::format("<p class=\"warning\"><b>!</b> {}</p>\n", html_text(warning));
  }
  out += "</section>\n";
}

}  // namespace

std::string document_html(const Document& document) {
  std::string out = html_page_begin(document.title);
  append_header(out, document);
  for (const Section& section : document.sections) {
    if (!section.svg.empty()) append_html_figure(out, section);
    // ASCII pictures are for terminals: a page has better ones.
    if (is_on_page(section) && section.picture.empty()) append_html_section(out, section);
  }
  out += html_page_end();
  return out;
}

}  // namespace strobe::report

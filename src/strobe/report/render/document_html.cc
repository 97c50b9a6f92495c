#include "strobe/report/render/document_html.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/report/render/html_text.h"

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

void append_html_table(std::string& out, const Table& table) {
  out += "<div class=\"wide\"><table>\n<thead><tr>";
  for (const Column& column : table.columns) {
    if (!is_shown(column)) continue;
    std::string header = column.header;
    std::ranges::replace(header, '\n', ' ');
    out +=
        fmt::format("<th{}>{}</th>", is_left(column.type) ? "" : " class=\"r\"", html_text(header));
  }
  out += "</tr></thead>\n<tbody>\n";
  const auto texts = table_texts(table);
  for (const auto& row : texts) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Column& column = table.columns[i];
      if (!is_shown(column)) continue;
      out += fmt::format("<td class=\"{}\">{}</td>",
                         column.type == ColumnType::kName ? "name"
                         : is_left(column.type)           ? ""
                                                          : "r",
                         html_text(row[i]));
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (!table.left_out.empty())
    out += fmt::format("<p class=\"note\">{}</p>\n", html_text(table.left_out));
}

}  // namespace

void append_figure(std::string& out, std::string_view title, std::string_view caption,
                   const std::string& svg) {
  if (svg.empty()) return;
  out += fmt::format("<figure>\n<h2>{}</h2>\n{}<figcaption>{}</figcaption>\n</figure>\n",
                     html_text(title), svg, html_text(caption));
}

void append_section(std::string& out, const Section& section) {
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
  for (const std::string& line : section.picture) {
    out += fmt::format("{}{}\n", &line == &section.picture.front() ? "<pre>" : "", html_text(line));
  }
  if (!section.picture.empty()) out += "</pre>\n";
  if (!section.table.rows.empty()) append_html_table(out, section.table);
  for (const std::string& note : section.notes) {
    out += fmt::format("<p class=\"note\">{}</p>\n", html_text(note));
  }
  out += "</section>\n";
}

}  // namespace strobe::report

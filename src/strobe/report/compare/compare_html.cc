#include "strobe/report/compare/compare_html.h"

#include <cmath>

#include <fmt/format.h>

#include "strobe/report/compare/compare_html_page.h"
#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_plots.h"
#include "strobe/report/compare/compare_report.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/html_text.h"

namespace strobe::report {
namespace {

using compare::Answer;
using compare::Comparison;
using compare::FunctionRow;

std::string_view headline_of(Answer answer) {
  switch (answer) {
    case Answer::kNoChange:
      return "No change";
    case Answer::kSlower:
      return "Slower";
    case Answer::kFaster:
      return "Faster";
    case Answer::kShifted:
      return "Functions changed, cycle time did not";
    case Answer::kCannotTell:
      return "Cannot tell";
  }
  return "";
}

void append_sides(std::string& out, const Comparison& comparison, const Document& document) {
  out += fmt::format("<header>\n<p class=\"tool\">strobe compare</p>\n<h1>{} against {}</h1>\n",
                     html_text(comparison.abnormal.label), html_text(comparison.normal.label));
  out += "<dl class=\"runs\">\n";
  for (const Fact& fact : document.facts) {
    out += fmt::format("<div class=\"{}\"><dt>{}</dt><dd>{}<span>{}</span></dd></div>\n", fact.key,
                       html_text(fact.label), html_text(cell_text(fact.value)),
                       html_text(fact.remark));
  }
  out += fmt::format("</dl>\n</header>\n<section class=\"verdict {}\">\n<h2>{}</h2>\n",
                     word_of(comparison.answer), headline_of(comparison.answer));
  for (const std::string& sentence : document.verdict) {
    out += fmt::format("<p>{}</p>\n", html_text(sentence));
  }
  out += "</section>\n";
}

// A cell with the number it sorts by.
void append_number(std::string& out, double value, const std::string& text) {
  out += fmt::format("<td class=\"r\" data-v=\"{}\">{}</td>",
                     std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string(),
                     html_text(text));
}

void append_function(std::string& out, std::size_t number, const FunctionRow& row) {
  out += fmt::format("<tr{}>", is_changed(row) ? " class=\"changed\"" : "");
  append_number(out, static_cast<double>(number), std::to_string(number));
  out += fmt::format("<td class=\"name\">{}</td><td>{}</td><td>{}</td>", html_text(row.key.name),
                     html_text(row.key.device), std::to_string(row.rank));
  append_number(out, row.ms.normal_median, ms_text(row.ms.normal_median));
  append_number(out, row.ms.abnormal_median, ms_text(row.ms.abnormal_median));
  append_number(out, row.ms.shift.shift, ms_change_text(row.ms.shift.shift));
  append_number(out, row.ms.shift.low, ms_interval_text(row.ms.shift));
  append_number(out, 100 * row.ms.shift.shift / row.ms.normal_median,
                percent_change_text(row.ms.shift.shift, row.ms.normal_median));
  append_number(out, row.beta.shift.shift, fmt::format("{:+.2f}", row.beta.shift.shift));
  append_number(out, row.beta.q, p_text(row.beta.q));
  append_number(out, row.beta.cliffs_delta,
                fmt::format("{:+.2f} {}", row.beta.cliffs_delta, band_of(row.beta.cliffs_delta)));
  append_number(out, row.suspicion, score_text(row.suspicion));
  out += fmt::format("<td class=\"r\">{},{}</td><td>{}</td></tr>\n", row.ms.normal.n,
                     row.ms.abnormal.n, html_text(verdict_text(row)));
}

void append_functions(std::string& out, const Comparison& comparison, std::size_t top) {
  out +=
      "<section>\n<h2>All functions</h2>\n<p class=\"lead\">Milliseconds per cycle, medians; the "
      "change is the Hodges-Lehmann shift, with its 95 % interval. ~ is no evidence of a change. "
      "A click on a header sorts.</p>\n<div class=\"wide\"><table class=\"sortable\">\n<thead><tr>";
  for (const std::string_view header :
       {"#", "function", "device", "rank", "normal ms", "abnormal ms", "change ms", "95 % interval",
        "of normal", "share of cycle, points", "q", "Cliff's delta", "suspicion", "n", "verdict"}) {
    out += fmt::format("<th scope=\"col\">{}</th>", html_text(header));
  }
  out += "</tr></thead>\n<tbody>\n";
  const auto rows = drawn_functions(comparison, top == 0 ? comparison.functions.size() : top);
  for (std::size_t i = 0; i < rows.size(); ++i) append_function(out, i + 1, *rows[i]);
  out += "</tbody></table></div>\n";
  if (rows.size() < comparison.functions.size()) {
    out += fmt::format("<p class=\"note\">{} more.</p>\n",
                       count_text(comparison.functions.size() - rows.size()));
  }
  out += "</section>\n";
}

}  // namespace

std::string compare_html(const Comparison& comparison, std::size_t top) {
  const Document document = compare_document(comparison, top);
  std::string out = html_page_begin(document.title);
  append_sides(out, comparison, document);
  append_figure(
      out, "Cycles",
      "One mark per cycle: circles normal, diamonds abnormal. The long ticks are medians; "
      "the box is the 95 % interval of the shift, drawn from the normal median.",
      cycle_plot(comparison));
  append_section(out, cycle_section(comparison));
  append_section(out, cause_section(comparison));
  append_figure(out, "The first twenty functions",
                "Circle normal, diamond abnormal, box the 95 % interval of the shift.",
                function_plot(comparison));
  append_section(out, finding_section(comparison));
  append_figure(out, "How much, and how sure",
                "Diamonds changed, circles show no evidence; the numbers are those of the list "
                "above. Functions that ran in one run only are not in the picture.",
                effect_plot(comparison));
  append_figure(out, "The device, cycle by cycle",
                "Bars: share of the cycle with work on the device; hatched cycles are partial and "
                "left out of the statistics. Line: clock, averaged over each cycle.",
                timeline_plot(comparison));
  append_figure(out, "Ranks",
                "Abnormal / normal milliseconds per cycle; a frame marks a significant change.",
                rank_plot(comparison));
  append_section(out, appearance_section(comparison, top));
  append_section(out, device_section(comparison));
  append_section(out, metric_section(comparison, top));
  append_functions(out, comparison, top);
  append_section(out, quality_section(comparison));
  out += html_page_end();
  return out;
}

}  // namespace strobe::report

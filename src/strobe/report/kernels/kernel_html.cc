#include "strobe/report/kernels/kernel_html.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/report/compare/compare_html_page.h"
#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/kernels/roofline_report.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/html_text.h"

namespace strobe::report {
namespace {

void append_header(std::string& out, const Document& document, const std::string& headline) {
  const std::size_t colon = document.title.find(": ");
  const bool has_tool = colon != std::string::npos;
  out += fmt::format("<header>\n<p class=\"tool\">{}</p>\n<h1>{}</h1>\n<dl class=\"runs\">\n",
                     html_text(document.title.substr(0, has_tool ? colon : 0)),
                     html_text(document.title.substr(has_tool ? colon + 2 : 0)));
  for (const Fact& fact : document.facts) {
    out += fmt::format("<div><dt>{}</dt><dd>{}<span>{}</span></dd></div>\n", html_text(fact.label),
                       html_text(cell_text(fact.value)), html_text(fact.remark));
  }
  out += fmt::format("</dl>\n</header>\n<section class=\"verdict\">\n<h2>{}</h2>\n",
                     html_text(headline));
  for (const std::string& sentence : document.verdict) {
    out += fmt::format("<p>{}</p>\n", html_text(sentence));
  }
  out += "</section>\n";
}

}  // namespace

std::string kernel_page_html(const Document& document, const std::string& headline,
                             const std::vector<Figure>& figures) {
  std::string out = html_page_begin(document.title);
  append_header(out, document, headline);
  for (const Figure& figure : figures) {
    append_figure(out, figure.title, figure.caption, figure.svg);
  }
  for (const Section& section : document.sections) {
    if (section.picture.empty()) append_section(out, section);  // the figures show it better
  }
  out += html_page_end();
  return out;
}

std::string kernel_html(const analysis::KernelStudy& study, const KernelPage& page) {
  const Document document = kernel_document(study, page);
  const RooflinePage roofline = {.names = page.names, .top = page.top};
  const auto headroom = study.totals.headroom_share_of(study.totals);
  const std::string headline = fmt::format(
      "{} in {}{}", duration_text(study.totals.latency_ns), launches_text(study.totals.launches),
      headroom ? fmt::format(", {} of it headroom", percent_text(*headroom)) : "");
  return kernel_page_html(document, headline,
                          {{"Where the kernels stand",
                            "One circle per kernel name, its area the time of all its launches; "
                            "the letters are those of the largest.",
                            share_svg(study, roofline)}});
}

}  // namespace strobe::report

#pragma once

#include <string>
#include <vector>

#include "strobe/report/kernels/kernel_report.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

struct Figure {
  std::string title;
  std::string caption;
  std::string svg;  // "": left out
};

// One file that opens anywhere and asks nobody for anything: the document with its pictures behind
// the verdict. `headline` is the verdict in a word or two.
std::string kernel_page_html(const Document& document, const std::string& headline,
                             const std::vector<Figure>& figures);

// `strobe kernels show` as such a page.
std::string kernel_html(const analysis::KernelStudy& study, const KernelPage& page);

}  // namespace strobe::report

#pragma once

#include <string>

#include "strobe/report/render/document.h"

namespace strobe::report {

// The web page with the document inside: one file that opens anywhere and asks nobody for anything.
// Where scripts are switched off it shows the document as text.
std::string render_html(const Document& document);

}  // namespace strobe::report

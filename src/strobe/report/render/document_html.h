#pragma once

#include <string>

#include "strobe/report/render/document.h"

namespace strobe::report {

// One self-contained file: the verdict, then the sections, with pictures as SVG and heat maps that
// can be read without their colours.
std::string document_html(const Document& document);

}  // namespace strobe::report

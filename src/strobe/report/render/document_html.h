#pragma once

#include <string>
#include <string_view>

#include "strobe/report/render/document.h"

// The parts of a document as HTML, for pages that stand between html_page_begin() and _end().
namespace strobe::report {

// A section with nothing to say is left out.
void append_section(std::string& out, const Section& section);
// A picture with its title and what it shows; nothing if there is no picture.
void append_figure(std::string& out, std::string_view title, std::string_view caption,
                   const std::string& svg);

}  // namespace strobe::report

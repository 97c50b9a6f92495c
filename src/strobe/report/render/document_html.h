#pragma once

#include <string>
#include <string_view>

#include "strobe/report/render/document.h"

namespace strobe::report {

// One self-contained file: the verdict, then the sections, with pictures as SVG and heat maps that
// can be read without their colours.
std::string document_html(const Document& document);

// Its parts. An empty section is left out.
void append_section(std::string& out, const Section& section);
// A picture with its title and caption; nothing if there is no picture.
void append_figure(std::string& out, std::string_view title, std::string_view caption,
                   const std::string& svg);

}  // namespace strobe::report

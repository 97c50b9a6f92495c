#pragma once

#include <string>

#include "strobe/report/render/document.h"

namespace strobe::report {

// For pull requests and wikis: names as code, numbers with units, bars left out.
std::string render_markdown(const Document& document);

// One section of such a page, with an empty line in front.
std::string markdown_section(const Section& section, std::optional<analysis::TimeUnit> unit = {});

}  // namespace strobe::report

#pragma once

#include <string>

#include "strobe/report/document.h"

namespace strobe::report {

// For pull requests and wikis: names as code, numbers with units, bars left out.
std::string render_markdown(const Document& document);

}  // namespace strobe::report

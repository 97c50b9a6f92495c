#pragma once

#include <string_view>

namespace strobe::report {

// The web page, whole: one HTML file with its scripts and styles inside (web/dist/index.html).
std::string_view page_html();

}  // namespace strobe::report

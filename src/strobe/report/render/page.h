#pragma once

#include <string_view>

namespace strobe::report {

// The complete web page: one HTML file with its scripts and styles inside (web/dist/index.html).
std::string_view page_html();

}  // namespace strobe::report

#pragma once

#include <string>
#include <string_view>

namespace strobe::report {

// Text for the inside of an HTML element or a quoted attribute; what a browser would obey instead
// of show is made visible first.
std::string html_text(std::string_view text);

}  // namespace strobe::report

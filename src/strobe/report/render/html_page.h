#pragma once

#include <string>
#include <string_view>

// The frame of an HTML report: head, style sheet and the script that sorts.
namespace strobe::report {

std::string html_page_begin(std::string_view title);
std::string_view html_page_end();

// Text for the inside of an HTML element or a quoted attribute; characters that a browser would
// interpret are made visible first.
std::string html_text(std::string_view text);

}  // namespace strobe::report

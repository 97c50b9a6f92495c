#pragma once

#include <string>
#include <string_view>

// What stands around the content of an HTML report: head, style sheet and the script that sorts.
namespace strobe::report {

std::string html_page_begin(std::string_view title);
std::string_view html_page_end();

}  // namespace strobe::report

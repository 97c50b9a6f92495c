#pragma once

#include <string>

#include "strobe/report/render/document.h"

namespace strobe::report {

// The beginning of a report as a piece of a page that belongs to someone else, such as a notebook:
// its facts, its findings and its first table, without scripts and in the page's own colours.
std::string overview_html(const Document& document);

}  // namespace strobe::report
